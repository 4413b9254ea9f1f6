/*
 * The delta stream without loss: errors within T, T = 0 exact, the same bytes whatever the threads
 * and variants, keyframes, refresh, refusals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "delta_scene.h"

#include <saccade/device.h>

static const struct {
    int64_t w, h;
} sizes[] = {{1, 1}, {7, 3}, {63, 17}, {64, 16}, {65, 33}, {131, 97}, {200, 301}};
#define N_SIZES (sizeof sizes / sizeof sizes[0])

/* Frames through both ends; returns the worst error. */
static int round_trip(const sac_delta_encode_desc *desc, sac_delta_decode *decoder, scene_kind kind,
                      uint64_t n_frames)
{
    size_t n = (size_t)(desc->w * desc->h * desc->n_channels);
    uint8_t *data = malloc(n);
    sac_delta_encode *encoder = open_encoder(desc);
    int worst = 0;
    for (uint64_t i = 0; i < n_frames; i++) {
        draw(data, kind, desc->w, desc->h, desc->n_channels, i);
        sac_delta_packet p = encode(encoder, data, desc->w, desc->h, desc->n_channels, i);
        sac_delta_frame frame;
        assert_int_equal(sac_delta_decode_run(decoder, &frame, p.data, p.size, NULL), SAC_OK);
        assert_int_equal(frame.frame, i);
        assert_int_equal(frame.time_ns, i * FRAME_NS);
        assert_int_equal(frame.threshold, desc->threshold);
        assert_false(frame.wants_key);
        int d = worst_of(&frame.picture, data, desc->w, desc->h, desc->n_channels);
        worst = d > worst ? d : worst;
    }
    sac_delta_encode_close(&encoder);
    free(data);
    return worst;
}

/* One decoder for all: every stream after the first is another size. */
static void delta_any_frames_are_never_off_by_more_than_threshold(void **state)
{
    (void)state;
    static const int32_t thresholds[] = {0, 1, 20, 254};
    static const int32_t channels[] = {1, 3, 4};
    sac_delta_decode *decoder = open_decoder(1);
    for (size_t s = 0; s < N_SIZES; s++)
        for (int kind = 0; kind < SCENES; kind++)
            for (int c = 0; c < 3; c++)
                for (int t = 0; t < 4; t++) {
                    sac_delta_encode_desc desc =
                        encode_desc(sizes[s].w, sizes[s].h, channels[c], thresholds[t]);
                    desc.scene_change = kind != FLIPS;
                    desc.refresh_s = t == 2 ? 0.3 : 0;
                    int worst = round_trip(&desc, decoder, (scene_kind)kind, 10);
                    if (worst > thresholds[t])
                        fail_msg("%lld x %lld x %d, scene %d, T %d: off by %d",
                                 (long long)sizes[s].w, (long long)sizes[s].h, channels[c], kind,
                                 thresholds[t], worst);
                }
    sac_delta_decode_close(&decoder);
}

static void delta_thousands_of_frames_do_not_drift(void **state)
{
    (void)state;
    sac_delta_decode *decoder = open_decoder(1);
    sac_delta_encode_desc desc = encode_desc(70, 20, 3, 20);
    desc.key_interval_s = 0;
    assert_true(round_trip(&desc, decoder, STILL_NOISY, 10000) <= 20);
    desc.threshold = 0;
    assert_int_equal(round_trip(&desc, decoder, MOVING, 2000), 0);
    assert_int_equal(counts_of_delta(decoder).frames, 12000);
    sac_delta_decode_close(&decoder);
}

static void delta_fast_is_lossless_too(void **state)
{
    (void)state;
    sac_delta_encode_desc desc = encode_desc(131, 97, 3, 0);
    desc.fast = true;
    sac_delta_encode *probe = NULL;
    sac_error err = {0};
    if (sac_delta_encode_open(&probe, &desc, &err) == SAC_E_UNSUPPORTED)
        skip_test("this build has no fast delta streams (lz4)");
    sac_delta_encode_close(&probe);
    sac_delta_decode *decoder = open_decoder(1);
    for (int kind = 0; kind < SCENES; kind++)
        assert_int_equal(round_trip(&desc, decoder, (scene_kind)kind, 8), 0);
    sac_delta_decode_close(&decoder);
}

/* A checksum over all packets of a scene. */
static uint64_t bytes_of(int32_t n_threads, const char *variant, ptrdiff_t padding, bool flipped)
{
    enum { W = 150, H = 700 };
    sac_delta_encode_desc desc = encode_desc(W, H, 3, 12);
    desc.n_threads = n_threads;
    desc.variant = variant;
    desc.refresh_s = 0.2;
    sac_delta_encode *encoder = open_encoder(&desc);
    ptrdiff_t row = W * 3 + padding;
    uint8_t *data = malloc(W * H * 3), *rows = malloc((size_t)(row * H));
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 6; i++) {
        draw(data, i < 3 ? STILL_NOISY : MOVING, W, H, 3, i);
        sac_array frame = frame_of(data, W, H, 3);
        for (ptrdiff_t y = 0; y < H; y++)
            memcpy(rows + (flipped ? H - 1 - y : y) * row, data + y * W * 3, W * 3);
        frame.data = flipped ? rows + (H - 1) * row : rows;
        frame.stride[0] = flipped ? -row : row;
        sac_delta_packet p;
        assert_int_equal(sac_delta_encode_run(encoder, &p, &frame, i * FRAME_NS, NULL), SAC_OK);
        for (size_t k = 0; k < p.size; k++)
            sum = (sum ^ p.data[k]) * UINT64_C(0x100000001B3);
    }
    sac_delta_encode_close(&encoder);
    free(data);
    free(rows);
    return sum;
}

static void delta_bytes_do_not_depend_on_threads_variants_or_strides(void **state)
{
    (void)state;
    uint64_t wanted = bytes_of(1, NULL, 0, false);
    assert_int_equal(bytes_of(2, NULL, 0, false), wanted);
    assert_int_equal(bytes_of(5, NULL, 0, false), wanted);
    assert_int_equal(bytes_of(1, "ref", 0, false), wanted);
    assert_int_equal(bytes_of(1, "plain", 0, false), wanted);
    assert_int_equal(bytes_of(2, NULL, 13, false), wanted);
    assert_int_equal(bytes_of(1, NULL, 5, true), wanted);
}

static void delta_keyframes_come_when_asked_due_or_the_scene_changes(void **state)
{
    (void)state;
    enum { W = 100, H = 80 };
    static uint8_t data[W * H * 3];
    sac_delta_encode_desc desc = encode_desc(W, H, 3, 20);
    desc.key_interval_s = 5 * (double)FRAME_NS / 1e9;
    sac_delta_encode *encoder = open_encoder(&desc);
    static const bool wanted[] = {true, false, true, false, false, false, false, true, true, false};
    for (uint64_t i = 0; i < 10; i++) {
        if (i == 2)
            sac_delta_encode_key(encoder);
        memset(data, i < 8 ? 100 : 200, sizeof data);
        assert_int_equal(encode(encoder, data, W, H, 3, i).is_key, wanted[i]);
    }
    sac_delta_encode_close(&encoder);
}

static void delta_refresh_makes_still_blocks_lossless(void **state)
{
    (void)state;
    enum { W = 200, H = 100 };
    static uint8_t data[W * H * 3];
    sac_delta_encode_desc desc = encode_desc(W, H, 3, 20);
    desc.refresh_s = 10 * (double)FRAME_NS / 1e9;
    sac_delta_encode *encoder = open_encoder(&desc);
    sac_delta_decode *decoder = open_decoder(1);
    int worst = 0;
    for (uint64_t i = 0; i < 12; i++) {
        draw(data, STILL_NOISY, W, H, 3, i == 0 ? 0 : 1);
        sac_delta_packet p = encode(encoder, data, W, H, 3, i);
        sac_delta_frame frame;
        assert_int_equal(sac_delta_decode_run(decoder, &frame, p.data, p.size, NULL), SAC_OK);
        worst = worst_of(&frame.picture, data, W, H, 3);
        assert_true(i != 1 || worst > 0);
    }
    assert_int_equal(worst, 0);
    sac_delta_encode_close(&encoder);
    sac_delta_decode_close(&decoder);
}

enum { BATCH = 7, BATCH_W = 70, BATCH_H = 35 };

/* Packets of a batch against those of single runs. */
typedef struct batch {
    sac_delta_encode *alone;
    uint8_t frames[BATCH][BATCH_W * BATCH_H * 3];
    int n, last; /* packets so far; the batch is ended after the last, -1: never */
} batch;

static sac_status compare_packet(void *ctx, const sac_delta_packet *packet, sac_error *err)
{
    batch *b = ctx;
    (void)err;
    const sac_delta_packet want =
        encode(b->alone, b->frames[b->n], BATCH_W, BATCH_H, 3, (uint64_t)b->n);
    assert_int_equal(packet->size, want.size);
    assert_memory_equal(packet->data, want.data, want.size);
    assert_int_equal(packet->frame, b->n);
    return b->n++ == b->last ? SAC_CANCELLED : SAC_OK;
}

static void delta_batch_gives_the_packets_of_single_runs(void **state)
{
    (void)state;
    static batch b = {.last = 2};
    const sac_delta_encode_desc desc = encode_desc(BATCH_W, BATCH_H, 3, 4);
    sac_delta_encode *plan = open_encoder(&desc);
    sac_error err = {0};
    sac_array frames[BATCH];
    uint64_t times_ns[BATCH];
    b.alone = open_encoder(&desc);
    for (uint64_t i = 0; i < BATCH; i++) {
        draw(b.frames[i], i < 4 ? STILL_NOISY : MOVING, BATCH_W, BATCH_H, 3, i);
        frames[i] = frame_of(b.frames[i], BATCH_W, BATCH_H, 3);
        times_ns[i] = i * FRAME_NS;
    }
    assert_ok(sac_delta_encode_run_batch(plan, compare_packet, &b, NULL, NULL, 0, &err), &err);
    assert_int_equal(b.n, 0);
    assert_int_equal(
        sac_delta_encode_run_batch(plan, compare_packet, &b, frames, times_ns, BATCH, &err),
        SAC_CANCELLED);
    assert_int_equal(b.n, 3); /* the others were not encoded */
    assert_ok(sac_delta_encode_run_batch(plan, compare_packet, &b, frames + b.n, times_ns + b.n,
                                         BATCH - b.n, &err),
              &err);
    assert_int_equal(b.n, BATCH);
    frames[1].shape[0] = 1;
    assert_failed(sac_delta_encode_run_batch(plan, compare_packet, &b, frames, times_ns, 2, &err),
                  SAC_E_SHAPE, &err, "frame");
    assert_int_equal(b.n, BATCH); /* nothing was */
    sac_delta_encode_close(&b.alone);
    sac_delta_encode_close(&plan);
}

static void delta_on_the_cpu_refuses_what_is_for_a_gpu(void **state)
{
    (void)state;
    sac_error err = {0};
    int stream;
    sac_delta_encode *encoder = NULL;
    sac_delta_encode_desc there = encode_desc(64, 16, 3, 20);
    there.stream = &stream;
    assert_failed(sac_delta_encode_open(&encoder, &there, &err), SAC_E_INVALID, &err, "stream");
    sac_delta_decode *decoder = NULL;
    sac_delta_decode_desc back;
    sac_delta_decode_desc_init(&back);
    back.stream = &stream;
    assert_failed(sac_delta_decode_open(&decoder, &back, &err), SAC_E_INVALID, &err, "stream");
    back.stream = NULL;
    back.on_device = true;
    assert_failed(sac_delta_decode_open(&decoder, &back, &err), SAC_E_INVALID, &err, "on_device");
}

static void delta_encode_refuses_what_it_cannot_do(void **state)
{
    (void)state;
    sac_delta_encode *plan = NULL;
    sac_error err = {0};
    sac_delta_encode_desc desc = encode_desc(64, 16, 2, 20);
    assert_failed(sac_delta_encode_open(&plan, &desc, &err), SAC_E_SHAPE, &err, "n_channels");
    desc = encode_desc(16385, 16, 3, 20);
    assert_failed(sac_delta_encode_open(&plan, &desc, &err), SAC_E_SHAPE, &err, "w, h");
    desc = encode_desc(64, 16, 3, 255);
    assert_failed(sac_delta_encode_open(&plan, &desc, &err), SAC_E_INVALID, &err, "threshold");
    desc = encode_desc(64, 16, 3, 20);
    desc.variant = "nonsense";
    assert_failed(sac_delta_encode_open(&plan, &desc, &err), SAC_E_INVALID, &err, "nonsense");
    desc.variant = NULL;
    plan = open_encoder(&desc);
    static uint8_t data[64 * 16 * 4];
    sac_array frame = frame_of(data, 64, 16, 4);
    sac_delta_packet packet;
    assert_int_equal(sac_delta_encode_run(plan, &packet, &frame, 0, NULL), SAC_E_SHAPE);
    sac_delta_encode_close(&plan);
    assert_null(plan);
}

int main(void)
{
    if (!has_delta())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_any_frames_are_never_off_by_more_than_threshold),
        cmocka_unit_test(delta_thousands_of_frames_do_not_drift),
        cmocka_unit_test(delta_fast_is_lossless_too),
        cmocka_unit_test(delta_bytes_do_not_depend_on_threads_variants_or_strides),
        cmocka_unit_test(delta_keyframes_come_when_asked_due_or_the_scene_changes),
        cmocka_unit_test(delta_refresh_makes_still_blocks_lossless),
        cmocka_unit_test(delta_batch_gives_the_packets_of_single_runs),
        cmocka_unit_test(delta_on_the_cpu_refuses_what_is_for_a_gpu),
        cmocka_unit_test(delta_encode_refuses_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
