/*
 * label_u8 by runs: those of a row are found, then joined with those of the row above that share a
 * column with them, then numbered, then written.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LABEL_U8_INLINE_H
#define SAC_MELTPOOL_LABEL_U8_INLINE_H

#include <string.h>

#include "label_u8.h"

/* The runs of a row; returns how many. */
typedef int32_t (*sac_label_find_fn)(sac_label_run *runs, const uint8_t *row, int64_t w,
                                     int32_t threshold);

/* The first run of i's component so far; on the way there, runs are led to their parent's parent.
 */
static inline int32_t sac_label_root(sac_label_run *runs, int32_t i)
{
    while (runs[i].parent != i)
        i = runs[i].parent = runs[runs[i].parent].parent;
    return i;
}

/* The earlier of two roots is the root of both: it holds the component's first pixel. */
static inline void sac_label_join(sac_label_run *runs, int32_t a, int32_t b)
{
    a = sac_label_root(runs, a);
    b = sac_label_root(runs, b);
    if (a < b)
        runs[b].parent = a;
    else
        runs[a].parent = b;
}

/* Runs [above, row) of a row with runs [row, end) of the next. */
static inline void sac_label_join_rows(sac_label_run *runs, int32_t above, int32_t row, int32_t end)
{
    for (int32_t a = above, b = row; a < row && b < end;) {
        if (runs[a].x0 < runs[b].x1 && runs[b].x0 < runs[a].x1)
            sac_label_join(runs, a, b);
        if (runs[a].x1 <= runs[b].x1)
            a++;
        else
            b++;
    }
}

/* Parents become numbers: a run's parent comes before it, and has its number by then. */
static inline int32_t sac_label_number(sac_label_run *runs, int32_t n)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++)
        runs[i].parent = runs[i].parent == i ? ++count : runs[runs[i].parent].parent;
    return count;
}

static inline void sac_label_write(const sac_label_job *job, const sac_label_run *runs,
                                   const int32_t *first)
{
    for (int64_t y = 0; y < job->h; y++) {
        int32_t *labels = (int32_t *)(void *)((char *)job->labels + y * job->labels_row), x = 0;
        for (int32_t i = first[y]; i < first[y + 1]; i++) {
            memset(labels + x, 0, (size_t)(runs[i].x0 - x) * sizeof *labels);
            for (x = runs[i].x0; x < runs[i].x1; x++)
                labels[x] = runs[i].parent;
        }
        memset(labels + x, 0, (size_t)(job->w - x) * sizeof *labels);
    }
}

static inline int32_t sac_label_by_runs(const sac_label_job *job, sac_label_find_fn find)
{
    int32_t *first = job->scratch, n = 0, above = 0;
    sac_label_run *runs = (sac_label_run *)(void *)(first + job->h + 1);
    for (int64_t y = 0; y < job->h; y++) {
        first[y] = n;
        int32_t found = find(runs + n, job->in + y * job->in_row, job->w, job->threshold);
        for (int32_t i = n; i < n + found; i++)
            runs[i].parent = i;
        sac_label_join_rows(runs, above, n, n + found);
        above = n;
        n += found;
    }
    first[job->h] = n;
    int32_t count = sac_label_number(runs, n);
    sac_label_write(job, runs, first);
    return count;
}

#endif
