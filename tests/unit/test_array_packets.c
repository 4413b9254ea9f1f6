/*
 * Packets of version 2, frames as arrays: written, parsed, and what is refused of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frame_arrays.h"

static void assert_same(const sac_array_packet *a, const sac_array_packet *b)
{
    assert_int_equal(a->stream, b->stream);
    assert_int_equal(a->counter, b->counter);
    assert_int_equal(a->sent_ns, b->sent_ns);
    assert_int_equal(a->laser_on, b->laser_on);
    assert_int_equal(a->x, b->x);
    assert_int_equal(a->y, b->y);
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->n_dims, b->n_dims);
    assert_memory_equal(a->shape, b->shape, sizeof a->shape);
    assert_int_equal(a->fragment, b->fragment);
    assert_int_equal(a->n_fragments, b->n_fragments);
}

static void array_packet_that_is_written_is_parsed_alike(void **state)
{
    (void)state;
    for (int32_t dtype = SAC_U8; dtype <= SAC_C128; dtype++)
        for (int32_t n_dims = 1; n_dims <= SAC_PACKET_MOST_AXES; n_dims++)
            for (int32_t i = 0; i < 3; i++) {
                sac_array_packet p = an_array(), back;
                const int64_t shape[] = {7, 1, 3, 2};
                p.dtype = dtype;
                p.n_dims = n_dims;
                memset(p.shape, 0, sizeof p.shape);
                memcpy(p.shape, shape, (size_t)n_dims * sizeof *shape);
                p.n_fragments = 3;
                p.fragment = i;
                const sac_packet_key *key = i == 1 && sac_packet_can_use_key() ? &a_key : NULL;
                uint8_t *frame = draw_frame(&p);
                size_t n, offset, size;
                uint8_t *d = write_part(&n, &p, frame, key);
                const uint8_t *samples;
                assert_int_equal(sac_array_packet_parse(&back, &samples, d, n, key),
                                 SAC_PACKET_TAKEN);
                assert_same(&p, &back);
                assert_true(sac_array_packet_part(&back, &offset, &size));
                assert_memory_equal(samples, frame + offset, size);
                free(d);
                free(frame);
            }
}

static void array_packet_has_the_bytes_of_its_page(void **state)
{
    (void)state;
    sac_array_packet p = an_array();
    uint8_t *frame = draw_frame(&p);
    size_t n;
    p.n_fragments = 2;
    p.fragment = 1;
    uint8_t *d = write_part(&n, &p, frame, NULL);
    static const uint8_t middle[] = {12, 3, 0, 0, 0, 0,   0, 2, 0, 0,   0, 3, 0, 0, 0,
                                     5,  0, 0, 0, 0, 0,   0, 0, 1, 0,   0, 0, 2, 0, 0,
                                     0,  0, 0, 0, 0, 120, 0, 0, 0, 120, 0, 0, 0, 0};
    assert_int_equal(n, HEAD + 120);
    assert_memory_equal(d, "SACF\2\0\0\150", 8);
    assert_memory_equal(d + 44, middle, sizeof middle);
    /* The functions of version 1 know nothing of it. */
    sac_frame_packet f;
    const uint8_t *pixels;
    assert_int_equal(sac_frame_packet_parse(&f, &pixels, d, n, NULL), SAC_PACKET_FOREIGN);
    free(d);
    free(frame);
}

static void array_packet_of_version_1_is_that_of_its_own_functions(void **state)
{
    (void)state;
    uint8_t pixels[15], a[HEAD], b[HEAD];
    sac_array_packet p = an_array();
    scene_draw(pixels, 5, sizeof pixels);
    p.version = SAC_PACKET_VERSION;
    p.dtype = SAC_U8;
    p.n_dims = 2;
    p.shape[0] = 3;
    p.shape[1] = 5;
    p.shape[2] = 0;
    sac_frame_packet f = {.stream = p.stream,
                          .counter = p.counter,
                          .sent_ns = p.sent_ns,
                          .laser_on = p.laser_on,
                          .x = p.x,
                          .y = p.y,
                          .w = 5,
                          .h = 3,
                          .n_fragments = 1};
    assert_int_equal(sac_array_packet_head(a, &p, pixels, NULL), SAC_PACKET_HEADER);
    assert_true(sac_frame_packet_head(b, &f, pixels, NULL));
    assert_memory_equal(a, b, SAC_PACKET_HEADER);
    p.dtype = SAC_I8;
    assert_int_equal(sac_array_packet_head(a, &p, pixels, NULL), 0);
    p.dtype = SAC_U8;
    p.shape[0] = SAC_PACKET_MOST_SIDE + 1;
    assert_int_equal(sac_array_packet_head(a, &p, pixels, NULL), 0);
}

static void array_packet_with_any_byte_changed_or_cut_is_refused(void **state)
{
    (void)state;
    sac_array_packet p = an_array(), back;
    const uint8_t *samples;
    uint8_t *frame = draw_frame(&p);
    size_t n;
    uint8_t *d = write_part(&n, &p, frame, NULL);
    for (size_t i = 0; i < n; i++) {
        d[i] ^= 0x20;
        assert_int_not_equal(sac_array_packet_parse(&back, &samples, d, n, NULL), SAC_PACKET_TAKEN);
        d[i] ^= 0x20;
        uint8_t *cut = malloc(i ? i : 1);
        memcpy(cut, d, i);
        assert_int_equal(sac_array_packet_parse(&back, &samples, cut, i, NULL),
                         SAC_PACKET_TRUNCATED);
        free(cut);
    }
    free(d);
    free(frame);
}

/* A number of a header set, and the checksum made right again. */
static void array_packet_with_hostile_numbers_is_malformed(void **state)
{
    (void)state;
    static const struct {
        int at, bytes;
        uint64_t value;
    } hostile[] = {{44, 1, 0},
                   {44, 1, 14},
                   {44, 1, 255},
                   {45, 1, 0},
                   {45, 1, 2},
                   {45, 1, 4},
                   {45, 1, 255},
                   {46, 2, 1},
                   {48, 4, 0},
                   {48, 4, 1},
                   {48, 4, UINT32_MAX},
                   {48, 4, INT32_MAX},
                   {48, 8, UINT64_MAX},
                   {56, 8, UINT64_MAX},
                   {60, 4, 1},
                   {64, 4, 1},
                   {64, 4, UINT32_MAX},
                   {68, 4, 0},
                   {68, 4, 2},
                   {68, 4, UINT32_MAX},
                   {68, 4, INT32_MAX},
                   {72, 8, 1},
                   {72, 8, UINT64_MAX},
                   {84, 4, 1},
                   {16, 8, UINT64_C(1) << 62}};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        sac_array_packet p = an_array(), back;
        const uint8_t *samples;
        uint8_t *frame = draw_frame(&p);
        size_t n;
        uint8_t *d = write_part(&n, &p, frame, NULL);
        sac_wire_put(d + hostile[i].at, hostile[i].bytes, hostile[i].value);
        assert_true(sac_wire_seal(d, HEAD, d + HEAD, n - HEAD, NULL));
        if (sac_array_packet_parse(&back, &samples, d, n, NULL) != SAC_PACKET_MALFORMED)
            fail_msg("byte %d as %" PRIu64, hostile[i].at, hostile[i].value);
        free(d);
        free(frame);
    }
}

static void array_packet_in_tiny_fragments_is_none_of_a_large_frame(void **state)
{
    (void)state;
    sac_array_packet p = an_array();
    size_t offset, size;
    p.n_dims = 1;
    memset(p.shape, 0, sizeof p.shape);
    p.dtype = SAC_U8;
    p.shape[0] = 4096; /* of a small one they may be bytes */
    p.n_fragments = 4096;
    assert_true(sac_array_packet_part(&p, &offset, &size));
    p.shape[0] = SAC_PACKET_MOST_FRAME;
    p.n_fragments = (int32_t)(SAC_PACKET_MOST_FRAME / SAC_PACKET_LEAST_PART);
    p.fragment = p.n_fragments - 1;
    assert_true(sac_array_packet_part(&p, &offset, &size));
    assert_int_equal(offset, SAC_PACKET_MOST_FRAME - SAC_PACKET_LEAST_PART);
    p.n_fragments++;
    assert_false(sac_array_packet_part(&p, &offset, &size));
    p.shape[0]++;
    assert_false(sac_array_packet_part(&p, &offset, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_packet_that_is_written_is_parsed_alike),
        cmocka_unit_test(array_packet_has_the_bytes_of_its_page),
        cmocka_unit_test(array_packet_of_version_1_is_that_of_its_own_functions),
        cmocka_unit_test(array_packet_with_any_byte_changed_or_cut_is_refused),
        cmocka_unit_test(array_packet_with_hostile_numbers_is_malformed),
        cmocka_unit_test(array_packet_in_tiny_fragments_is_none_of_a_large_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
