/*
 * The frames that meltpool's rooms are checked with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/check_frame.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "meltpool/kernels/mask_u8/mask_u8.h"

enum { FRAMES = SAC_CHECK_MELTPOOL_FRAMES };

#define TASK_FRAMES 1000
#define TASK_ROI 40

enum { IN_ROI, ON_PIXEL, OUTSIDE };
enum { GROUP = 8 };

/* margin: how much larger than the ROI the frame is. of_groups: ROIs and rows begin at a multiple
 * of 8 bytes, and are of whole groups of 8, as a plan's are. */
static const struct {
    int32_t threshold, spatter_min, margin, centre;
    bool scan, of_groups;
} options[] = {
    {60, 1, 56, IN_ROI, false, false}, {60, 3, 0, ON_PIXEL, false, false},
    {1, 2, 5, ON_PIXEL, false, false}, {128, 1, 17, OUTSIDE, false, false},
    {255, 1, 1, IN_ROI, false, false}, {0, 1, 3, OUTSIDE, false, false},
    {256, 1, 2, IN_ROI, false, false}, {60, 1, 4, IN_ROI, true, false},
    {60, 1, 0, ON_PIXEL, true, false}, {60, 1, 6, OUTSIDE, true, false},
    {60, 1, 56, IN_ROI, false, true},  {100, 3, 8, OUTSIDE, true, true},
};
const char *const sac_check_meltpool_modes[] = {"60",
                                                "60 on a pixel",
                                                "1 on a pixel",
                                                "128 outside",
                                                "255",
                                                "0 outside",
                                                "256",
                                                "scan",
                                                "scan on a pixel",
                                                "scan outside",
                                                "60 of groups",
                                                "100 outside, scan, of groups",
                                                NULL};

enum {
    TYPICAL,
    COMB = SAC_CHECK_COMB,
    CHECKERBOARD = SAC_CHECK_BOARD,
    SALT = SAC_CHECK_SALT,
    SPIRAL = SAC_CHECK_SPIRAL,
    ALL_ON = SAC_CHECK_ALL_ON,
    ALL_OFF = SAC_CHECK_ALL_OFF,
    ONE_PIXEL,
    RANDOM,
    EXTREMES,
    STEEP
};
const char *const sac_check_meltpool_contents[] = {
    "typical", "comb",      "checkerboard", "salt",     "spiral", "all-on",
    "all-off", "one-pixel", "random",       "extremes", "steep",  NULL};

#define TASK .w = 1 + TASK_ROI - SAC_MELTPOOL_MIN_ROI, .h = TASK_FRAMES

/* The contents whose times differ. */
const sac_check_task sac_check_meltpool_tasks[] = {
    {"typical", TASK, .content = TYPICAL},
    {"comb", TASK, .content = COMB},
    {"checkerboard", TASK, .content = CHECKERBOARD},
    {"salt", TASK, .content = SALT},
    {"spiral", TASK, .content = SPIRAL},
    {"all-on", TASK, .content = ALL_ON},
    {"all-off", TASK, .content = ALL_OFF},
    {"one-pixel", TASK, .content = ONE_PIXEL},
    {0},
};

static int32_t roi_of(const sac_check_case *c)
{
    const int32_t n = SAC_MELTPOOL_MIN_ROI +
                      (int32_t)((c->w - 1) % (SAC_MELTPOOL_MAX_ROI - SAC_MELTPOOL_MIN_ROI + 1));
    return options[c->mode].of_groups ? n / GROUP * GROUP : n;
}

static int32_t side_of(const sac_check_case *c)
{
    return roi_of(c) + options[c->mode].margin;
}

static uint64_t random_of(const sac_check_case *c, int64_t i)
{
    uint64_t random = (c->seed ^ (uint64_t)(i + 1) * UINT64_C(0x9E3779B97F4A7C15)) | 1;
    (void)sac_check_random(&random);
    return random;
}

static int32_t between(uint64_t *random, int32_t least, int32_t most)
{
    return least + (int32_t)((sac_check_random(random) >> 33) % (uint64_t)(most - least + 1));
}

/* The scan's edges for a direction: at multiples of 45 degrees they pass through pixels. */
static void turn(sac_meltpool_frame_job *job, int32_t degrees)
{
    for (int32_t k = 0; k < 3; k++) {
        const double angle = (degrees + 60 * k) * 3.14159265358979323846 / 180;
        job->edge_x[k] = (int32_t)lround(16384 * cos(angle));
        job->edge_y[k] = (int32_t)lround(16384 * sin(angle));
    }
}

/* The ROI is at a corner of the first frames, then anywhere. */
static sac_meltpool_frame_job job_of(const sac_check_case *c, int64_t i, uint64_t *random)
{
    const int32_t n = roi_of(c), margin = options[c->mode].margin, centre = options[c->mode].centre;
    *random = random_of(c, i);
    sac_meltpool_frame_job job = {.frame =
                                      c->arg[FRAMES].data + i * side_of(c) * c->arg[FRAMES].row,
                                  .row = c->arg[FRAMES].row,
                                  .n = n,
                                  .threshold = options[c->mode].threshold,
                                  .spatter_min = options[c->mode].spatter_min};
    job.x0 = i < 4 ? (int32_t)(i % 2) * margin : between(random, 0, margin);
    job.y0 = i < 4 ? (int32_t)(i / 2) * margin : between(random, 0, margin);
    if (options[c->mode].of_groups)
        job.x0 = job.x0 / GROUP * GROUP;
    const int32_t far = centre == OUTSIDE ? (i % 2 ? 5 : 8000) : c->content == TYPICAL ? -n / 4 : 0;
    job.cx = job.x0 + between(random, -far, n - 1 + far);
    job.cy = job.y0 + between(random, -far, n - 1 + far);
    job.cx_q16 = job.cx * 65536 + (centre == ON_PIXEL ? 0 : between(random, -32768, 32767));
    job.cy_q16 = job.cy * 65536 + (centre == ON_PIXEL ? 0 : between(random, -32768, 32767));
    job.scan = options[c->mode].scan;
    turn(&job, between(random, 0, 23) * 15);
    return job;
}

void sac_check_meltpool_shape(sac_check_case *c, const char *name, size_t size, int64_t w)
{
    const int64_t side = side_of(c);
    c->arg[0] = (sac_check_arg){name, SAC_CHECK_OUT, .size = size, .w = w, .h = c->h};
    c->arg[FRAMES] =
        (sac_check_arg){"frames", SAC_CHECK_IN, .size = 1, .w = side, .h = c->h * side};
    if (options[c->mode].of_groups) {
        c->arg[FRAMES].align = GROUP;
        c->arg[FRAMES].packed = true;
    }
    c->n_args = 2;
}

/* A pool of about 50 to 300 pixels above 60 at the centre, few spatters, the sensor's noise. */
typedef struct {
    double x, y, cosine, sine, across, along, peak;
    int32_t n_spatters, spatter_x[3], spatter_y[3], spatter_size[3];
} scene;

static scene scene_of(const sac_meltpool_frame_job *job, uint64_t *random)
{
    const double angle = between(random, 0, 359) * 3.14159265358979323846 / 180;
    scene s = {.x = job->cx_q16 / 65536.0,
               .y = job->cy_q16 / 65536.0,
               .cosine = cos(angle),
               .sine = sin(angle),
               .across = between(random, 20, 35) / 10.0,
               .along = between(random, 22, 45) / 10.0,
               .peak = between(random, 400, 1000),
               .n_spatters = between(random, 0, 2)};
    for (int i = 0; i < s.n_spatters; i++) {
        s.spatter_x[i] = job->x0 + between(random, 0, job->n - 1);
        s.spatter_y[i] = job->y0 + between(random, 0, job->n - 1);
        s.spatter_size[i] = between(random, 1, 2);
    }
    return s;
}

static double light_of(const scene *s, int32_t x, int32_t y)
{
    const double dx = x - s->x, dy = y - s->y;
    const double u = (dx * s->cosine + dy * s->sine) / s->along;
    const double v = (dy * s->cosine - dx * s->sine) / s->across;
    double light = u * u + v * v < 40 ? s->peak * exp(-(u * u + v * v) / 2) : 0;
    for (int i = 0; i < s->n_spatters; i++)
        if (abs(x - s->spatter_x[i]) < s->spatter_size[i] && y >= s->spatter_y[i] &&
            y - s->spatter_y[i] < s->spatter_size[i])
            light += 120;
    return light;
}

/* One way from the border to the middle: rings that are open at one place, where the next begins.
 */
static bool is_in_spiral(int64_t w, int64_t h, int64_t x, int64_t y)
{
    const int64_t right = w - 1 - x, below = h - 1 - y;
    const int64_t across = x < right ? x : right, down = y < below ? y : below;
    const int64_t ring = across < down ? across : down;
    const bool is_first = x == ring && y == ring + 1; /* below the ring's first corner */
    return ring % 2 == 0 ? !is_first : is_first;
}

bool sac_check_is_on(sac_check_pattern pattern, int64_t w, int64_t h, int64_t x, int64_t y,
                     uint64_t r)
{
    switch (pattern) {
    case SAC_CHECK_COMB: /* joined by its last row alone */
        return x % 2 == 0 || y == h - 1;
    case SAC_CHECK_BOARD:
        return (x + y) % 2 == 0;
    case SAC_CHECK_SALT:
        return r % 2 == 0;
    case SAC_CHECK_SPIRAL:
        return is_in_spiral(w, h, x, y);
    default:
        return pattern == SAC_CHECK_ALL_ON;
    }
}

static bool is_on(const sac_check_case *c, const sac_meltpool_frame_job *job, int32_t x, int32_t y,
                  uint64_t r)
{
    if (c->content == ONE_PIXEL) /* or none */
        return (uint64_t)x == c->seed % (uint64_t)(job->n + 1) &&
               (uint64_t)y == (c->seed >> 32) % (uint64_t)job->n;
    return sac_check_is_on((sac_check_pattern)c->content, job->n, job->n, x, y, r);
}

static uint8_t value_of(const sac_check_case *c, const sac_meltpool_frame_job *job, const scene *s,
                        int32_t x, int32_t y, uint64_t r)
{
    const int32_t threshold = job->threshold < 1 ? 1 : job->threshold > 255 ? 255 : job->threshold;
    const int32_t noise = (int32_t)(r % 5 + r / 5 % 5 + r / 25 % 3); /* 0..10 */
    const double light = light_of(s, x, y) + noise;
    switch (c->content) {
    case TYPICAL:
        return (uint8_t)(light > 255 ? 255 : light);
    case RANDOM:
        return (uint8_t)(r >> 20);
    case EXTREMES:
        return r >> 20 & 1 ? 255 : 0;
    case STEEP: /* the largest gradient at every pixel, in one bin */
        return (c->seed >> 20 & 1 ? x + y : x - y) >> 1 & 1 ? 255 : 0;
    default:
        return (uint8_t)(is_on(c, job, x - job->x0, y - job->y0, r)
                             ? threshold + (int32_t)(r >> 8) % (256 - threshold)
                             : (int32_t)(r >> 8) % threshold);
    }
}

void sac_check_meltpool_fill(sac_check_case *c)
{
    for (int64_t i = 0; i < c->h; i++) {
        uint64_t random;
        const sac_meltpool_frame_job job = job_of(c, i, &random);
        const scene s =
            c->content == TYPICAL ? scene_of(&job, &random) : (scene){.across = 1, .along = 1};
        for (int32_t y = 0; y < side_of(c); y++)
            for (int32_t x = 0; x < side_of(c); x++)
                ((uint8_t *)job.frame)[y * job.row + x] =
                    value_of(c, &job, &s, x, y, sac_check_random(&random) >> 34);
    }
}

sac_status sac_check_meltpool_open(sac_check_case *c)
{
    const sac_any_fn mask = sac_mask_u8_room.variants[0].fn; /* the reference */
    c->state = sac_alloc((size_t)c->h, sizeof(sac_meltpool_frame_job) + sizeof(sac_meltpool_bits));
    if (!c->state)
        return SAC_E_NOMEM;
    sac_meltpool_frame_job *jobs = c->state;
    sac_meltpool_bits *bits = (sac_meltpool_bits *)(void *)(jobs + c->h);
    for (int64_t i = 0; i < c->h; i++) {
        uint64_t random;
        jobs[i] = job_of(c, i, &random);
        ((sac_mask_u8_fn)mask)(&bits[i], &jobs[i]);
    }
    return SAC_OK;
}

sac_meltpool_frame_job sac_check_meltpool_job(const sac_check_case *c, int64_t i)
{
    sac_meltpool_frame_job job = ((const sac_meltpool_frame_job *)c->state)[i];
    job.frame = sac_check_row(c, FRAMES, i * side_of(c));
    job.row = c->arg[FRAMES].row;
    return job;
}

const sac_meltpool_bits *sac_check_meltpool_mask(const sac_check_case *c, int64_t i)
{
    const sac_meltpool_frame_job *jobs = c->state;
    return (const sac_meltpool_bits *)(const void *)(jobs + c->h) + i;
}

uint64_t sac_check_meltpool_bytes(const sac_check_case *c)
{
    const uint64_t out = (uint64_t)c->arg[0].w * c->arg[0].size;
    return (uint64_t)c->h * ((uint64_t)(roi_of(c) * roi_of(c)) + out);
}
