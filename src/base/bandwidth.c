/*
 * The copy bandwidth of this machine, the roof that rungs are held against.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/measure.h>

#include <string.h>

#include "base/alloc.h"
#include "base/together.h"

#define HOT_BYTES ((size_t)6 << 20)    /* a 1920x1080 RGB picture */
#define DRAM_BYTES ((size_t)128 << 20) /* beyond any last-level cache in use */
#define PIECE_BYTES                                                                                \
    ((size_t)1 << 20) /* memcpy may copy more past the caches, or less: the faster                 \
                         way is what counts */
#define HOT_NS 8000000
#define DRAM_NS 12000000
#define HOT_CELL_NS 250000
#define DRAM_CELL_NS 2000000 /* in which more is written than caches keep back */
#define N_ROUNDS 2

typedef struct copy_job {
    uint8_t *to;
    const uint8_t *from;
    size_t part, piece; /* bytes: of a thread, over and over, and of a memcpy */
} copy_job;

static void copy_piece(void *arg, int32_t thread, int64_t k)
{
    const copy_job *job = arg;
    const size_t n_pieces = job->part / job->piece;
    const size_t at = (size_t)thread * job->part + (size_t)k % n_pieces * job->piece;
    memcpy(job->to + at, job->from + at, job->piece);
}

/* Bytes read and written a second, if that is more than *most_b_s: of blocks of n_bytes, in pieces
 * of about `piece` bytes or, 0, all that is a thread's at once. */
static sac_status measure(double *most_b_s, copy_job *job, size_t n_bytes, size_t piece,
                          sac_together *work, sac_error *err)
{
    sac_pace pace = {0};
    job->part = n_bytes / (size_t)work->n_threads;
    job->piece = piece ? job->part / ((job->part + piece - 1) / piece) : job->part;
    const sac_status status = sac_together_measure(&pace, work, err);
    const double b_s = 2 * (double)job->piece * pace.all_s;
    *most_b_s = b_s > *most_b_s ? b_s : *most_b_s;
    return status;
}

/* In turn, so that what disturbs one for a while does not disturb all of it. */
static sac_status measure_rounds(sac_bandwidth *out, copy_job *job, int32_t n_threads,
                                 sac_error *err)
{
    sac_together hot = {copy_piece, job, n_threads, HOT_NS, HOT_CELL_NS};
    sac_together dram = {copy_piece, job, n_threads, DRAM_NS, DRAM_CELL_NS};
    sac_status st = SAC_OK;
    for (int i = 0; i < N_ROUNDS && st == SAC_OK; i++) {
        st = measure(&out->dram_b_s, job, DRAM_BYTES, PIECE_BYTES, &dram, err);
        st = st ? st : measure(&out->dram_b_s, job, DRAM_BYTES, 0, &dram, err);
        st = st ? st : measure(&out->hot_b_s, job, HOT_BYTES, 0, &hot, err);
    }
    return st;
}

sac_status sac_measure_bandwidth(sac_bandwidth *out, int32_t n_threads, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = (sac_bandwidth){0};
    sac_status status = sac_together_count(&n_threads, err);
    if (status != SAC_OK)
        return status;
    uint8_t *to = sac_alloc(DRAM_BYTES, 1);
    uint8_t *from = sac_alloc(DRAM_BYTES, 1);
    if (to && from) {
        memset(from, 1, DRAM_BYTES); /* pages of its own, not one page of zeros */
        memset(to, 1, DRAM_BYTES);
        copy_job job = {to, from, 0, 0};
        status = measure_rounds(out, &job, n_threads, err);
    } else {
        status = sac_fail(err, SAC_E_NOMEM, "bandwidth: no memory for two blocks of %zu MB",
                          DRAM_BYTES >> 20);
    }
    sac_free(to);
    sac_free(from);
    return status;
}
