/*
 * The delta stream over a bad line: packets lost, late, twice, damaged. Whatever comes out is
 * right.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "delta_scene.h"

#include <math.h>

#include "base/alloc.h"
#include "delta/decode.h"

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
    assert_true(give(decoder, s, s->packets[2], s->sizes[2])); /* it does follow, if late */
    assert_false(give(decoder, s, s->packets[1], s->sizes[1]));
    int key = 5;
    while (!(s->packets[key][5] & 1))
        assert_false(give(decoder, s, s->packets[key], s->sizes[key])), key++;
    assert_true(give(decoder, s, s->packets[key], s->sizes[key]));
    assert_true(give(decoder, s, s->packets[key + 1], s->sizes[key + 1]));
    sac_delta_counts counts = counts_of_delta(decoder);
    assert_int_equal(counts.frames, 5);
    assert_int_equal(counts.lost, 2); /* 3, which came too early, and 4 */
    assert_int_equal(counts.late, 1);
    sac_delta_decode_close(&decoder);
}

/* A packet that was sent, as somebody else would send it with other numbers. */
typedef struct forged {
    uint8_t *bytes;
    size_t size;
} forged;

static forged forge(const stream *s, int i, uint64_t number, uint64_t stream_flip,
                    uint64_t previous)
{
    forged f = {malloc(s->sizes[i]), s->sizes[i]};
    memcpy(f.bytes, s->packets[i], f.size);
    sac_delta_put64(f.bytes + 24, number);
    f.bytes[40] ^= (uint8_t)stream_flip;
    sac_delta_put64(f.bytes + 48, previous);
    sac_delta_put64(f.bytes + f.size - 8, sac_delta_checksum(f.bytes, f.size - 8));
    return f;
}

static uint64_t checksum_of(const forged *f)
{
    return sac_delta_get64(f->bytes + f->size - 8);
}

static sac_status give_forged(sac_delta_decode *decoder, forged f)
{
    sac_delta_frame frame;
    sac_status status = sac_delta_decode_run(decoder, &frame, f.bytes, f.size, NULL);
    free(f.bytes);
    return status;
}

/* Whatever number a packet has, of this stream or of another, keyframe (0) or not (1): all that
 * follow what was there come out, and nothing is lost. After a real loss the next keyframe does. */
static void delta_one_forged_packet_stops_nothing_and_loses_nothing(void **state)
{
    const stream *s = *state;
    static const uint64_t numbers[] = {UINT64_MAX - 1,
                                       UINT64_MAX,
                                       UINT64_C(1) << 63,
                                       1000000,
                                       SAC_DELTA_REACH + 20,
                                       300,
                                       11,
                                       10,
                                       9,
                                       0};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        for (int which = 0; which < 4; which++) {
            sac_delta_decode *decoder = open_decoder(1);
            for (int i = 0; i < 10; i++)
                assert_true(give(decoder, s, s->packets[i], s->sizes[i]));
            (void)give_forged(decoder, forge(s, which % 2, numbers[k], (uint64_t)which / 2, 7));
            assert_int_equal(counts_of_delta(decoder).lost, 0);
            for (int i = 10; i < 100; i++)
                assert_true(give(decoder, s, s->packets[i], s->sizes[i]));
            assert_int_equal(counts_of_delta(decoder).lost, 0);
            (void)give_forged(decoder, forge(s, which % 2, numbers[k], (uint64_t)which / 2, 7));
            for (int i = 110; i < 150; i++) { /* ten are lost; 140 is a keyframe */
                bool is_key = s->packets[i][5] & 1,
                     came = give(decoder, s, s->packets[i], s->sizes[i]);
                assert_true(came || !is_key);
            }
            uint64_t lost = counts_of_delta(decoder).lost;
            assert_true(lost == 10 ||
                        (lost == 9 && numbers[k] / 10000 == 0)); /* it seems one of them */
            sac_delta_decode_close(&decoder);
        }
}

/* A number far away is another time, once a packet follows it; until then the old one goes on. */
static void delta_number_far_away_begins_anew_when_it_is_followed(void **state)
{
    const stream *s = *state;
    static const uint64_t far[] = {UINT64_C(1) << 40, UINT64_MAX - 1};
    for (size_t k = 0; k < 2; k++) {
        sac_delta_decode *decoder = open_decoder(1);
        for (int i = 0; i < 4; i++)
            assert_true(give(decoder, s, s->packets[i], s->sizes[i]));
        forged key = forge(s, 0, far[k], 0, 7);
        forged after = forge(s, 1, far[k] + 1, 0, checksum_of(&key));
        assert_int_equal(give_forged(decoder, key), SAC_AGAIN);
        for (int i = 4; i < 8; i++)
            assert_true(give(decoder, s, s->packets[i], s->sizes[i]));
        sac_delta_counts counts = counts_of_delta(decoder);
        assert_int_equal(counts.late, 1);
        assert_int_equal(give_forged(decoder, after), SAC_OK);
        assert_false(give(decoder, s, s->packets[8], s->sizes[8])); /* the old time is over */
        counts = counts_of_delta(decoder);
        assert_int_equal(counts.lost, 0);
        assert_int_equal(counts.late, 2);

        /* And back: the keyframe 40 is far away now, and 41 follows it. */
        assert_false(give(decoder, s, s->packets[40], s->sizes[40]));
        assert_true(give(decoder, s, s->packets[41], s->sizes[41]));
        assert_true(give(decoder, s, s->packets[42], s->sizes[42]));
        sac_delta_decode_close(&decoder);
    }
}

static void delta_packet_twice_is_shown_once(void **state)
{
    const stream *s = *state;
    sac_delta_decode *decoder = open_decoder(1);
    assert_true(give(decoder, s, s->packets[0], s->sizes[0]));
    for (int i = 40; i < 43; i++) { /* 40 does not follow, and is shown */
        assert_true(give(decoder, s, s->packets[i], s->sizes[i]));
        assert_false(give(decoder, s, s->packets[i], s->sizes[i]));
    }
    assert_int_equal(counts_of_delta(decoder).late, 3);
    assert_int_equal(counts_of_delta(decoder).lost, 39);
    sac_delta_decode_close(&decoder);
}

static sac_status refuse(void *ctx, const sac_delta_packet *packet, sac_error *err)
{
    (void)ctx;
    return sac_fail(err, packet ? SAC_E_IO : SAC_E_INVALID, "take: no packet is taken");
}

static void delta_calls_with_nothing_are_refused(void **state)
{
    sac_error err = {0};
    sac_delta_encode *encoder = NULL;
    sac_delta_decode *decoder = NULL;
    sac_delta_encode_desc there = encode_desc(W, H, 3, T);
    assert_failed(sac_delta_encode_open(NULL, &there, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_delta_encode_open(&encoder, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_delta_decode_open(&decoder, NULL, &err), SAC_E_INVALID, &err, "NULL");
    static const double bad[] = {-1, 1e7, (double)INFINITY, (double)NAN};
    for (size_t i = 0; i < 4; i++) {
        there = encode_desc(W, H, 3, T);
        there.key_interval_s = bad[i];
        assert_failed(sac_delta_encode_open(&encoder, &there, &err), SAC_E_INVALID, &err, "key");
        there = encode_desc(W, H, 3, T);
        there.refresh_s = bad[i];
        assert_failed(sac_delta_encode_open(&encoder, &there, &err), SAC_E_INVALID, &err,
                      "refresh");
    }
    const stream *s = *state;
    sac_delta_frame frame;
    sac_delta_packet packet;
    static uint8_t data[W * H * 3];
    sac_array array = frame_of(data, W, H, 3);
    there = encode_desc(W, H, 3, T);
    encoder = open_encoder(&there);
    decoder = open_decoder(1);
    assert_failed(sac_delta_encode_run(NULL, &packet, &array, 0, &err), SAC_E_INVALID, &err,
                  "plan");
    assert_failed(sac_delta_encode_run(encoder, NULL, &array, 0, &err), SAC_E_INVALID, &err,
                  "packet");
    assert_failed(sac_delta_encode_run(encoder, &packet, NULL, 0, &err), SAC_E_INVALID, &err,
                  "frame");
    const uint64_t now = 0;
    assert_failed(sac_delta_encode_run_batch(NULL, refuse, NULL, &array, &now, 1, &err),
                  SAC_E_INVALID, &err, "plan");
    assert_failed(sac_delta_encode_run_batch(encoder, NULL, NULL, &array, &now, 1, &err),
                  SAC_E_INVALID, &err, "take");
    assert_failed(sac_delta_encode_run_batch(encoder, refuse, NULL, NULL, &now, 1, &err),
                  SAC_E_INVALID, &err, "frame");
    assert_failed(sac_delta_encode_run_batch(encoder, refuse, NULL, &array, NULL, 1, &err),
                  SAC_E_INVALID, &err, "times_ns");
    assert_failed(sac_delta_decode_run(NULL, &frame, s->packets[0], s->sizes[0], &err),
                  SAC_E_INVALID, &err, "plan");
    assert_failed(sac_delta_decode_run(decoder, NULL, s->packets[0], s->sizes[0], &err),
                  SAC_E_INVALID, &err, "frame");
    assert_failed(sac_delta_decode_run(decoder, &frame, NULL, 9, &err), SAC_E_INVALID, &err,
                  "packet");
    sac_delta_encode_close(&encoder);
    sac_delta_decode_close(&decoder);
    sac_delta_encode_desc_init(NULL);
    sac_delta_decode_desc_init(NULL);
    sac_delta_encode_key(NULL);
    assert_string_equal(sac_delta_encode_get_variant(NULL), "");
    assert_string_equal(sac_delta_decode_get_variant(NULL), "");
    assert_int_equal(counts_of_delta(NULL).frames, 0);
    sac_delta_encode_close(NULL);
    sac_delta_decode_close(NULL);
}

static int refused_after;

static bool allow_some(size_t bytes)
{
    (void)bytes;
    return refused_after-- > 0;
}

/* A keyframe without memory is SAC_E_NOMEM, never damage, and the next one comes out. */
static void delta_decoder_refused_memory_says_so(void **state)
{
    const stream *s = *state;
    for (int n = 0;; n++) {
        sac_delta_decode *decoder = open_decoder(1);
        sac_delta_frame frame;
        refused_after = n;
        sac_alloc_hook(allow_some);
        sac_status status = sac_delta_decode_run(decoder, &frame, s->packets[0], s->sizes[0], NULL);
        sac_status beside = SAC_OK;
        if (status == SAC_OK)
            beside = sac_delta_decode_run(decoder, &frame, s->packets[40], s->sizes[40], NULL);
        sac_alloc_hook(NULL);
        assert_true(status == SAC_OK || status == SAC_E_NOMEM);
        assert_true(beside == SAC_OK || beside == SAC_E_NOMEM);
        assert_int_equal(counts_of_delta(decoder).damaged, 0);
        int next = status == SAC_OK && beside == SAC_OK ? 41 : 70; /* a new scene */
        assert_true(give(decoder, s, s->packets[next], s->sizes[next]));
        sac_delta_decode_close(&decoder);
        if (next == 41)
            return;
    }
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
        cmocka_unit_test(delta_one_forged_packet_stops_nothing_and_loses_nothing),
        cmocka_unit_test(delta_number_far_away_begins_anew_when_it_is_followed),
        cmocka_unit_test(delta_packet_twice_is_shown_once),
        cmocka_unit_test(delta_calls_with_nothing_are_refused),
        cmocka_unit_test(delta_decoder_refused_memory_says_so),
        cmocka_unit_test(delta_packets_that_are_none_are_refused_and_counted),
        cmocka_unit_test(delta_picture_above_limit_is_refused),
        cmocka_unit_test(delta_another_stream_begins_with_its_keyframe),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
