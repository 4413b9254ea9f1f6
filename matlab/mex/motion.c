/*
 * saccade_heatmap, saccade_noise, saccade_denoise and saccade_adjust: frames of uint8, (h, w), (h,
 * w, c) or a video (h, w, c, n).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "face.h"

#include <stdio.h>

#include <saccade/motion.h>

#define MOST_TEXT 256 /* of a warning */

static void close_heatmap(void *plan)
{
    sac_heatmap *p = plan;
    sac_heatmap_close(&p);
}

static void close_noise(void *plan)
{
    sac_noise *p = plan;
    sac_noise_close(&p);
}

static void close_denoise(void *plan)
{
    sac_denoise *p = plan;
    sac_denoise_close(&p);
}

static void close_adjust(void *plan)
{
    sac_adjust *p = plan;
    sac_adjust_close(&p);
}

/* What a difference is drawn of. Rows and columns may be exchanged (see mat_swapped). */
typedef struct pair {
    sac_array current, previous, out;
    bool is_video; /* no previous is given: frame i - 1, and of the first one itself */
    int first_option;
} pair;

static pair take_frames(const mat_call *call)
{
    pair p = {.current = mat_pictures(call->in[0], "current")};
    p.is_video = call->n_in < 2 || mxIsChar(call->in[1]) || mxIsClass(call->in[1], "string");
    p.first_option = p.is_video ? 1 : 2;
    p.previous = p.is_video ? p.current : mat_pictures(call->in[1], "previous");
    for (int k = 0; k < 4; k++)
        if (p.previous.shape[k] != p.current.shape[k])
            mat_fail(SAC_E_SHAPE, "previous: expected the shape of current, got %lld x %lld x %lld",
                     (long long)p.previous.shape[0], (long long)p.previous.shape[1],
                     (long long)p.previous.shape[2]);
    return p;
}

/* Of one frame there is no change to see. */
static void doubt_still(const pair *p)
{
    if (p->is_video && p->current.shape[3] == 1)
        mexWarnMsgIdAndTxt("saccade:still", "one frame, and no previous one: nothing can differ "
                                            "(a gray video is (h, w, 1, n))");
}

/* The result (h, w, n_channels, n). */
static void make_out(mat_call *call, pair *p, int64_t w, int64_t n_channels)
{
    const int64_t shape[] = {p->current.shape[0], w, n_channels, p->current.shape[3]};
    call->out[0] = mat_new(SAC_U8, 4, shape);
    p->out = mat_pictures(call->out[0], "result");
}

static void exchange_axes(pair *p)
{
    p->current = mat_swapped(&p->current);
    p->previous = mat_swapped(&p->previous);
    p->out = mat_swapped(&p->out);
}

/* Up to `most` pictures from number `first` on; how many. */
static int32_t batch(sac_array *outs, sac_array *currents, sac_array *previouses, const pair *p,
                     int64_t first, int32_t most)
{
    int32_t n = 0;
    for (int64_t i = first; n < most && i < p->current.shape[3]; n++, i++) {
        outs[n] = mat_picture(&p->out, i);
        currents[n] = mat_picture(&p->current, i);
        previouses[n] = mat_picture(&p->previous, p->is_video && i > 0 ? i - 1 : i);
    }
    return n;
}

void mat_heatmap(mat_call *call)
{
    sac_error err = {0};
    sac_heatmap *plan = NULL;
    sac_heatmap_desc desc;
    sac_array outs[MAT_BATCH], currents[MAT_BATCH], previouses[MAT_BATCH];
    mat_expect(call, 1, 1);
    pair p = take_frames(call);
    sac_heatmap_desc_init(&desc);
    mat_options(call, p.first_option, sac_heatmap_params(), &desc, NULL, NULL);
    doubt_still(&p);
    make_out(call, &p, p.current.shape[1], p.current.shape[2] == 4 ? 4 : 3);
    exchange_axes(&p);
    desc.h = p.current.shape[0];
    desc.w = p.current.shape[1];
    desc.n_channels = (int32_t)p.current.shape[2];
    mat_check(sac_heatmap_open(&plan, &desc, &err), &err);
    mat_keep(plan, close_heatmap);
    for (int64_t i = 0; i < p.current.shape[3]; i += MAT_BATCH) {
        const int32_t n = batch(outs, currents, previouses, &p, i, MAT_BATCH);
        mat_check(sac_heatmap_run_batch(plan, outs, currents, previouses, n, &err), &err);
        mat_interrupt(call);
    }
}

void mat_noise(mat_call *call)
{
    sac_error err = {0};
    sac_noise *plan = NULL;
    sac_noise_desc desc;
    sac_array out, current, previous;
    mat_expect(call, 1, 2);
    pair p = take_frames(call);
    sac_noise_desc_init(&desc);
    mat_options(call, p.first_option, sac_noise_params(), &desc, NULL, NULL);
    doubt_still(&p);
    const bool bits = desc.view == SAC_NOISE_BITS;
    const int64_t w = p.current.shape[1], n = p.current.shape[3];
    make_out(call, &p, bits ? (w + 7) / 8 : w, bits ? 1 : p.current.shape[2]);
    double *counts = NULL;
    if (call->n_out > 1) {
        call->out[1] = mat_new(SAC_F64, 2, (const int64_t[]){1, n});
        counts = mxGetData(call->out[1]);
    }
    if (!bits)
        exchange_axes(&p);
    desc.h = p.current.shape[0];
    desc.w = p.current.shape[1];
    desc.n_channels = (int32_t)p.current.shape[2];
    mat_check(sac_noise_open(&plan, &desc, &err), &err);
    mat_keep(plan, close_noise);
    for (int64_t i = 0; i < n; i++) { /* one by one, since each has a count */
        batch(&out, &current, &previous, &p, i, 1);
        mat_check(sac_noise_run(plan, &out, &current, &previous, &err), &err);
        if (counts)
            counts[i] = (double)sac_noise_get_count(plan);
        mat_interrupt(call);
    }
}

void mat_denoise(mat_call *call)
{
    sac_error err = {0};
    sac_denoise *plan = NULL;
    sac_denoise_desc desc;
    sac_array outs[MAT_BATCH], ins[MAT_BATCH], unused[MAT_BATCH];
    mat_expect(call, 1, 2);
    pair p = {.current = mat_pictures(call->in[0], "frames")};
    p.previous = p.current;
    sac_denoise_desc_init(&desc);
    mat_options(call, 1, sac_denoise_params(), &desc, NULL, NULL);
    if (desc.method == SAC_DENOISE_TEMPORAL && p.current.shape[3] == 1)
        mexWarnMsgIdAndTxt("saccade:still", "the method temporal leaves one frame as it is: give a "
                                            "video, or 'method', 'median'");
    make_out(call, &p, p.current.shape[1], p.current.shape[2]);
    desc.h = p.current.shape[0];
    desc.w = p.current.shape[1];
    desc.n_channels = (int32_t)p.current.shape[2];
    mat_check(sac_denoise_open(&plan, &desc, &err), &err);
    mat_keep(plan, close_denoise);
    for (int64_t i = 0; i < p.current.shape[3]; i += MAT_BATCH) {
        const int32_t n = batch(outs, ins, unused, &p, i, MAT_BATCH);
        mat_check(sac_denoise_run_batch(plan, outs, ins, n, &err), &err);
        mat_interrupt(call);
    }
    if (call->n_out > 1)
        call->out[1] = mxCreateDoubleScalar(sac_denoise_get_noise(plan));
}

/* Kept until the plan is, since a warning may be an error, which does not come back. */
static void note_doubt(void *ctx, sac_log_level level, const char *line)
{
    if (level == SAC_LOG_WARNING)
        snprintf(ctx, MOST_TEXT, "%s", line);
}

void mat_adjust(mat_call *call)
{
    char doubt[MOST_TEXT] = "";
    const sac_log log = {note_doubt, doubt};
    sac_error err = {0};
    sac_adjust *plan = NULL;
    sac_adjust_desc desc;
    sac_array outs[MAT_BATCH], ins[MAT_BATCH], unused[MAT_BATCH];
    mat_expect(call, 1, 1);
    pair p = {.current = mat_pictures(call->in[0], "frames")};
    p.previous = p.current;
    sac_adjust_desc_init(&desc);
    mat_options(call, 1, sac_adjust_params(), &desc, NULL, NULL);
    make_out(call, &p, p.current.shape[1], p.current.shape[2]);
    exchange_axes(&p);
    desc.h = p.current.shape[0];
    desc.w = p.current.shape[1];
    desc.n_channels = (int32_t)p.current.shape[2];
    desc.log = &log;
    mat_check(sac_adjust_open(&plan, &desc, &err), &err);
    mat_keep(plan, close_adjust);
    if (doubt[0])
        mexWarnMsgIdAndTxt("saccade:doubt", "%s", doubt);
    for (int64_t i = 0; i < p.current.shape[3]; i += MAT_BATCH) {
        const int32_t n = batch(outs, ins, unused, &p, i, MAT_BATCH);
        mat_check(sac_adjust_run_batch(plan, outs, ins, n, &err), &err);
        mat_interrupt(call);
    }
}
