/*
 * What packets tell besides their pictures: the order of colors, which came with version 2 of the
 * format, and packets of version 1.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_scene.h"

#include "delta/format.h"

enum { W = 4, H = 3 };

/* Two frames of W x H x 3 as the encoder of version 1 packed them, losslessly. */
static const uint8_t old_key[] = {
    83,  65,  67,  68,  1,   1,   3,   0,   216, 0,   0,   0,   4,  0,   3,   0,   16,  0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,  0,   0,   0,   0,   0,
    0,   0,   0,   0,   4,   151, 9,   151, 131, 91,  64,  111, 0,  0,   0,   0,   0,   0,
    0,   0,   1,   0,   0,   0,   1,   0,   0,   0,   0,   0,   0,  0,   0,   0,   0,   0,
    128, 0,   0,   0,   23,  0,   0,   0,   128, 0,   0,   0,   23, 0,   0,   0,   128, 0,
    0,   0,   23,  0,   0,   0,   4,   0,   0,   0,   4,   0,   0,  0,   11,  0,   0,   0,
    11,  0,   0,   0,   3,   0,   0,   0,   3,   0,   0,   0,   3,  40,  181, 47,  253, 0,
    0,   117, 0,   0,   48,  1,   0,   12,  0,   4,   0,   3,   80, 2,   0,   43,  225, 33,
    40,  181, 47,  253, 0,   0,   117, 0,   0,   48,  15,  0,   15, 0,   11,  0,   3,   80,
    2,   0,   43,  225, 33,  40,  181, 47,  253, 0,   0,   117, 0,  0,   48,  1,   0,   2,
    0,   2,   0,   3,   80,  2,   0,   43,  225, 33,  219, 68,  77, 111, 37,  111, 111, 111,
    188, 111, 188, 111, 188, 188, 188, 37,  145, 179, 90,  2,   17, 246, 127, 89,  0,   39,
};
static const uint8_t old_next[] = {
    83, 65,  67,  68,  1,   0,  3,  0,   238, 0,   0,   0,   4,   0,   3,  0,   16, 0,   0,  0,
    0,  0,   0,   0,   1,   0,  0,  0,   0,   0,   0,   0,   0,   90,  98, 2,   0,  0,   0,  0,
    4,  151, 9,   151, 131, 91, 64, 111, 90,  2,   17,  246, 127, 89,  0,  39,  1,  0,   0,  0,
    1,  0,   0,   0,   128, 0,  0,  0,   55,  0,   0,   0,   0,   0,   0,  0,   0,  0,   0,  0,
    0,  0,   0,   0,   0,   0,  0,  0,   0,   0,   0,   0,   0,   0,   0,  0,   48, 0,   0,  0,
    18, 0,   0,   0,   48,  0,  0,  0,   18,  0,   0,   0,   48,  0,   0,  0,   18, 0,   0,  0,
    1,  40,  181, 47,  253, 0,  0,  117, 1,   0,   100, 2,   7,   0,   7,  0,   7,  0,   7,  0,
    7,  0,   7,   0,   7,   0,  7,  0,   7,   0,   7,   0,   7,   0,   7,  0,   7,  0,   7,  0,
    7,  0,   7,   0,   0,   0,  0,  0,   0,   0,   15,  84,  2,   0,   3,  1,   40, 181, 47, 253,
    0,  0,   77,  0,   0,   24, 5,  251, 0,   1,   0,   106, 186, 33,  40, 181, 47, 253, 0,  0,
    77, 0,   0,   24,  0,   5,  0,  1,   0,   106, 186, 33,  40,  181, 47, 253, 0,  0,   77, 0,
    0,  24,  0,   251, 5,   1,  0,  106, 186, 33,  226, 236, 19,  12,  6,  109, 51, 218,
};

static void draw_old(uint8_t *frame, int number)
{
    for (int i = 0; i < W * H * 3; i++)
        frame[i] = (uint8_t)(i * 37 + (i % 4 == 0 ? 5 * number : 0));
}

static void delta_version_1_is_read_without_an_order(void **state)
{
    (void)state;
    uint8_t frame[W * H * 3];
    sac_delta_decode *decoder = open_decoder(1);
    sac_delta_frame out;
    assert_int_equal(sac_delta_decode_run(decoder, &out, old_key, sizeof old_key, NULL), SAC_OK);
    draw_old(frame, 0);
    assert_int_equal(worst_of(&out.picture, frame, W, H, 3), 0);
    assert_int_equal(out.order, SAC_ORDER_UNKNOWN);
    assert_int_equal(sac_delta_decode_run(decoder, &out, old_next, sizeof old_next, NULL), SAC_OK);
    draw_old(frame, 1);
    assert_int_equal(worst_of(&out.picture, frame, W, H, 3), 0);
    assert_int_equal(out.order, SAC_ORDER_UNKNOWN);
    sac_delta_decode_close(&decoder);
}

/* Gives a decoder `packet` with a byte changed, and its checksum set right. */
static sac_status give_changed(const uint8_t *packet, size_t size, size_t at, uint8_t value)
{
    uint8_t *copy = malloc(size);
    memcpy(copy, packet, size);
    copy[at] = value;
    sac_delta_put64(copy + size - 8, sac_delta_checksum(copy, size - 8));
    sac_delta_decode *decoder = open_decoder(1);
    sac_delta_frame out;
    sac_status status = sac_delta_decode_run(decoder, &out, copy, size, NULL);
    assert_int_equal(out.picture.data != NULL, status == SAC_OK);
    sac_delta_decode_close(&decoder);
    free(copy);
    return status;
}

static void delta_order_that_is_none_is_refused(void **state)
{
    (void)state;
    uint8_t frame[W * H * 3];
    draw_old(frame, 0);
    sac_delta_encode_desc desc = encode_desc(W, H, 3, 0);
    sac_delta_encode *encoder = open_encoder(&desc);
    sac_delta_packet p = encode(encoder, frame, W, H, 3, 0);
    assert_int_equal(p.data[4], 2);
    for (int order = 0; order < 256; order++) {
        sac_status wanted = order <= SAC_ORDER_BGR ? SAC_OK : SAC_E_FORMAT;
        assert_int_equal(give_changed(p.data, p.size, 18, (uint8_t)order), wanted);
        wanted = order == 0 ? SAC_OK : SAC_E_FORMAT;
        assert_int_equal(give_changed(old_key, sizeof old_key, 18, (uint8_t)order), wanted);
        wanted = order == 1 || order == 2 ? SAC_OK : SAC_E_FORMAT; /* a version */
        assert_int_equal(give_changed(p.data, p.size, 4, (uint8_t)order), wanted);
    }
    sac_delta_encode_close(&encoder);
    desc.order = (sac_pixel_order)3;
    sac_error err = {0};
    assert_failed(sac_delta_encode_open(&encoder, &desc, &err), SAC_E_INVALID, &err, "order");
}

static void delta_order_comes_out_as_it_went_in(void **state)
{
    (void)state;
    static const int32_t channels[] = {1, 3, 4};
    uint8_t frame[W * H * 4] = {0};
    sac_delta_decode *decoder = open_decoder(1);
    for (int c = 0; c < 3; c++)
        for (int order = 0; order < 3; order++) {
            sac_delta_encode_desc desc = encode_desc(W, H, channels[c], 20);
            desc.order = (sac_pixel_order)order;
            sac_delta_encode *encoder = open_encoder(&desc);
            for (uint64_t i = 0; i < 3; i++) {
                sac_delta_packet p = encode(encoder, frame, W, H, channels[c], i);
                sac_delta_frame out;
                assert_int_equal(sac_delta_decode_run(decoder, &out, p.data, p.size, NULL), SAC_OK);
                assert_int_equal(out.order, c == 0 ? 0 : order);
                frame[0] = (uint8_t)(frame[0] + 50);
            }
            sac_delta_encode_close(&encoder);
        }
    sac_delta_decode_close(&decoder);
}

int main(void)
{
    if (!has_delta())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_version_1_is_read_without_an_order),
        cmocka_unit_test(delta_order_that_is_none_is_refused),
        cmocka_unit_test(delta_order_comes_out_as_it_went_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
