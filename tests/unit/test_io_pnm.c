/*
 * PNM and PAM: every kind there is, and what is wrong with files.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_io.h"

#include "base/alloc.h"
#include "io/picture/picture.h"

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

typedef struct good_case {
    const char *name;
    const uint8_t *data;
    size_t size;
    sac_dtype dtype;
    int64_t w, h, channels;
    uint16_t want[8];
} good_case;

static const good_case good[] = {
    {"bits as text", BYTES("P1 3 2 01 1\n100"), SAC_U8, 3, 2, 1, {255, 0, 0, 0, 255, 255}},
    {"bits as bytes", BYTES("P4 9 1\n\x40\x80"), SAC_U8, 9, 1, 1, {255, 0, 255, 255, 255, 255}},
    {"gray as text", BYTES("P2 2 1 255 7 255"), SAC_U8, 2, 1, 1, {7, 255}},
    {"gray as bytes", BYTES("P5 2 1 255\n\x07\xff"), SAC_U8, 2, 1, 1, {7, 255}},
    {"RGB as text", BYTES("P3\n1\n1\n255\n1\n2\n3\n"), SAC_U8, 1, 1, 3, {1, 2, 3}},
    {"RGB as bytes", BYTES("P6 1 1 255 \x01\x02\x03"), SAC_U8, 1, 1, 3, {1, 2, 3}},
    {"comments", BYTES("P5#a\n# b # c\n2 #d\r1\n#e\n255#f\n##"), SAC_U8, 2, 1, 1, {35, 35}},
    {"comments in text pixels", BYTES("P2 2 1 9 0 # 5\n 9"), SAC_U8, 2, 1, 1, {0, 255}},
    {"more behind it", BYTES("P5 1 1 255 \x05P5 1 1 255 \x06"), SAC_U8, 1, 1, 1, {5}},
    /* 255 / 2 = 127.5 rounds up; 255 / 4 = 63.75, 127.5, 191.25 */
    {"maxval 2", BYTES("P5 3 1 2\n\x00\x01\x02"), SAC_U8, 3, 1, 1, {0, 128, 255}},
    {"maxval 4", BYTES("P2 5 1 4 0 1 2 3 4"), SAC_U8, 5, 1, 1, {0, 64, 128, 191, 255}},
    {"16 bit", BYTES("P5 2 1 65535\n\x01\x02\xff\xfe"), SAC_U16, 2, 1, 1, {0x102, 0xfffe}},
    {"16 bit as text", BYTES("P2 2 1 65535 258 65534"), SAC_U16, 2, 1, 1, {258, 65534}},
    /* 65535 / 256 = 255.996, 65535 128 / 256 = 32767.5 */
    {"maxval 256",
     BYTES("P5 3 1 256\n\x00\x01\x00\x80\x01\x00"),
     SAC_U16,
     3,
     1,
     1,
     {256, 32768, 65535}},
    {"16 bit RGB", BYTES("P6 1 1 65535\n\x00\x01\x00\x02\x00\x03"), SAC_U16, 1, 1, 3, {1, 2, 3}},
    {"PAM RGB with alpha",
     BYTES(
         "P7\nWIDTH 1\nHEIGHT 1\n# c\n\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n\1\2\3\4"),
     SAC_U8,
     1,
     1,
     4,
     {1, 2, 3, 4}},
    {"PAM gray with alpha, 16 bit",
     BYTES("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 65535\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"
           "\x01\x02\x03\x04"),
     SAC_U16,
     1,
     1,
     2,
     {0x102, 0x304}},
    {"PAM bits",
     BYTES("P7\nMAXVAL 1\nDEPTH 1\nWIDTH 2\nHEIGHT 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\0\1"),
     SAC_U8,
     2,
     1,
     1,
     {0, 255}},
    {"PAM without a type",
     BYTES("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nENDHDR\n\1\2\3"),
     SAC_U8,
     1,
     1,
     3,
     {1, 2, 3}},
};

static void pnm_of_every_kind_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const good_case *c = &good[i];
        sac_picture *p = NULL;
        sac_error err;
        if (sac_pnm_parse(&p, c->data, c->size, 0, &err) != SAC_OK)
            fail_msg("%s: %s", c->name, err.text);
        sac_array a = sac_picture_get_array(p);
        assert_int_equal(a.dtype, c->dtype);
        assert_int_equal(a.shape[0], c->h);
        assert_int_equal(a.shape[1], c->w);
        assert_int_equal(a.n_dims, c->channels == 1 ? 2 : 3);
        if (c->channels > 1)
            assert_int_equal(a.shape[2], c->channels);
        for (int64_t k = 0; k < sac_array_count(&a) && k < 8; k++) {
            int got = a.dtype == SAC_U8 ? ((uint8_t *)a.data)[k] : ((uint16_t *)a.data)[k];
            int want = c->want[k];
            if (c->w == 9 && k > 1)
                want = 255; /* the longer picture of bits is white from there */
            if (got != want)
                fail_msg("%s: sample %d: wanted %d, got %d", c->name, (int)k, want, got);
        }
        sac_picture_close(&p);
    }
}

static void pnm_bits_go_on_in_the_next_byte(void **state)
{
    (void)state;
    sac_picture *p = NULL;
    sac_error err;
    assert_ok(sac_pnm_parse(&p, BYTES("P4 9 2\n\x00\x80\xff\x00"), 0, &err), &err);
    const uint8_t want[18] = {255, 255, 255, 255, 255, 255, 255, 255, 0,
                              0,   0,   0,   0,   0,   0,   0,   0,   255};
    assert_memory_equal(sac_picture_get_array(p).data, want, sizeof want);
    sac_picture_close(&p);
}

static void pnm_malformed_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const uint8_t *data;
        size_t size;
        const char *word;
    } bad[] = {
        {BYTES(""), "not PNM"},
        {BYTES("P"), "not PNM"},
        {BYTES("P8 1 1 255 x"), "not PNM"},
        {BYTES("P5"), "ends too early"},
        {BYTES("P5 2"), "ends too early"},
        {BYTES("P5 2 # no end"), "ends too early"},
        {BYTES("P5 -2 2 255 xxxx"), "width: expected a number, got `-`"},
        {BYTES("P5 2 junk"), "height: expected a number, got `j`"},
        {BYTES("P5 2x 2 255 xxxx"), "width: expected a number, got `x`"},
        {BYTES("P5 \x01 2 255 xxxx"), "got byte 0x01"},
        {BYTES("P5 0 2 255 xxxx"), "0 x 2 pixels"},
        {BYTES("P5 2 0 255 xxxx"), "2 x 0 pixels"},
        {BYTES("P5 2 2 0 xxxx"), "maxval"},
        {BYTES("P5 2 2 65536 xxxxxxxx"), "maxval: expected at most 65535"},
        {BYTES("P6 99999999 99999999 255\n"), "more than the limit"},
        {BYTES("P6 99999999999999999999 1 255\n"), "width: expected at most"},
        {BYTES("P6 33000000 8 255\nxxx"), "ends too early: 33000000 x 8"},
        {BYTES("P6 2147483647 8 255\nxxx"), "more than the limit"},
        {BYTES("P5 2 2 255 xxx"), "need 4 bytes, 3 are there"},
        {BYTES("P5 1 1 65535 x"), "need 2 bytes, 1 are there"},
        {BYTES("P4 9 2\nxxx"), "need 4 bytes, 3 are there"},
        {BYTES("P1 2 2 101"), "ends too early"},
        {BYTES("P1 2 2 1 0 1 "), "ends too early"},
        {BYTES("P1 2 2 1021"), "bit: expected a number, got `2`"},
        {BYTES("P2 2 1 255 12  "), "ends too early"},
        {BYTES("P2 2 1 255 12 256"), "sample: expected at most 255"},
        {BYTES("P2 2 1 255 12 -1"), "sample: expected a number"},
        {BYTES("P5 2 1 9 \x09\x0a"), "larger than maxval, 9"},
        {BYTES("P5 1 1 256 \x01\x01"), "larger than maxval, 256"},
        {BYTES("P7 1 1"), "P7: expected a number"},
        {BYTES("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n"), "no line ENDHDR"},
        {BYTES("P7\nWIDTH 1\nHEIGHT 1\nMAXVAL 255\nENDHDR\nx"), "depth 0"},
        {BYTES("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nxxxxx"), "depth 5"},
        {BYTES("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\nxxxx"), "CMYK"},
        {BYTES("P7\nWIDTH -1\nENDHDR\n"), "unusable line `WIDTH -1`"},
        {BYTES("P7\nWIDTH 1x\nENDHDR\n"), "unusable line"},
        {BYTES("P7\nDEPTH 1\nENDHDR\n"), "0 x 0 pixels"},
        {BYTES("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\nx"), "maxval"},
        {BYTES("P7\nJUNK\nENDHDR\n"), "unusable line `JUNK`"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sac_error err = {0};
        sac_picture *p = NULL;
        sac_status st = sac_pnm_parse(&p, bad[i].data, bad[i].size, 0, &err);
        assert_failed(st, SAC_E_FORMAT, &err, bad[i].word);
        assert_null(p);
    }
}

static void pnm_larger_than_max_pixels_is_refused(void **state)
{
    (void)state;
    sac_picture *p = NULL;
    sac_error err;
    assert_ok(sac_pnm_parse(&p, BYTES("P5 2 2 255 xxxx"), 4, &err), &err);
    sac_picture_close(&p);
    assert_failed(sac_pnm_parse(&p, BYTES("P5 2 2 255 xxxx"), 3, &err), SAC_E_FORMAT, &err,
                  "more than the limit, 3");
    assert_failed(sac_pnm_parse(&p, BYTES("P6 2147483647 2147483647 65535\n"), UINT64_MAX, &err),
                  SAC_E_FORMAT, &err, "2147483647 x 2147483647 pixels");
}

static bool none(size_t bytes)
{
    (void)bytes;
    return false;
}

static void pnm_huge_header_asks_for_no_memory(void **state)
{
    (void)state;
    put_file("huge.ppm", "P6 9999 9999 255\n", 17);
    sac_picture *p = NULL;
    sac_error err;
    sac_alloc_hook(none); /* an allocation would be SAC_E_NOMEM */
    sac_status st = sac_picture_read(&p, "huge.ppm", 0, &err);
    sac_alloc_hook(NULL);
    assert_failed(st, SAC_E_FORMAT, &err, "`huge.ppm`: PNM: ends too early");
}

/* Comments, spaces, zeros and lines without end: a pipe of them would never end. */
static void pnm_without_a_number_is_given_up(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        char again;
        const char *word;
    } cases[] = {{"P5 #", 'x', "width: no number within 65536 bytes"},
                 {"P5 2", ' ', "height: no number within"},
                 {"P5 2 ", '0', "height: no number within"},
                 {"P5 2 2 #", '#', "maxval: no number within"},
                 {"P2 2 2 255 1 ", ' ', "sample: no number within"},
                 {"P1 2 2 1 ", '\n', "bit: no number within"},
                 {"P7\n", '\n', "no line ENDHDR"}};
    static uint8_t text[200000];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_error err = {0};
        sac_picture *p = NULL;
        memset(text, cases[i].again, sizeof text);
        memcpy(text, cases[i].before, strlen(cases[i].before));
        assert_failed(sac_pnm_parse(&p, text, sizeof text, 0, &err), SAC_E_FORMAT, &err,
                      cases[i].word);
        assert_null(p);
    }
}

static void pnm_further_pages_are_said_and_taken(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_picture *p = NULL;
    put_file("two.pgm", "P5 2 1 255 abP5 1 1 255 c", 25);
    put_file("one.pgm", "P5 2 1 255 ab\n", 14);
    assert_ok(sac_picture_read(&p, "one.pgm", 0, &err), &err);
    assert_string_equal(sac_picture_get_note(p), "");
    assert_int_equal(sac_picture_get_pages(p), 1);
    sac_picture_close(&p);
    assert_ok(sac_picture_read(&p, "two.pgm", 0, &err), &err);
    assert_non_null(strstr(sac_picture_get_note(p), "only the first is read"));
    assert_int_equal(sac_picture_get_pages(p), 0);
    sac_picture_close(&p);
    sac_picture_read_desc desc;
    sac_picture_read_desc_init(&desc);
    desc.page = 2;
    assert_ok(sac_picture_read_with(&p, "two.pgm", &desc, &err), &err);
    assert_string_equal(sac_picture_get_note(p), "");
    assert_int_equal(*(uint8_t *)sac_picture_get_array(p).data, 'c');
    sac_picture_close(&p);
    desc.page = 3;
    assert_failed(sac_picture_read_with(&p, "two.pgm", &desc, &err), SAC_E_INVALID, &err,
                  "has 2 pages: there is no page 3");
    assert_null(p);
}

static void pnm_written_is_read_back(void **state)
{
    (void)state;
    static const struct {
        const char *path, *format;
        int32_t channels;
        char kind;
    } cases[] = {{"a.pgm", NULL, 1, '5'},  {"a.ppm", NULL, 3, '6'}, {"a.pnm", NULL, 1, '5'},
                 {"a.PNM", NULL, 3, '6'},  {"a.pnm", NULL, 2, '7'}, {"a.pam", NULL, 1, '7'},
                 {"a.pam", NULL, 3, '7'},  {"a.pam", NULL, 4, '7'}, {"a.x", "ppm", 3, '6'},
                 {"noend", "PAM", 2, '7'}, {"b.ppm", "pam", 4, '7'}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int deep = 0; deep < 2; deep++) {
            /* 16 bit and large: more than the reader's and the writer's buffers hold */
            sac_picture *p = random_picture(deep ? SAC_U16 : SAC_U8, 317, 211, cases[i].channels);
            sac_picture *q = NULL;
            sac_error err;
            assert_ok(sac_picture_write(p, cases[i].path, cases[i].format, &err), &err);
            size_t size;
            uint8_t *data = get_file(cases[i].path, &size);
            assert_int_equal(data[1], cases[i].kind);
            assert_ok(sac_picture_read(&q, cases[i].path, 0, &err), &err);
            assert_same_picture(q, p);
            sac_picture_close(&q);
            sac_picture *r = NULL;
            for (size_t cut = 0; cut < 100; cut++) { /* heads, and all but the last byte */
                sac_status st = sac_pnm_parse(&r, data, cut == 99 ? size - 1 : cut, 0, &err);
                assert_int_equal(st, SAC_E_FORMAT);
                assert_null(r);
            }
            free(data);
            sac_picture_close(&p);
        }
    }
}

static void pnm_that_cannot_hold_the_picture_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *rgba = random_picture(SAC_U8, 2, 2, 4);
    sac_picture *gray = random_picture(SAC_U16, 2, 2, 1);
    assert_failed(sac_picture_write(rgba, "a.ppm", NULL, &err), SAC_E_UNSUPPORTED, &err,
                  "ppm cannot hold RGB with alpha");
    assert_failed(sac_picture_write(gray, "a.ppm", NULL, &err), SAC_E_UNSUPPORTED, &err,
                  "ppm cannot hold gray");
    sac_picture_close(&rgba);
    sac_picture_close(&gray);
    assert_int_equal(count_files(false), 0);
}

static void picture_new_out_of_range_is_refused(void **state)
{
    (void)state;
    sac_picture *p = NULL;
    sac_error err;
    assert_failed(sac_picture_new(&p, SAC_F32, 2, 2, 1, &err), SAC_E_INVALID, &err, "f32");
    assert_failed(sac_picture_new(&p, SAC_U8, 0, 2, 1, &err), SAC_E_INVALID, &err, "0 x 2");
    assert_failed(sac_picture_new(&p, SAC_U8, 2, -2, 1, &err), SAC_E_INVALID, &err, "2 x -2");
    assert_failed(sac_picture_new(&p, SAC_U8, 2, 2, 5, &err), SAC_E_INVALID, &err, "of 5");
    assert_int_equal(sac_picture_new(&p, SAC_U16, INT64_MAX, INT64_MAX, 4, &err), SAC_E_SHAPE);
    sac_alloc_hook(none);
    sac_status st = sac_picture_new(&p, SAC_U8, 3, 2, 1, &err);
    sac_alloc_hook(NULL);
    assert_failed(st, SAC_E_NOMEM, &err, "3 x 2");
    assert_null(p);
    sac_picture_close(&p);
    sac_picture_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pnm_of_every_kind_is_read),
        cmocka_unit_test(pnm_bits_go_on_in_the_next_byte),
        cmocka_unit_test(pnm_malformed_is_refused_with_its_reason),
        cmocka_unit_test(pnm_larger_than_max_pixels_is_refused),
        cmocka_unit_test(pnm_huge_header_asks_for_no_memory),
        cmocka_unit_test(pnm_without_a_number_is_given_up),
        cmocka_unit_test_setup(pnm_further_pages_are_said_and_taken, empty_folder),
        cmocka_unit_test_setup(pnm_written_is_read_back, empty_folder),
        cmocka_unit_test_setup(pnm_that_cannot_hold_the_picture_is_refused, empty_folder),
        cmocka_unit_test(picture_new_out_of_range_is_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
