/*
 * Frames as arrays, in packets of both versions: put together, and over a link.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frame_arrays.h"

/* What came of arrays: the frame that was completed last. */
typedef struct array_sink {
    uint8_t *slot;
    size_t bytes;
    int64_t frames;
} array_sink;

static uint8_t *array_slot(void *ctx)
{
    return ((array_sink *)ctx)->slot;
}

static bool array_complete(void *ctx, const sac_frame_arrival *frame)
{
    array_sink *s = ctx;
    s->frames++;
    for (size_t i = 0; i < s->bytes; i++)
        if (s->slot[i] != scene_pixel(frame->counter, i))
            fail_msg("frame %" PRIu64 ": byte %zu", frame->counter, i);
    return true;
}

static sac_frame_receiver_desc array_desc(array_sink *sink, const sac_array_packet *p)
{
    sac_frame_receiver_desc desc;
    sac_frame_receiver_desc_init(&desc);
    *sink = (array_sink){.bytes = bytes_of(p), .slot = malloc(bytes_of(p))};
    assert_non_null(sink->slot);
    desc.dtype = p->dtype;
    desc.n_dims = p->n_dims;
    memcpy(desc.shape, p->shape, sizeof desc.shape);
    desc.sink = (sac_frame_sink){array_slot, array_complete, sink};
    desc.in_flight = 2;
    return desc;
}

static sac_frame_assembler *open_assembler(const sac_frame_receiver_desc *desc)
{
    sac_frame_assembler *a = NULL;
    sac_error err = {0};
    assert_ok(sac_frame_assembler_open(&a, desc, &err), &err);
    return a;
}

static sac_packet_kind give_part(sac_frame_assembler *a, sac_array_packet *p, int32_t fragment,
                                 const uint8_t *frame)
{
    size_t n;
    p->fragment = fragment;
    uint8_t *d = write_part(&n, p, frame, NULL);
    const sac_packet_kind kind = sac_frame_assembler_take(a, d, n, &home, 0);
    free(d);
    return kind;
}

/* Fragments from the last to the first, every third twice. */
static void assembler_gets_arrays_of_any_size(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes;
        int32_t fragments;
    } of[] = {{1, 1},      {1, 1},         {2, 2},          {65403, 1},       {65404, 2},
              {342016, 6}, {342016, 1336}, {4000000, 5000}, {10240000, 40000}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        sac_array_packet p = an_array();
        array_sink sink;
        p.dtype = SAC_U8;
        p.n_dims = 1;
        p.n_fragments = of[k].fragments;
        memset(p.shape, 0, sizeof p.shape);
        p.shape[0] = of[k].bytes;
        const sac_frame_receiver_desc desc = array_desc(&sink, &p);
        sac_frame_assembler *a = open_assembler(&desc);
        uint8_t *frame = draw_frame(&p);
        for (int32_t i = p.n_fragments - 1; i >= 0; i--) {
            assert_int_equal(give_part(a, &p, i, frame), SAC_PACKET_TAKEN);
            if (i % 3 == 1)
                assert_int_equal(give_part(a, &p, i, frame), SAC_PACKET_DUPLICATE);
        }
        const sac_frame_counts c = counts_of_assembler(a);
        assert_conserved(&c);
        assert_int_equal(sink.frames, 1);
        assert_int_equal(c.lost, 0);
        sac_frame_assembler_close(&a);
        free(frame);
        free(sink.slot);
    }
}

/* Frames in turn as version 1 and 2, whole and in parts, of which some never come. */
static void assembler_with_both_versions_in_one_stream_takes_both(void **state)
{
    (void)state;
    enum { N = 400 };
    sac_array_packet p = an_array();
    array_sink sink;
    p.dtype = SAC_U8;
    p.n_dims = 2;
    memset(p.shape, 0, sizeof p.shape);
    p.shape[0] = 33;
    p.shape[1] = 17;
    sac_frame_receiver_desc desc = array_desc(&sink, &p);
    desc.n_dims = 0; /* as a receiver of 0.1 says it */
    desc.dtype = 0;
    desc.h = 33;
    desc.w = 17;
    sac_frame_assembler *a = open_assembler(&desc);
    int64_t lost = 0;
    for (uint64_t i = 0; i < N; i++) {
        p.counter = i;
        p.version = i % 2 ? SAC_PACKET_VERSION : SAC_PACKET_ARRAY_VERSION;
        p.n_fragments = 1 + (int32_t)(i % 5);
        const bool loses = i % 11 == 7; /* its first fragment */
        lost += loses;
        uint8_t *frame = draw_frame(&p);
        for (int32_t k = loses; k < p.n_fragments; k++)
            assert_int_equal(give_part(a, &p, k, frame), SAC_PACKET_TAKEN);
        free(frame);
    }
    const sac_frame_counts c = counts_of_assembler(a);
    assert_conserved(&c);
    assert_int_equal(c.lost, lost);
    assert_int_equal(sink.frames, N - lost);
    sac_frame_assembler_close(&a);
    free(sink.slot);
}

static void assembler_with_fragments_of_both_versions_keeps_the_first(void **state)
{
    (void)state;
    sac_array_packet p = an_array();
    array_sink sink;
    p.dtype = SAC_U8;
    p.n_dims = 2;
    memset(p.shape, 0, sizeof p.shape);
    p.shape[0] = p.shape[1] = 10;
    p.n_fragments = 2;
    const sac_frame_receiver_desc desc = array_desc(&sink, &p);
    sac_frame_assembler *a = open_assembler(&desc);
    uint8_t *frame = draw_frame(&p);
    assert_int_equal(give_part(a, &p, 0, frame), SAC_PACKET_TAKEN);
    p.version = SAC_PACKET_VERSION;
    assert_int_equal(give_part(a, &p, 1, frame), SAC_PACKET_MALFORMED);
    p.version = SAC_PACKET_ARRAY_VERSION;
    assert_int_equal(give_part(a, &p, 1, frame), SAC_PACKET_TAKEN);
    assert_int_equal(sink.frames, 1);
    sac_frame_assembler_close(&a);
    free(frame);
    free(sink.slot);
}

static void assembler_with_other_arrays_says_which(void **state)
{
    (void)state;
    sac_array_packet p = an_array();
    array_sink sink;
    const sac_frame_receiver_desc desc = array_desc(&sink, &p);
    sac_frame_assembler *a = open_assembler(&desc);
    uint8_t *frame = draw_frame(&p);
    p.dtype = SAC_F64; /* as many bytes */
    assert_int_equal(give_part(a, &p, 0, frame), SAC_PACKET_WRONG_SHAPE);
    sac_frame_counts c = counts_of_assembler(a);
    assert_int_equal(c.other_dtype, SAC_F64);
    assert_int_equal(c.other_n_dims, 3);
    assert_memory_equal(c.other_shape, p.shape, sizeof p.shape);
    assert_int_equal(c.other_w, 0);
    p.dtype = SAC_U8;
    p.n_dims = 2;
    p.shape[2] = 0;
    assert_int_equal(give_part(a, &p, 0, frame), SAC_PACKET_WRONG_SHAPE);
    c = counts_of_assembler(a);
    assert_int_equal(c.other_w, 3);
    assert_int_equal(c.other_h, 2);
    assert_int_equal(c.expected, 0);
    sac_frame_assembler_close(&a);
    free(frame);
    free(sink.slot);
}

static void arrays_with_a_bad_shape_are_refused_at_open(void **state)
{
    (void)state;
    static const struct {
        int32_t dtype, n_dims;
        int64_t shape[SAC_PACKET_MOST_AXES];
    } bad[] = {{0, 1, {1}},
               {SAC_C128 + 1, 1, {1}},
               {SAC_U8, -1, {1}},
               {SAC_U8, 5, {1, 1, 1, 1}},
               {SAC_U8, 2, {1, 0}},
               {SAC_U8, 2, {1, -1}},
               {SAC_U8, 1, {SAC_PACKET_MOST_FRAME + 1}},
               {SAC_U8, 1, {INT64_MAX}},
               {SAC_C128, 4, {1 << 20, 1 << 20, 1 << 20, 1 << 20}}};
    const sac_array_packet p = an_array();
    array_sink sink;
    sac_frame_receiver_desc desc = array_desc(&sink, &p);
    sac_frame_sender_desc to;
    sac_frame_sender_desc_init(&to);
    to.to = "udp://127.0.0.1:9";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sac_frame_assembler *a = NULL;
        sac_frame_sender *s = NULL;
        desc.dtype = to.dtype = bad[i].dtype;
        desc.n_dims = to.n_dims = bad[i].n_dims;
        memcpy(desc.shape, bad[i].shape, sizeof desc.shape);
        memcpy(to.shape, bad[i].shape, sizeof to.shape);
        assert_int_equal(sac_frame_assembler_open(&a, &desc, NULL), SAC_E_INVALID);
        assert_int_equal(sac_frame_sender_open(&s, &to, NULL), SAC_E_INVALID);
        assert_null(a);
        assert_null(s);
    }
    free(sink.slot);
}

/* One frame after the other over the loopback, so that the socket always has room. */
static void send_arrays(const sac_array_packet *p, int32_t packet_bytes, int32_t fragments,
                        const sac_packet_key *key)
{
    enum { N = 30 };
    array_sink sink;
    char url[64];
    sac_frame_receiver_desc at = array_desc(&sink, p);
    sac_frame_sender_desc to;
    sac_error err = {0};
    at.listen = "udp://127.0.0.1:0";
    sac_frame_sender_desc_init(&to);
    at.key = to.key = key;
    to.dtype = p->dtype;
    to.n_dims = p->n_dims;
    to.packet_bytes = packet_bytes;
    memcpy(to.shape, p->shape, sizeof to.shape);
    sac_frame_receiver *r = open_receiver(&at);
    sac_frame_sender *s = open_sender(url, r, &to);
    assert_int_equal(sac_frame_sender_get_fragments(s), fragments);
    uint8_t *frame = malloc(sink.bytes);
    for (uint64_t i = 0; i < N; i++) {
        scene_draw(frame, i, sink.bytes);
        assert_ok(sac_frame_sender_send(s, frame, NULL, 1, &err), &err);
        receive_all(r, sent_of(s).datagrams);
    }
    const sac_frame_counts c = counts_of_receiver(r);
    assert_conserved(&c);
    assert_int_equal(c.frames, N);
    assert_int_equal(c.datagrams, N * fragments);
    assert_int_equal(sink.frames, N);
    sac_frame_sender_close(&s);
    sac_frame_receiver_close(&r);
    free(frame);
    free(sink.slot);
}

static void link_of_arrays_brings_every_frame(void **state)
{
    (void)state;
    sac_array_packet p = an_array();
    if (!has_loopback())
        skip_test("no UDP socket at 127.0.0.1 here");
    send_arrays(&p, 0, 1, NULL);
    send_arrays(&p, 144, 6, NULL);
    p.dtype = SAC_I16;
    p.shape[2] = 4000;
    send_arrays(&p, 0, 1, NULL);
    send_arrays(&p, 9000, 6, NULL);
    if (!sac_packet_can_use_key())
        skip_test("this build has no keys (libsodium)");
    send_arrays(&p, 9000, 6, &a_key);
}

/* Small pictures as version 1, so that every receiver understands them; else version 2. */
static void sender_of_pictures_uses_version_1_where_it_can(void **state)
{
    (void)state;
    sac_array_packet p = an_array();
    if (!has_loopback())
        skip_test("no UDP socket at 127.0.0.1 here");
    p.dtype = SAC_U8;
    p.n_dims = 2;
    memset(p.shape, 0, sizeof p.shape);
    p.shape[0] = 2;
    p.shape[1] = 100;
    send_arrays(&p, 180, 2, NULL); /* 80 + 100: with the longer header they would be three */
    p.n_dims = 1;
    p.shape[0] = 200;
    p.shape[1] = 0;
    send_arrays(&p, 180, 3, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembler_gets_arrays_of_any_size),
        cmocka_unit_test(assembler_with_both_versions_in_one_stream_takes_both),
        cmocka_unit_test(assembler_with_fragments_of_both_versions_keeps_the_first),
        cmocka_unit_test(assembler_with_other_arrays_says_which),
        cmocka_unit_test(arrays_with_a_bad_shape_are_refused_at_open),
        cmocka_unit_test(link_of_arrays_brings_every_frame),
        cmocka_unit_test(sender_of_pictures_uses_version_1_where_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
