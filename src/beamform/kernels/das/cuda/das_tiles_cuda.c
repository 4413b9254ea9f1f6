/*
 * Delay-and-sum on a GPU: which points a warp takes, and which warps a block.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/cuda/das_tiles_cuda.h"

#include <math.h>

#define TRIED 8            /* points whose neighbours are looked at, */
#define TRIED_ELEMENTS 128 /* elements that each may hear, */
#define TRIED_DELAYS 16    /* and delays to them, */
#define TRIED_TRANSMITS 2  /* of waves that are not given at all points */

/* Sums over what was tried. */
typedef struct tally {
    double steps, n_steps;       /* samples between two points' delays */
    double heard, more, n_heard; /* elements of a point, and of its neighbour alone; of points */
} tally;

typedef struct spot {
    double p[3], received[3]; /* where waves meet it, and where elements receive it */
    int64_t index;
} spot;

static spot spot_of(const sac_das *das, int64_t index)
{
    spot s = {.index = index};
    sac_das_point(s.p, das, index);
    for (int i = 0; i < 3; i++)
        s.received[i] = s.p[i];
    sac_das_receive_at(&s.received[0], &s.received[1], &das->line);
    return s;
}

static bool hears(const sac_das *das, int64_t r, const spot *s)
{
    double u2;
    return sac_das_in_aperture(&u2, &das->apodization, &das->elements[r], s->received);
}

static double way_s(const sac_das *das, int64_t r, const spot *s)
{
    return sac_distance(s->received, das->elements[r].position_m) / das->c_m_s;
}

/* How far two neighbours' delays to some elements are apart. */
static void add_steps(tally *sum, const sac_das *das, const spot *a, const spot *b)
{
    const int32_t n_tx = das->n_tx < TRIED_TRANSMITS ? das->n_tx : TRIED_TRANSMITS;
    const int64_t n = das->n_rx < TRIED_DELAYS ? das->n_rx : TRIED_DELAYS;
    for (int32_t i = 0; i < n_tx; i++) {
        const int32_t t = i * (das->n_tx / n_tx);
        const double sent =
            sac_das_wave_of(das, t, b->p, b->index) - sac_das_wave_of(das, t, a->p, a->index);
        for (int64_t k = 0; k < n && isfinite(sent); k++) {
            const int64_t r = k * das->n_rx / n;
            if (!hears(das, r, a))
                continue;
            sum->steps += das->fs_hz * fabs(sent + way_s(das, r, b) - way_s(das, r, a));
            sum->n_steps++;
        }
    }
}

/* Elements of the point, and of its neighbour alone; all are alike to those looked at. */
static void add_heard(tally *sum, const sac_das *das, const spot *a, const spot *b)
{
    const int64_t n = das->n_rx < TRIED_ELEMENTS ? das->n_rx : TRIED_ELEMENTS;
    double heard = 0, more = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t r = k * das->n_rx / n;
        const bool is_heard = hears(das, r, a);
        heard += is_heard;
        more += !is_heard && hears(das, r, b);
    }
    sum->heard += heard * (double)das->n_rx / (double)n;
    sum->more += more * (double)das->n_rx / (double)n;
    sum->n_heard++;
}

static sac_das_spread spread_of(const tally *sum)
{
    return (sac_das_spread){sum->n_steps > 0 ? sum->steps / sum->n_steps : 0,
                            sum->heard > 0 ? sum->more / sum->heard : 0};
}

/* Place i of n along an axis, apart from the others along each. */
static int64_t tried_at(int i, int axis, int64_t n)
{
    static const double apart[] = {0.6180339887498949, 0.7320508075688773, 0.4142135623730951};
    const double at = (i + 0.5) * apart[axis];
    return (int64_t)((at - floor(at)) * (double)n);
}

void sac_das_tiles_measure(sac_das_cuda *run, const sac_das *das, const int32_t *order)
{
    tally sum[SAC_DAS_AXES] = {0};
    double heard = 0;
    run->most_heard = 0;
    for (int i = 0; i < TRIED; i++) {
        int64_t index = 0;
        for (int axis = 0; axis < 3; axis++)
            index += tried_at(i, axis, run->n[axis] - 1) * run->stride[axis];
        const int64_t place = tried_at(i, 0, run->n[0] - 1); /* in the order */
        for (int axis = 0; axis < SAC_DAS_AXES; axis++) {
            const bool is_order = axis == SAC_DAS_BY_ORDER;
            if (run->n[is_order ? 0 : axis] < 2 || (is_order && !order))
                continue;
            const spot a = spot_of(das, is_order ? order[place] : index);
            const spot b = spot_of(das, is_order ? order[place + 1] : index + run->stride[axis]);
            const double before = sum[axis].heard;
            add_steps(&sum[axis], das, &a, &b);
            add_heard(&sum[axis], das, &a, &b);
            run->most_heard = fmax(run->most_heard, sum[axis].heard - before);
        }
    }
    double n = 0;
    for (int axis = 0; axis < SAC_DAS_AXES; axis++) {
        run->spread[axis] = spread_of(&sum[axis]);
        heard += sum[axis].heard;
        n += sum[axis].n_heard;
    }
    run->n_heard = n > 0 ? fmax(heard / n, 1) : das->n_rx;
    run->most_heard = fmax(run->most_heard, run->n_heard);
}

/* Into blocks of so many warps. */
static void cut(sac_das_tiles *t, uint32_t warps, uint32_t shares)
{
    const int64_t rows = sac_das_parts(t->h, t->warp_h);
    const uint32_t behind = rows < 3 ? (uint32_t)rows : 4, most = warps / shares;
    t->shares = shares;
    t->warps_y = behind < most ? behind : most;
    t->warps_x = warps / shares / t->warps_y;
    t->x_bits = t->bits = 0;
    while (1u << t->x_bits < t->warps_x)
        t->x_bits++;
    while (1u << t->bits < warps / shares)
        t->bits++;
    t->n_x = (uint32_t)sac_das_parts(t->w, (int64_t)t->warps_x * t->warp_w);
    t->n_y = (uint32_t)sac_das_parts(rows, t->warps_y);
    t->n = (uint32_t)(t->n_x * t->n_y * t->slices);
}

/* Axes across, down, of slices; and what a lane costs of tiles: grids of three axes are cut at one
 * depth if that takes less than 5/4 of the lanes. Rows go along any axis, and the first are the
 * tiles' ones. */
static const int ways[][4] = {{0, 1, 2, 4}, {0, 2, 1, 5}, {1, 2, 0, 5},
                              {1, 0, 2, 0}, {2, 0, 1, 0}, {2, 1, 0, 0}};
enum { N_TILE_WAYS = 3, N_ROW_WAYS = sizeof ways / sizeof ways[0] };

static sac_das_tiles along(const sac_das_cuda *run, const int way[4], uint32_t w, uint32_t h)
{
    const int a = way[0], b = way[1], c = way[2];
    sac_das_tiles t = {.w = run->n[a],
                       .h = run->n[b],
                       .slices = run->n[c],
                       .across = run->stride[a],
                       .down = run->stride[b],
                       .slice = run->stride[c],
                       .warp_w = w,
                       .warp_h = h};
    if (h == 1 && (t.h == 1 || t.slice == t.h * t.down)) { /* one row after another */
        t.down = t.h == 1 ? t.slice : t.down;
        t.h *= t.slices;
        t.slices = 1;
    }
    return t;
}

/* In `order`, or as they lie in memory. */
static sac_das_tiles one_by_one(const sac_das_cuda *run, uint32_t n)
{
    return (sac_das_tiles){.w = run->das.n_points,
                           .h = 1,
                           .slices = 1,
                           .across = 1,
                           .order = run->order,
                           .warp_w = n,
                           .warp_h = 1};
}

static double lanes_of(const sac_das_tiles *t)
{
    return (double)(sac_das_parts(t->w, t->warp_w) * t->warp_w) *
           (double)(sac_das_parts(t->h, t->warp_h) * t->warp_h) * (double)t->slices;
}

static double share_of(double distinct, double n)
{
    return distinct < n ? distinct / n : 1;
}

/* Of neighbours whose indices are so far apart. */
static sac_das_spread spread_at(const sac_das_cuda *run, const sac_das_tiles *t, int64_t apart)
{
    for (int axis = 0; axis < 3 && !t->order; axis++)
        if (run->n[axis] > 1 && run->stride[axis] == apart)
            return run->spread[axis];
    return run->spread[SAC_DAS_BY_ORDER];
}

/*
 * By how much a lane's work is longer the less a warp's and a block's points have in common:
 * samples that all take are loaded once, and a block's are found in the first-level cache. The
 * weights were set by eye, from A and four slow configurations.
 */
static double slower(const sac_das_cuda *run, const sac_das_tiles *t)
{
    const double w = t->warp_w, h = t->warp_h, x = w * t->warps_x, y = h * t->warps_y;
    const double across = spread_at(run, t, t->across).samples;
    const double down = y > 1 ? spread_at(run, t, t->down).samples : 0;
    const double warp = 1 + (w - 1) * across + (h - 1) * down;
    const double block = 1 + (x - 1) * across + (y - 1) * down;
    return 1 + 0.5 * share_of(warp, w * h) + 1.2 * share_of(block, x * y);
}

/* What rows cost: elements that some of a warp's points hear are worked on for all of them. */
static double row_cost(const sac_das_cuda *run, const sac_das_tiles *t)
{
    const double more = spread_at(run, t, t->across).aperture;
    return lanes_of(t) * (1 + (t->warp_w - 1) * more) * slower(run, t);
}

static sac_das_tiles rows_of(const sac_das_cuda *run, uint32_t w, uint32_t warps)
{
    const double enough = 0.9; /* of the cost, for a way whose points lie apart in memory */
    sac_das_tiles best = {0};
    double least = INFINITY;
    for (int i = 0; i < N_ROW_WAYS; i++) {
        sac_das_tiles t = along(run, ways[i], w, 1);
        cut(&t, warps, 1);
        const double cost = row_cost(run, &t);
        if (i == 0 || cost < (t.across > best.across ? enough : 1) * least) {
            best = t;
            least = cost;
        }
    }
    sac_das_tiles t = one_by_one(run, w);
    cut(&t, warps, 1);
    return t.order && row_cost(run, &t) < enough * least ? t : best;
}

sac_das_tiles sac_das_tiles_of(const sac_das_cuda *run, uint32_t w, uint32_t h, uint32_t warps)
{
    if (h == 1)
        return rows_of(run, w, warps);
    sac_das_tiles best = one_by_one(run, w * h);
    double least = 6 * (double)best.w; /* what a lane costs of points one after another */
    for (int i = 0; i < N_TILE_WAYS; i++) {
        const sac_das_tiles t = along(run, ways[i], w, h);
        if (ways[i][3] * lanes_of(&t) < least) {
            least = ways[i][3] * lanes_of(&t);
            best = t;
        }
    }
    cut(&best, warps, 1);
    return best;
}

#define PART 8        /* elements of a part, at least: finding a point's aperture costs some, */
#define SET_UP 56.0   /* and all that a warp finds of its points as much as so many pairs */
#define WORTH_IT 0.96 /* of the time, for more shares, */
#define WORTH_OF 0.94 /* and where lanes are points */
#define ALONE 0.5     /* of a block's time, where a multiprocessor has no other */

/*
 * How long the multiprocessor takes that has the most blocks, `resident` at a time, in times of a
 * round: of a round that is not full, each has more of the multiprocessor. The largest block,
 * `uneven` times the mean, is not left before its time.
 */
static double makespan(double blocks, double resident, double uneven)
{
    const double whole = floor(blocks / resident), rest = blocks / resident - whole;
    const double all = whole + (rest > 0 ? ALONE + (1 - ALONE) * rest : 0);
    return fmax(all, ALONE * (uneven + fmin(blocks / resident, 1)));
}

/* What turns of transmits take that shares do not divide, over those that they do. */
static double turns_taken(const sac_das_tiles *t, const sac_das_load *load)
{
    const int64_t at_a_time = t->shares >> t->part_bits;
    return (double)(sac_das_parts(load->turns, at_a_time) * at_a_time) / load->turns;
}

static double rows_time(const sac_das_tiles *t, const sac_das_cuda *run, const sac_das_load *load)
{
    const double resident = (double)load->resident / load->warps;
    const double work = load->pairs * run->n_heard, uneven = run->most_heard / run->n_heard;
    const double each = work * turns_taken(t, load) / t->shares * slower(run, t);
    const int64_t blocks = sac_das_parts((int64_t)t->n * load->groups, run->n_multiprocessors);
    return makespan((double)blocks, resident, uneven) * (each + SET_UP);
}

/*
 * Of lanes that are points: blocks go where there is room, and the last ones take AFTER of a round
 * besides. Of a turn that a warp does not have, others use half. Parts of the elements cost what is
 * set up once more. The weights fit 29 configurations (das_iq_f32/NOTES.md).
 */
#define AFTER 0.75
static double points_time(const sac_das_tiles *t, const sac_das_cuda *run, const sac_das_load *load)
{
    const double rounds = (double)t->n * load->groups * load->warps /
                          ((double)run->n_multiprocessors * load->resident);
    const double work = load->pairs * run->n_heard * (1 + turns_taken(t, load)) / 2;
    return (rounds + AFTER) * (work / t->shares + (t->part_bits > 0 ? 2 : 1) * SET_UP);
}

void sac_das_tiles_share(sac_das_tiles *t, const sac_das_cuda *run, const sac_das_load *load)
{
    sac_das_tiles best = *t;
    double least = INFINITY;
    uint32_t parts = 0; /* their logarithm */
    for (uint32_t shares = 1; shares <= load->warps; shares *= 2) {
        if (shares > 1 && (int32_t)shares > load->most && run->das.n_rx < PART << ++parts)
            break;
        sac_das_tiles cuts = *t;
        cut(&cuts, load->warps, shares);
        cuts.part_bits = parts;
        const double time =
            load->are_points ? points_time(&cuts, run, load) : rows_time(&cuts, run, load);
        if (time < (load->are_points ? WORTH_OF : WORTH_IT) * least) {
            best = cuts;
            least = time;
        }
    }
    *t = best;
}
