/*
 * BMP: every depth by hand, what is refused, and every cut and byte changed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_io.h"

#include "io/picture/picture.h"

/* A BMP of `bits` and w x h (h < 0: the highest row first); returns its bytes so far, without
 * pixels. */
static size_t start(uint8_t *to, int32_t w, int32_t h, int bits, uint32_t compression,
                    uint32_t n_colors)
{
    uint32_t info = compression == 3 ? 56 : 40, colors = bits <= 8 ? n_colors : 0;
    const uint32_t words[] = {info,        (uint32_t)w,
                              (uint32_t)h, 1 | (uint32_t)bits << 16,
                              compression, 0,
                              0,           0,
                              n_colors,    0,
                              0xff0000,    0xff00,
                              0xff,        0};
    uint32_t offset = 14 + info + 4 * colors;
    memset(to, 0, 14);
    memcpy(to, "BM", 2);
    memcpy(to + 10, &offset, 4);
    memcpy(to + 14, words, info);
    return 14 + info;
}

static sac_status read_bytes(sac_picture **out, const uint8_t *data, size_t size, sac_error *err)
{
    sac_in in;
    const sac_picture_limits limits = {1000, "", -1};
    sac_in_open_memory(&in, data, size);
    return sac_picture_take(out, &in, &limits, err);
}

/* Reads and compares samples; `channels` of them a pixel, 3 x 2 pixels. */
static void assert_reads(const uint8_t *file, size_t size, int channels, const char *samples)
{
    sac_picture *p = NULL;
    sac_error err = {0};
    assert_ok(read_bytes(&p, file, size, &err), &err);
    sac_array a = sac_picture_get_array(p);
    assert_int_equal(a.shape[0], 2);
    assert_int_equal(a.shape[1], 3);
    assert_int_equal(a.n_dims, channels == 1 ? 2 : 3);
    assert_memory_equal(a.data, samples, (size_t)(6 * channels));
    sac_picture_close(&p);
    for (size_t cut = 0; cut < size; cut++) {
        assert_true(read_bytes(&p, file, cut, &err) != SAC_OK);
        assert_null(p);
    }
}

static void bmp_every_depth_is_read(void **state)
{
    (void)state;
    uint8_t f[256];
    size_t n = start(f, 3, 2, 24, 0, 0);
    memcpy(f + n, "cbafedihg...CBAFEDIHG...", 24); /* blue first, lines of 4 bytes, lowest first */
    assert_reads(f, n + 24, 3, "ABCDEFGHIabcdefghi");
    n = start(f, 3, -2, 32, 0, 0);
    memcpy(f + n, "CBA.FED.IHG.cba.fed.ihg.", 24);
    assert_reads(f, n + 24, 3, "ABCDEFGHIabcdefghi");
    n = start(f, 3, -2, 32, 3, 0);
    memcpy(f + n, "CBA.FED.IHG.cba.fed.ihg.", 24);
    assert_reads(f, n + 24, 3, "ABCDEFGHIabcdefghi");
    n = start(f, 3, -2, 8, 0, 3); /* a gray palette is gray */
    memcpy(f + n, "aaa.bbb.ccc.\0\1\2.\2\1\0.", 20);
    assert_reads(f, n + 20, 1, "abccba");
    n = start(f, 3, -2, 4, 0, 2);
    memcpy(f + n, "cba.fed.\x01\x00..\x10\x10..", 16);
    assert_reads(f, n + 16, 3, "abcdefabcdefabcdef");
    n = start(f, 3, 2, 1, 0, 2);
    memcpy(f + n, "aaa.bbb.\xa0...\x40...", 16);
    assert_reads(f, n + 16, 1, "ababab");
}

static void bmp_other_kinds_are_refused(void **state)
{
    (void)state;
    static const struct {
        int32_t w, h;
        int bits;
        uint32_t compression;
        sac_status status;
        const char *word;
    } cases[] = {{3, 2, 8, 1, SAC_E_UNSUPPORTED, "compressed"},
                 {3, 2, 16, 0, SAC_E_UNSUPPORTED, "another depth"},
                 {3, 2, 24, 3, SAC_E_UNSUPPORTED, "unusual"},
                 {0, 2, 24, 0, SAC_E_FORMAT, "0 x 2 pixels"},
                 {100, -100, 24, 0, SAC_E_FORMAT, "more than the limit"},
                 {INT32_MAX, INT32_MIN, 24, 0, SAC_E_FORMAT, "more than the limit"},
                 {3, 2, 24, 0, SAC_E_FORMAT, "cut short"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t f[256] = {0};
        sac_error err = {0};
        sac_picture *p = NULL;
        size_t n = start(f, cases[i].w, cases[i].h, cases[i].bits, cases[i].compression, 0);
        assert_failed(read_bytes(&p, f, n, &err), cases[i].status, &err, cases[i].word);
        assert_null(p);
    }
}

/* Any byte of a header, changed to anything, gives a picture or a reason. */
static void bmp_damage_is_an_error_or_a_picture(void **state)
{
    (void)state;
    uint8_t f[256];
    size_t n = start(f, 3, -2, 4, 0, 2);
    memcpy(f + n, "cba.fed.\x01\x00..\x10\x10..", 16);
    for (size_t i = 0; i < n + 16; i++) {
        const uint8_t kept = f[i];
        for (int v = 0; v < 256; v++) {
            sac_error err = {0};
            sac_picture *p = NULL;
            f[i] = (uint8_t)v;
            sac_status st = read_bytes(&p, f, n + 16, &err);
            assert_true((st == SAC_OK) == (p != NULL));
            assert_true(st == SAC_OK || err.text[0] != '\0');
            sac_picture_close(&p);
        }
        f[i] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bmp_every_depth_is_read),
        cmocka_unit_test(bmp_other_kinds_are_refused),
        cmocka_unit_test(bmp_damage_is_an_error_or_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
