/*
 * The delta stream over a bad line: packets lost, late, twice, damaged. Whatever comes out is
 * right.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "delta_scene.h"

enum { W = 130, H = 50, N = 400, ROUNDS = 25, T = 20, BYTES = W * H * 3 };

typedef struct stream {
    uint8_t *frames; /* (N, H, W, 3) */
    uint8_t *packets[N];
    size_t sizes[N];
} stream;

/* All packets of a scene, a keyframe every 40 frames. */
static void record(stream *s)
{
    sac_delta_encode_desc desc = encode_desc(W, H, 3, T);
    desc.key_interval_s = 40 * (double)FRAME_NS / 1e9;
    sac_delta_encode *encoder = open_encoder(&desc);
    s->frames = malloc((size_t)N * BYTES);
    for (uint64_t i = 0; i < N; i++) {
        uint8_t *frame = s->frames + i * BYTES;
        draw(frame, i % 100 < 70 ? STILL_NOISY : MOVING, W, H, 3, i);
        sac_delta_packet p = encode(encoder, frame, W, H, 3, i);
        s->packets[i] = malloc(p.size);
        s->sizes[i] = p.size;
        memcpy(s->packets[i], p.data, p.size);
    }
    sac_delta_encode_close(&encoder);
}

static void discard(stream *s)
{
    for (int i = 0; i < N; i++)
        free(s->packets[i]);
    free(s->frames);
}

/* Gives a packet to the decoder; what comes out must be right. Returns whether anything did. */
static bool give(sac_delta_decode *decoder, const stream *s, const uint8_t *packet, size_t size)
{
    sac_delta_frame frame;
    sac_status status = sac_delta_decode_run(decoder, &frame, packet, size, NULL);
    if (status != SAC_OK) {
        assert_true(status == SAC_AGAIN || status == SAC_E_FORMAT);
        assert_null(frame.picture.data);
        return false;
    }
    assert_true(frame.frame < N);
    assert_false(frame.wants_key);
    int worst = worst_of(&frame.picture, s->frames + frame.frame * BYTES, W, H, 3);
    if (worst > T)
        fail_msg("frame %llu is off by %d", (unsigned long long)frame.frame, worst);
    return true;
}

static void delta_bad_line_shows_right_frames_and_recovers_at_keyframes(void **state)
{
    const stream *s = *state;
    uint64_t random = 7, shown = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sac_delta_decode *decoder = open_decoder(1);
        int early = -1;
        for (int i = 0; i < N; i++) {
            uint64_t r = random_next(&random);
            int fate = r % 100 == 0 ? (int)(r >> 62) : -1;
            if (fate == 0)
                continue;
            if (fate == 1 && i + 1 < N) {
                early = i + 1;
                shown += give(decoder, s, s->packets[i + 1], s->sizes[i + 1]);
            }
            if (fate == 2) {
                uint8_t *bad = malloc(s->sizes[i]);
                memcpy(bad, s->packets[i], s->sizes[i]);
                bad[(r >> 8) % s->sizes[i]] ^= (uint8_t)(1 << (r >> 40) % 8);
                assert_false(give(decoder, s, bad, s->sizes[i]));
                free(bad);
                continue;
            }
            bool came = give(decoder, s, s->packets[i], s->sizes[i]);
            shown += came;
            bool is_key = s->packets[i][5] & 1, was_early = i == early;
            assert_true(came || !is_key || was_early || fate == 1);
            if (fate == 3)
                assert_false(give(decoder, s, s->packets[i], s->sizes[i]));
        }
        sac_delta_decode_close(&decoder);
    }
    assert_true(shown > ROUNDS * N / 2);
}

static void delta_keyframe_after_loss_is_shown(void **state)
{
    const stream *s = *state;
    sac_delta_decode *decoder = open_decoder(1);
    sac_delta_frame frame;
    assert_int_equal(sac_delta_decode_run(decoder, &frame, s->packets[1], s->sizes[1], NULL),
                     SAC_AGAIN);
    assert_true(frame.wants_key);
    assert_true(give(decoder, s, s->packets[0], s->sizes[0]));
    assert_true(give(decoder, s, s->packets[1], s->sizes[1]));
    assert_int_equal(sac_delta_decode_run(decoder, &frame, s->packets[3], s->sizes[3], NULL),
                     SAC_AGAIN);
    assert_true(frame.wants_key);
    assert_int_equal(sac_delta_decode_run(decoder, &frame, s->packets[2], s->sizes[2], NULL),
                     SAC_AGAIN);
    assert_true(frame.wants_key);
    int key = 4;
    while (!(s->packets[key][5] & 1))
        assert_false(give(decoder, s, s->packets[key], s->sizes[key])), key++;
    assert_true(give(decoder, s, s->packets[key], s->sizes[key]));
    assert_true(give(decoder, s, s->packets[key + 1], s->sizes[key + 1]));
    sac_delta_counts counts = counts_of_delta(decoder);
    assert_int_equal(counts.frames, 4);
    assert_int_equal(counts.lost, 1);
    assert_int_equal(counts.late, 1);
    sac_delta_decode_close(&decoder);
}

static void delta_packets_that_are_none_are_refused_and_counted(void **state)
{
    const stream *s = *state;
    sac_delta_decode *decoder = open_decoder(1);
    assert_true(give(decoder, s, s->packets[0], s->sizes[0]));
    uint8_t *copy = malloc(s->sizes[1] + 1);
    memcpy(copy, s->packets[1], s->sizes[1]);
    copy[s->sizes[1]] = 0;
    for (size_t n = 0; n < s->sizes[1]; n++)
        assert_false(give(decoder, s, copy, n));
    assert_false(give(decoder, s, copy, s->sizes[1] + 1));
    for (size_t i = 0; i < s->sizes[1]; i++) {
        copy[i] ^= 0x10;
        assert_false(give(decoder, s, copy, s->sizes[1]));
        copy[i] ^= 0x10;
    }
    sac_delta_counts counts = counts_of_delta(decoder);
    assert_int_equal(counts.foreign, 5 + 5);
    assert_int_equal(counts.truncated + counts.damaged, 2 * s->sizes[1] + 1 - 10);
    assert_true(give(decoder, s, s->packets[1], s->sizes[1])); /* the picture stayed as it was */
    free(copy);
    sac_delta_decode_close(&decoder);
}

static void delta_picture_above_limit_is_refused(void **state)
{
    const stream *s = *state;
    sac_delta_decode_desc desc;
    sac_delta_decode_desc_init(&desc);
    desc.n_threads = 1;
    desc.max_pixels = W * H;
    sac_delta_decode *decoder = NULL;
    sac_error err = {0};
    assert_ok(sac_delta_decode_open(&decoder, &desc, &err), &err);
    assert_false(give(decoder, s, s->packets[0], s->sizes[0]));
    sac_delta_decode_close(&decoder);
    desc.max_pixels = 192 * 64;
    assert_ok(sac_delta_decode_open(&decoder, &desc, &err), &err);
    assert_true(give(decoder, s, s->packets[0], s->sizes[0]));
    sac_delta_decode_close(&decoder);
}

static void delta_another_stream_begins_with_its_keyframe(void **state)
{
    const stream *s = *state;
    static uint8_t data[W * H * 3];
    sac_delta_encode_desc desc = encode_desc(W, H, 3, 0);
    sac_delta_encode *encoder = open_encoder(&desc);
    sac_delta_decode *decoder = open_decoder(2);
    for (int i = 0; i < 5; i++)
        assert_true(give(decoder, s, s->packets[i], s->sizes[i]));
    for (uint64_t i = 0; i < 3; i++) {
        draw(data, NOISE, W, H, 3, i);
        sac_delta_packet p = encode(encoder, data, W, H, 3, i);
        sac_delta_frame frame;
        assert_int_equal(sac_delta_decode_run(decoder, &frame, p.data, p.size, NULL), SAC_OK);
        assert_int_equal(worst_of(&frame.picture, data, W, H, 3), 0);
    }
    assert_false(give(decoder, s, s->packets[5], s->sizes[5]));
    sac_delta_encode_close(&encoder);
    sac_delta_decode_close(&decoder);
}

static stream recorded;

static int set_up(void **state)
{
    record(&recorded);
    *state = &recorded;
    return 0;
}

static int tear_down(void **state)
{
    discard(*state);
    return 0;
}

int main(void)
{
    if (!has_delta())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_bad_line_shows_right_frames_and_recovers_at_keyframes),
        cmocka_unit_test(delta_keyframe_after_loss_is_shown),
        cmocka_unit_test(delta_packets_that_are_none_are_refused_and_counted),
        cmocka_unit_test(delta_picture_above_limit_is_refused),
        cmocka_unit_test(delta_another_stream_begins_with_its_keyframe),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
