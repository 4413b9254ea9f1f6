/*
 * Packets found in a stream of bytes: whole, cut short, damaged, too large.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_scene.h"

#include "delta/format.h"

enum { W = 70, H = 40, MOST = 1 << 26 };

static uint8_t bytes[1 << 16];
static size_t size; /* of the packet */

static int make_packet(void **state)
{
    static uint8_t data[W * H * 3];
    sac_delta_encode_desc desc = encode_desc(W, H, 3, 0);
    sac_delta_encode *encoder = open_encoder(&desc);
    (void)state;
    draw(data, STILL_NOISY, W, H, 3, 0);
    const sac_delta_packet p = encode(encoder, data, W, H, 3, 5);
    size = p.size;
    memcpy(bytes, p.data, p.size);
    sac_delta_encode_close(&encoder);
    return 0;
}

static void peek_finds_a_whole_packet_whatever_follows(void **state)
{
    sac_delta_packet p;
    (void)state;
    for (size_t more = 0; more < 100; more++) {
        assert_int_equal(sac_delta_peek(&p, bytes, size + more, MOST, NULL), SAC_OK);
        assert_ptr_equal(p.data, bytes);
        assert_int_equal(p.size, size);
        assert_int_equal(p.time_ns, 5 * FRAME_NS);
        assert_true(p.is_key);
    }
}

static void peek_says_how_many_bytes_it_takes(void **state)
{
    sac_delta_packet p;
    (void)state;
    for (size_t n = 0; n < size; n++) {
        assert_int_equal(sac_delta_peek(&p, bytes, n, MOST, NULL), SAC_AGAIN);
        assert_int_equal(p.size, n < 64 ? 64 : size);
        assert_null(p.data);
    }
}

static void peek_refuses_any_damage(void **state)
{
    sac_delta_packet p;
    sac_error err = {0};
    (void)state;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        const sac_status status = sac_delta_peek(&p, bytes, size, MOST, &err);
        /* A size that grew by little: more bytes may come. */
        assert_true(status == SAC_E_FORMAT ||
                    (status == SAC_AGAIN && bit / 8 >= 8 && bit / 8 < 18));
        assert_true(status == SAC_AGAIN || p.size <= size);
        assert_null(p.data);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(sac_delta_peek(&p, bytes, size, MOST, NULL), SAC_OK);
}

static void peek_refuses_pictures_that_are_too_large(void **state)
{
    sac_delta_packet p;
    (void)state;
    assert_int_equal(sac_delta_peek(&p, bytes, size, 128 * 48, NULL), SAC_OK);
    assert_int_equal(sac_delta_peek(&p, bytes, size, 128 * 48 - 1, NULL), SAC_E_FORMAT);
    assert_int_equal(p.size, 0);
}

static void peek_of_nothing_is_refused(void **state)
{
    sac_delta_packet p;
    (void)state;
    assert_int_equal(sac_delta_peek(NULL, bytes, size, MOST, NULL), SAC_E_INVALID);
    assert_int_equal(sac_delta_peek(&p, NULL, size, MOST, NULL), SAC_E_INVALID);
}

int main(void)
{
    if (!has_delta())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peek_finds_a_whole_packet_whatever_follows),
        cmocka_unit_test(peek_says_how_many_bytes_it_takes),
        cmocka_unit_test(peek_refuses_any_damage),
        cmocka_unit_test(peek_refuses_pictures_that_are_too_large),
        cmocka_unit_test(peek_of_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, make_packet, NULL);
}
