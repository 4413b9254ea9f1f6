/*
 * Delay-and-sum on a GPU: the parts of a batch, by what each kernel costs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/cuda/das_cuda.h"
#include "beamform/kernels/das/cuda/das_tapers.h"

/*
 * What kernels take, measured on an H200, of which an H100 differs in memory alone. A pair is a
 * point and an element in its aperture, of one transmit. Other GPUs are slower in about the same
 * ratios, which is what a choice rests on.
 *
 * What `points` takes goes by the samples of a pair (sac_das_cuda_share_of). `frames` has fewer
 * threads: pictures of few points take longer. RF is above what B takes (0.75 of
 * it), whose points lie close together: configurations by chance took 1.4 to 1.6 times B's.
 */
#define PACK_BYTES_NS 2130.0 /* read and written: 75 % of the speed of copies */
#define LAUNCH_NS 1000.0     /* that the device waits between two kernels */
#define FEW_NS 20e3          /* `frames` in any case: one round of threads */

/* 0, in tests: packing and launches are free, so that small runs, too, take every kernel. */
#ifndef SAC_DAS_OVERHEAD
#define SAC_DAS_OVERHEAD 1
#endif

#define N_UNITS 5
typedef struct rates {
    int32_t size;          /* bytes of a sample */
    double sample;         /* ns of a million pairs: of `points`, a sample in single precision */
    double exact;          /* in double */
    double half;           /* `tensor`, a group */
    double units[N_UNITS]; /* `frames`, a group of 1, 2, 4, 8, 16 units of 16 bytes; 0: there is
                              none */
} rates;

static const rates table[] = {
    {8, 1450, 1500, 17000, {0, 7400, 10500, 14300, 25500}},
    {4, 1060, 1140, 0, {0, 9500, 11000, 17500, 29000}},
    {2, 1060, 1140, 0, {0}},
};

static const rates *rates_of(int32_t size)
{
    const rates *r = table;
    while (r->size != size)
        r++;
    return r;
}

#define TRIED 64 /* points whose apertures are counted */

/* Millions of pairs of a frame, all transmits together, estimated from points far apart. */
static double pairs_of(const sac_das *das)
{
    sac_das one = *das;
    uint64_t active = 0;
    one.n_tx = one.n_frames = 1;
    if (das->apodization.f_number <= 0)
        active = (uint64_t)das->n_rx * TRIED;
    for (int i = 0; i < TRIED && das->apodization.f_number > 0; i++) {
        const double golden = i * 0.6180339887498949; /* apart along every axis of a grid */
        const int64_t at = (int64_t)((golden - floor(golden)) * (double)das->n_points);
        active += sac_das_active(&one, at, 1);
    }
    return 1e-6 * (double)das->n_points * ((double)active / TRIED) * das->n_tx;
}

/* What decides: the run, its frames aside. */
typedef struct job {
    sac_das das;
    double pairs; /* millions */
    int32_t size; /* of a sample that comes */
    sac_tier tier;
    bool inner, is_plane;
} job;

/* Packing of a part: read, once more for the largest of halves, and written with its gaps. */
static double pack_ns(const job *j, const sac_das_cuda_part *p)
{
    const double records = (double)j->das.n_tx * j->das.n_rx, n = j->das.n_samples;
    const double padded = (p->n_frames + p->group - 1) / p->group * p->group;
    const double in = (p->is_half ? 2 : 1) * (double)p->n_frames * j->size;
    const double out = padded * (p->is_half ? 4 : p->size);
    return records * (n * in + (n + SAC_DAS_GAP) * out) / PACK_BYTES_NS +
           (p->is_half ? 2 : 1) * LAUNCH_NS;
}

/* How much longer `points` takes in other forms than linear interpolation of all elements or of a
 * linear array: weights of arrays in no plane, and of steep edges, are asked for one by one. */
static double points_slower(const job *j, bool is_double)
{
    const sac_das *das = &j->das;
    const bool weighs = das->pitch_m <= 0 && das->apodization.f_number > 0;
    const bool is_plane = j->is_plane && sac_das_tapers_in(&das->apodization, is_double);
    const double weights = !weighs ? 1 : !is_plane ? 2.2 : is_double ? 1.4 : 1.15;
    return weights * (das->interp == SAC_INTERP_CUBIC ? 1.6 : 1);
}

/* How much longer `frames` takes in other forms than linear interpolation of a linear array. */
static double frames_slower(const job *j, bool is_double)
{
    const sac_das *das = &j->das;
    const bool weighs = das->apodization.f_number > 0;
    const bool is_plane = j->is_plane && !is_double && sac_das_tapers_in(&das->apodization, false);
    const double weights = das->pitch_m > 0 ? 1 : !weighs ? 1.1 : is_plane ? 1.15 : 1.5;
    return weights * (das->interp == SAC_INTERP_CUBIC ? 1.65 : 1);
}

static double part_ns(const job *j, const sac_das_cuda_part *p)
{
    const rates *r = rates_of(p->size);
    const int32_t groups = (p->n_frames + p->group - 1) / p->group, n_tx = j->das.n_tx;
    double ns = LAUNCH_NS + (p->group > 1 || j->inner ? pack_ns(j, p) : 0);
    ns *= SAC_DAS_OVERHEAD;
    int unit = 0;
    const bool is_double = j->tier == SAC_TIER_EXACT;
    if (p->group == 1) {
        const sac_das_cuda_share share = sac_das_cuda_share_of(
            n_tx, p->n_frames, (int32_t)j->das.interp, r->size == 8, is_double);
        return ns + j->pairs / n_tx * share.samples * (is_double ? r->exact : r->sample) *
                        points_slower(j, is_double);
    }
    while (p->group * p->size > 16 << unit)
        unit++;
    ns += SAC_DAS_OVERHEAD * FEW_NS;
    return ns + j->pairs * groups *
                    (p->is_half ? r->half : r->units[unit] * frames_slower(j, is_double));
}

static void take_cheaper(sac_das_cuda_part *best, double *least, const job *j,
                         const sac_das_cuda_part *other)
{
    const double ns = part_ns(j, other);
    if (ns >= *least)
        return;
    *best = *other;
    *least = ns;
}

/* The cheapest way to take n frames as one part. */
static double choose_part(sac_das_cuda_part *best, job *j, int32_t n)
{
    const int32_t size = j->size < 4 ? 4 : j->size; /* packed */
    sac_das_cuda_part part = {.n_frames = n, .group = 1, .size = j->size};
    *best = part;
    double least = part_ns(j, best);
    if (j->das.reduction) /* adaptive weights are of frames one by one */
        return least;
    part.size = size;
    for (int i = 0; i < N_UNITS; i++) {
        part.group = (16 << i) / size;
        if (rates_of(size)->units[i] > 0 && sac_das_cuda_packs(&j->das, size, part.group))
            take_cheaper(best, &least, j, &part);
    }
    j->das.n_frames = n;
    if (!sac_das_cuda_takes_half(&j->das, size, j->tier))
        return least;
    part.group = SAC_DAS_HALF_GROUP;
    part.is_half = true;
    take_cheaper(best, &least, j, &part);
    return least;
}

void sac_das_cuda_cut(sac_das_cuda_cuts *cuts, const sac_das *das, int32_t size, sac_tier tier,
                      bool inner)
{
    job j = {.das = *das, .pairs = pairs_of(das), .size = size, .tier = tier, .inner = inner};
    j.is_plane = sac_das_cuda_in_plane(das);
    sac_das_cuda_part one[SAC_DAS_CUDA_BATCH + 1];
    double ns[SAC_DAS_CUDA_BATCH + 1]; /* as one part */
    for (int32_t n = 1; n <= SAC_DAS_CUDA_BATCH; n++) {
        cuts->ns[n] = ns[n] = choose_part(&one[n], &j, n);
        cuts->part[n] = one[n];
        /* Of ways that cost the same the largest part first. */
        for (int32_t m = das->reduction ? 0 : n - 1; m > 0; m--)
            if (ns[m] + cuts->ns[n - m] < cuts->ns[n]) {
                cuts->ns[n] = ns[m] + cuts->ns[n - m];
                cuts->part[n] = one[m];
            }
    }
}
