/*
 * label_u8: the specification. Each pixel that has no number yet begins a component, which is
 * flooded from there.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "label_u8.h"

static int32_t *label_at(const sac_label_job *job, int64_t x, int64_t y)
{
    return (int32_t *)(void *)((char *)job->labels + y * job->labels_row) + x;
}

static bool is_bright(const sac_label_job *job, int64_t x, int64_t y)
{
    return x >= 0 && x < job->w && y >= 0 && y < job->h &&
           job->in[y * job->in_row + x] >= job->threshold;
}

/* scratch is a stack of pixels; each is put there once at most. */
static void flood(const sac_label_job *job, int64_t x, int64_t y, int32_t label)
{
    static const int64_t dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    int32_t *stack = job->scratch;
    int64_t n = 0;
    *label_at(job, x, y) = label;
    stack[n++] = (int32_t)(y * job->w + x);
    while (n > 0) {
        int64_t at = stack[--n];
        for (int i = 0; i < 4; i++) {
            int64_t u = at % job->w + dx[i], v = at / job->w + dy[i];
            if (is_bright(job, u, v) && *label_at(job, u, v) == 0) {
                *label_at(job, u, v) = label;
                stack[n++] = (int32_t)(v * job->w + u);
            }
        }
    }
}

int32_t sac_label_u8_ref(const sac_label_job *job)
{
    int32_t n = 0;
    for (int64_t y = 0; y < job->h; y++)
        for (int64_t x = 0; x < job->w; x++)
            *label_at(job, x, y) = 0;
    for (int64_t y = 0; y < job->h; y++)
        for (int64_t x = 0; x < job->w; x++)
            if (is_bright(job, x, y) && *label_at(job, x, y) == 0)
                flood(job, x, y, ++n);
    return n;
}
