/*
 * delta through its plans: packets beside those of a reference plan, byte by byte; pictures that
 * come out beside those that went in, within the threshold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/delta.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plans.h"

#define FRAME_NS 16666667

typedef struct stream {
    sac_delta_encode_desc desc;
    sac_delta_encode *encode, *reference; /* the reference: one thread, every room's ref */
    sac_delta_decode *decode;
    size_t bytes;     /* of a frame */
    uint8_t *frame;   /* packed, as it went in; */
    uint8_t *picture; /* as it came out */
} stream;

static void draw_desc(plan_check *c, sac_delta_encode_desc *d, int32_t n)
{
    static const int32_t channels[] = {1, 3, 4}, thresholds[] = {0, 0, 0, 3, 16, 254};
    static const int32_t threads[] = {1, 2, 3, 7};
    sac_delta_encode_desc_init(d);
    d->w = 1 + plan_draw(c, plan_draw(c, 3) ? 200 : 1300);
    d->h = 1 + plan_draw(c, 1 + 90000 / (d->w * n));
    d->n_channels = PLAN_ONE_OF(c, channels);
    d->threshold = PLAN_ONE_OF(c, thresholds);
    d->key_interval_s = plan_draw(c, 2) ? 0.1 : 0;
    d->refresh_s = plan_draw(c, 2) ? 0.2 : 0;
    d->scene_change = plan_draw(c, 2);
    d->fast = plan_draw(c, 2);
    d->n_threads = PLAN_ONE_OF(c, threads);
    d->variant = plan_variant(c);
}

/* False where the round ends here: a rung or codec that is not there, or a fault that was told. */
static bool open_plans(plan_check *c, stream *s)
{
    static const int32_t threads[] = {1, 2, 5};
    sac_delta_encode_desc of_reference = s->desc;
    sac_delta_decode_desc decode;
    sac_error err = {0};
    of_reference.variant = "ref";
    of_reference.n_threads = 1;
    sac_delta_decode_desc_init(&decode);
    decode.n_threads = PLAN_ONE_OF(c, threads);
    decode.variant = plan_variant(c);
    sac_status status = sac_delta_encode_open(&s->reference, &of_reference, &err);
    if (status == SAC_E_UNSUPPORTED) { /* this build lacks the codec */
        c->n_skipped++;
        return false;
    }
    plan_must(status, "the reference's plan", &err);
    status = sac_delta_encode_open(&s->encode, &s->desc, &err);
    if (plan_lacks(status, s->desc.variant)) {
        c->n_skipped++;
        return false;
    }
    if (status == SAC_OK)
        status = sac_delta_decode_open(&s->decode, &decode, &err);
    if (plan_lacks(status, decode.variant)) {
        decode.variant = NULL;
        status = sac_delta_decode_open(&s->decode, &decode, &err);
    }
    if (status != SAC_OK)
        plan_fault(c, "open: %s", err.text);
    return status == SAC_OK;
}

/* Some of the picture changes, by little or much; at times all of it. */
static void next_frame(plan_check *c, stream *s, int32_t i)
{
    const int64_t n = (int64_t)s->bytes, few = 1 + plan_draw(c, 40);
    if (i == 0 || plan_draw(c, 12) == 0)
        plan_fill(c, s->frame, SAC_U8, n);
    for (int64_t k = plan_draw(c, few); k < n; k += 1 + plan_draw(c, few)) {
        const int64_t by = plan_draw(c, 4) ? plan_draw(c, 9) - 4 : plan_draw(c, 256);
        s->frame[k] = (uint8_t)(s->frame[k] + by);
    }
}

static void compare_packets(plan_check *c, int32_t i, const sac_delta_packet *want,
                            const sac_delta_packet *got)
{
    size_t at = 0;
    while (at < want->size && at < got->size && want->data[at] == got->data[at])
        at++;
    if (want->size != got->size || at < want->size)
        plan_fault(c, "packet %d: wanted %zu bytes, got %zu, which differ from byte %zu on", i,
                   want->size, got->size, at);
    if (want->is_key != got->is_key || got->frame != (uint64_t)i)
        plan_fault(c, "packet %d: number %" PRIu64 ", key %d, wanted key %d", i, got->frame,
                   got->is_key, want->is_key);
}

/* What came out, packed. */
static void pack(stream *s, const sac_array *a)
{
    const int32_t n = s->desc.n_channels;
    for (int64_t y = 0; y < s->desc.h; y++)
        for (int64_t x = 0; x < s->desc.w; x++)
            for (int32_t ch = 0; ch < n; ch++)
                s->picture[(y * s->desc.w + x) * n + ch] =
                    ((const uint8_t *)a->data)[y * a->stride[0] + x * a->stride[1] +
                                               (a->n_dims == 3 ? ch * a->stride[2] : 0)];
}

static void compare_pictures(plan_check *c, stream *s, int32_t i, const sac_delta_frame *frame)
{
    const sac_array *a = &frame->picture;
    size_t n_zero = 0;
    if (!a->data || a->shape[0] != s->desc.h || a->shape[1] != s->desc.w ||
        (a->n_dims == 3 ? a->shape[2] : 1) != s->desc.n_channels || a->dtype != SAC_U8) {
        plan_fault(c, "frame %d: no picture of this size came out", i);
        return;
    }
    pack(s, a);
    for (size_t k = 0; k < s->bytes; k++) {
        n_zero += s->frame[k] == 0;
        if (abs(s->picture[k] - s->frame[k]) <= s->desc.threshold)
            continue;
        plan_fault(c, "frame %d, sample %zu: wanted %d within %d, got %d", i, k, s->frame[k],
                   s->desc.threshold, s->picture[k]);
        break;
    }
    c->n_compared++;
    c->n_blank += n_zero == s->bytes;
}

static bool pass_frame(plan_check *c, stream *s, int32_t i)
{
    const int64_t shape[] = {s->desc.h, s->desc.w, s->desc.n_channels};
    const uint64_t time_ns = (uint64_t)i * FRAME_NS;
    const bool flat = s->desc.n_channels == 1 && plan_draw(c, 2);
    sac_delta_packet want, got;
    sac_delta_frame frame;
    sac_array packed;
    sac_error err = {0};
    next_frame(c, s, i);
    plan_lay in = plan_lay_open(c, SAC_U8, flat ? 2 : 3, shape, false, PLAN_HOST);
    plan_lay_write(c, &in, s->frame);
    plan_must(sac_array_view(&packed, s->frame, SAC_U8, 3, shape, &err), "view", &err);
    plan_must(sac_delta_encode_run(s->reference, &want, &packed, time_ns, &err),
              "the reference's run", &err);
    const bool passed = sac_delta_encode_run(s->encode, &got, &in.array, time_ns, &err) == SAC_OK &&
                        sac_delta_decode_run(s->decode, &frame, got.data, got.size, &err) == SAC_OK;
    if (passed) {
        compare_packets(c, i, &want, &got);
        compare_pictures(c, s, i, &frame);
        plan_lay_compare(c, &in, s->frame, "in, afterwards");
    } else {
        plan_fault(c, "frame %d: %s", i, err.text);
    }
    plan_lay_close(c, &in);
    return passed;
}

void check_delta_plans(plan_check *c)
{
    const int32_t n = 1 + (int32_t)plan_draw(c, plan_draw(c, 2) ? 5 : PLAN_MOST_BATCH);
    stream s = {0};
    draw_desc(c, &s.desc, n);
    const sac_delta_encode_desc *d = &s.desc;
    plan_about(c,
               "%d frames %" PRId64 "x%" PRId64
               "x%d, threshold %d, keys %g s, refresh %g s, scenes "
               "%d, fast %d, threads %d, variant %s",
               n, d->w, d->h, d->n_channels, d->threshold, d->key_interval_s, d->refresh_s,
               d->scene_change, d->fast, d->n_threads, d->variant ? d->variant : "-");
    s.bytes = (size_t)(d->w * d->h * d->n_channels);
    s.frame = plan_memory(s.bytes, 1);
    s.picture = plan_memory(s.bytes, 1);
    if (open_plans(c, &s))
        for (int32_t i = 0; i < n && pass_frame(c, &s, i); i++)
            if (plan_draw(c, 20) == 0) {
                sac_delta_encode_key(s.encode);
                sac_delta_encode_key(s.reference);
            }
    sac_delta_encode_close(&s.encode);
    sac_delta_encode_close(&s.reference);
    sac_delta_decode_close(&s.decode);
    free(s.frame);
    free(s.picture);
}
