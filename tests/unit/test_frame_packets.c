/*
 * Packets as bytes: what is written comes back, what is not whole or not ours is told by kind.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <saccade/io.h>

#include "frame_scene.h"
#include "io/crc32c.h"
#include "net/wire.h"

enum { W = 8, H = 5, PIXELS = W * H, PACKET = SAC_PACKET_HEADER + PIXELS };

static const sac_packet_key a_key = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

static sac_frame_packet a_frame(void)
{
    return (sac_frame_packet){.stream = STREAM,
                              .counter = UINT64_C(0x0102030405060708),
                              .sent_ns = INT64_C(0x1112131415161718),
                              .laser_on = 1,
                              .x = -2,
                              .y = INT32_MIN,
                              .w = W,
                              .h = H,
                              .n_fragments = 1};
}

static void write_frame(uint8_t d[PACKET], const sac_packet_key *key)
{
    sac_frame_packet p = a_frame();
    scene_draw(d + SAC_PACKET_HEADER, 7, PIXELS);
    assert_true(sac_frame_packet_head(d, &p, d + SAC_PACKET_HEADER, key));
}

/* From memory of exactly this size, so that a sanitizer sees what reads beyond. */
static sac_packet_kind parse(const uint8_t *d, size_t n, const sac_packet_key *key)
{
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, d, n);
    sac_frame_packet p;
    const uint8_t *pixels;
    sac_packet_kind kind = sac_frame_packet_parse(&p, &pixels, exact, n, key);
    free(exact);
    return kind;
}

static void crc32c_of_nine_digits_is_the_published_one(void **state)
{
    (void)state;
    const uint8_t digits[] = "123456789abcdefghijklmnop";
    assert_int_equal(sac_crc32c(0, digits, 9), 0xe3069283);
    for (size_t n = 0; n < sizeof digits; n++) /* in two pieces, through every tail */
        assert_int_equal(sac_crc32c(sac_crc32c(0, digits, n), digits + n, sizeof digits - n),
                         sac_crc32c(0, digits, sizeof digits));
}

static void crc32c_of_any_length_is_that_of_its_bits(void **state)
{
    (void)state;
    static uint8_t bytes[12000];
    uint32_t crc = UINT32_MAX;
    scene_draw(bytes, 3, sizeof bytes);
    for (size_t n = 0; n < sizeof bytes; n++) {
        assert_int_equal(sac_crc32c(0, bytes, n), (uint32_t)~crc);
        assert_int_equal(sac_crc32c(sac_crc32c(0, bytes, n / 3), bytes + n / 3, n - n / 3),
                         (uint32_t)~crc);
        crc ^= bytes[n];
        for (int i = 0; i < 8; i++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
    }
}

static void parts_name_libsodium_where_keys_can_be_used(void **state)
{
    (void)state;
    assert_int_equal(strstr(sac_io_parts(), "libsodium ") != NULL, sac_packet_can_use_key());
}

static void tag_of_a_packet_is_blake2b(void **state)
{
    (void)state;
    if (!sac_packet_can_use_key())
        skip_test("this build has no keys (libsodium)");
    /* hashlib.blake2b(b"headbody", digest_size=16, key=bytes(range(32))) */
    static const uint8_t want[16] = {0x90, 0x27, 0xd6, 0x45, 0x80, 0x5c, 0xd4, 0x3d,
                                     0x2b, 0x8d, 0xa0, 0x74, 0x59, 0xbe, 0x4b, 0xd1};
    sac_packet_key key;
    uint8_t tag[16];
    for (int i = 0; i < 32; i++)
        key.bytes[i] = (uint8_t)i;
    assert_true(sac_packet_tag(tag, &key, (const uint8_t *)"head", 4, (const uint8_t *)"body", 4));
    assert_memory_equal(tag, want, sizeof want);
}

static void frame_packet_is_laid_out_as_documented(void **state)
{
    (void)state;
    static const uint8_t want[] = {
        'S',  'A',  'C',  'F',  1,    0,    0, 80,     0x11, 0x22, 0x33, 0x44, 0x55,
        0x66, 0x77, 0x88, 1,    2,    3,    4, 5,      6,    7,    8,    0x11, 0x12,
        0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0, 0,      0,    1,    0xff, 0xff, 0xff,
        0xfe, 0x80, 0,    0,    0,    0,    W, 0,      H,    0,    0,    0,    1,
        0,    0,    0,    0,    0,    0,    0, PIXELS, 0,    0,    0,    0};
    uint8_t d[PACKET];
    write_frame(d, NULL);
    assert_memory_equal(d, want, sizeof want);
    uint32_t crc = sac_crc32c(sac_crc32c(0, d, 64), d + 80, PIXELS);
    assert_int_equal(sac_wire_get(d + 64, 4), crc);
    assert_int_equal(sac_wire_get(d + 68, 8) | sac_wire_get(d + 72, 8), 0);
}

static void frame_packet_comes_back(void **state)
{
    (void)state;
    for (int keyed = 0; keyed <= sac_packet_can_use_key(); keyed++) {
        uint8_t d[PACKET];
        const sac_packet_key *key = keyed ? &a_key : NULL;
        write_frame(d, key);
        sac_frame_packet p, want = a_frame();
        const uint8_t *pixels = NULL;
        assert_int_equal(sac_frame_packet_parse(&p, &pixels, d, PACKET, key), SAC_PACKET_TAKEN);
        assert_ptr_equal(pixels, d + SAC_PACKET_HEADER);
        uint8_t head[SAC_PACKET_HEADER];
        assert_true(sac_frame_packet_head(head, &p, pixels, key));
        assert_memory_equal(head, d, sizeof head);
        assert_true(p.counter == want.counter && p.sent_ns == want.sent_ns && p.y == want.y);
    }
}

static void frame_packet_cut_or_longer_is_told(void **state)
{
    (void)state;
    uint8_t d[PACKET + 8] = {0};
    write_frame(d, NULL);
    for (size_t n = 0; n < PACKET; n++)
        assert_int_equal(parse(d, n, NULL), SAC_PACKET_TRUNCATED);
    for (size_t n = PACKET + 1; n < sizeof d; n++)
        assert_int_equal(parse(d, n, NULL), SAC_PACKET_OVERSIZE);
}

/* What a bit that is wrong at this byte makes of a packet of 120 bytes. */
static bool is_kind_of_bit(sac_packet_kind kind, size_t byte, int bit, bool keyed)
{
    if (byte < 5)
        return kind == SAC_PACKET_FOREIGN;
    if (byte == 6 || byte == 7)
        return kind == SAC_PACKET_MALFORMED;
    if (byte >= 56 && byte < 60) /* size */
        return kind == (byte < 58                           ? SAC_PACKET_MALFORMED
                        : byte == 59 && (PIXELS >> bit & 1) ? SAC_PACKET_OVERSIZE
                        : byte == 58 && bit == 7 && PIXELS + 32768 > SAC_PACKET_MOST_BYTES - 80
                            ? SAC_PACKET_MALFORMED
                            : SAC_PACKET_TRUNCATED);
    if (byte == 5)
        return kind == (bit > 0 ? SAC_PACKET_DAMAGED
                        : keyed ? SAC_PACKET_NO_TAG
                                : SAC_PACKET_UNEXPECTED_TAG);
    return kind == (keyed ? SAC_PACKET_BAD_TAG : SAC_PACKET_DAMAGED);
}

static void frame_packet_with_any_bit_wrong_is_told(void **state)
{
    (void)state;
    for (int keyed = 0; keyed <= sac_packet_can_use_key(); keyed++)
        for (size_t byte = 0; byte < PACKET; byte++)
            for (int bit = 0; bit < 8; bit++) {
                uint8_t d[PACKET];
                const sac_packet_key *key = keyed ? &a_key : NULL;
                write_frame(d, key);
                d[byte] ^= (uint8_t)(1 << bit);
                sac_packet_kind kind = parse(d, PACKET, key);
                if (!is_kind_of_bit(kind, byte, bit, keyed))
                    fail_msg("byte %zu, bit %d, key %d: got %s", byte, bit, keyed,
                             sac_packet_kind_name((int32_t)kind));
            }
}

static void frame_packet_sealed_with_bad_numbers_is_malformed(void **state)
{
    (void)state;
    static const struct {
        int at, bytes;
        uint64_t value;
    } bad[] = {
        {16, 8, UINT64_C(1) << 62},
        {44, 2, 0},
        {44, 2, 4097},
        {44, 2, 65535},
        {46, 2, 0},
        {46, 2, 65535},
        {46, 2, H + 1},
        {48, 2, 1},
        {48, 2, 65535},
        {50, 2, 0},
        {50, 2, 2},
        {50, 2, 4097},
        {52, 4, 1},
        {60, 4, 1},
        {60, 4, 1u << 31},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t d[PACKET];
        write_frame(d, NULL);
        sac_wire_put(d + bad[i].at, bad[i].bytes, bad[i].value);
        assert_true(sac_wire_seal(d, SAC_PACKET_HEADER, d + SAC_PACKET_HEADER, PIXELS, NULL));
        if (parse(d, PACKET, NULL) != SAC_PACKET_MALFORMED)
            fail_msg("%" PRIu64 " at byte %d was not malformed", bad[i].value, bad[i].at);
    }
}

static void frame_packet_without_its_key_tells_what_is_wrong(void **state)
{
    (void)state;
    uint8_t d[PACKET];
    sac_packet_key other = a_key;
    other.bytes[31] ^= 1;
    write_frame(d, NULL);
    assert_int_equal(parse(d, PACKET, &a_key), SAC_PACKET_NO_TAG);
    d[SAC_WIRE_SEAL] = 1; /* says that it has a tag, and has a right checksum */
    assert_true(sac_wire_seal(d, SAC_PACKET_HEADER, d + SAC_PACKET_HEADER, PIXELS, NULL));
    assert_int_equal(parse(d, PACKET, NULL), SAC_PACKET_UNEXPECTED_TAG);
    if (!sac_packet_can_use_key())
        skip_test("this build has no keys (libsodium)");
    write_frame(d, &a_key);
    assert_int_equal(parse(d, PACKET, &a_key), SAC_PACKET_TAKEN);
    assert_int_equal(parse(d, PACKET, NULL), SAC_PACKET_UNEXPECTED_TAG);
    assert_int_equal(parse(d, PACKET, &other), SAC_PACKET_BAD_TAG);
}

static void packet_calls_with_nothing_are_refused(void **state)
{
    (void)state;
    uint8_t d[SAC_PACKET_RESULT] = {0};
    sac_frame_packet p = a_frame();
    sac_result_packet r = {0};
    const uint8_t *pixels;
    size_t size;
    sac_error err = {0};
    sac_packet_key key;
    assert_int_equal(sac_frame_packet_parse(&p, &pixels, NULL, PACKET, NULL), SAC_PACKET_FOREIGN);
    assert_int_equal(sac_frame_packet_parse(NULL, &pixels, d, 200, NULL), SAC_PACKET_FOREIGN);
    assert_int_equal(sac_result_packet_parse(&r, NULL, 256, NULL), SAC_PACKET_FOREIGN);
    assert_int_equal(sac_result_packet_parse(NULL, d, 256, NULL), SAC_PACKET_FOREIGN);
    assert_false(sac_frame_packet_head(NULL, &p, d, NULL));
    assert_false(sac_frame_packet_head(d, NULL, d, NULL));
    assert_false(sac_frame_packet_head(d, &p, NULL, NULL));
    assert_false(sac_frame_packet_part(&p, NULL, &size));
    assert_false(sac_frame_packet_part(NULL, &size, &size));
    assert_false(sac_result_packet_write(NULL, &r, NULL));
    assert_false(sac_result_packet_write(d, NULL, NULL));
    assert_failed(sac_packet_key_read(NULL, "key", &err), SAC_E_INVALID, &err, "key: is NULL");
    assert_failed(sac_packet_key_read(&key, NULL, &err), SAC_E_INVALID, &err, "path: is NULL");
    sac_packet_key_wipe(NULL);
}

static void fragments_of_every_count_cover_a_frame_once(void **state)
{
    (void)state;
    for (int64_t all = 1; all <= 300; all++)
        for (int64_t most = 1; most <= all + 1; most++) {
            int32_t n = sac_frame_fragments(all, most);
            size_t next = 0, offset, size;
            sac_frame_packet p = {.w = (int32_t)all, .h = 1, .n_fragments = n};
            for (p.fragment = 0; p.fragment < n; p.fragment++) {
                assert_true(sac_frame_packet_part(&p, &offset, &size));
                assert_true(offset == next && size >= 1 && size <= (size_t)most);
                next += size;
            }
            assert_int_equal(next, all);
        }
    /* Seven fragments of two pixels are more than ten have: the last two would be empty. */
    size_t offset, size;
    sac_frame_packet ten = {.w = 10, .h = 1, .n_fragments = 7};
    assert_false(sac_frame_packet_part(&ten, &offset, &size));
    assert_int_equal(sac_frame_fragments(4097, 1), 0);
    assert_int_equal(sac_frame_fragments(0, 1), 0);
}

static sac_result_packet a_result(void)
{
    sac_result_packet r = {.stream = STREAM, .counter = 5000000000, .sent_ns = -1};
    r.record = (sac_meltpool_record){.arrival_ns = 3,
                                     .done_ns = INT64_MAX,
                                     .signals = {1, (int32_t)(5000000000 & UINT32_MAX), -7, 8},
                                     .flags = SAC_MELTPOOL_CLIPPED | SAC_MELTPOOL_LATE,
                                     .prediction = {0.25F, -1e30F}};
    for (int i = 0; i < SAC_MELTPOOL_FEATURES; i++)
        r.record.features[i] = (float)i / 3;
    return r;
}

static void result_packet_comes_back_and_damage_is_told(void **state)
{
    (void)state;
    uint8_t d[SAC_PACKET_RESULT + 1] = {0};
    sac_result_packet r = a_result(), back;
    for (int keyed = 0; keyed <= sac_packet_can_use_key(); keyed++) {
        const sac_packet_key *key = keyed ? &a_key : NULL;
        assert_true(sac_result_packet_write(d, &r, key));
        assert_int_equal(sac_result_packet_parse(&back, d, SAC_PACKET_RESULT, key),
                         SAC_PACKET_TAKEN);
        uint8_t again[SAC_PACKET_RESULT];
        assert_true(sac_result_packet_write(again, &back, key));
        assert_memory_equal(again, d, sizeof again);
        assert_int_equal(back.record.signals.counter, r.record.signals.counter);
        assert_memory_equal(back.record.features, r.record.features, sizeof r.record.features);
        for (size_t n = 0; n < SAC_PACKET_RESULT; n++)
            assert_int_equal(sac_result_packet_parse(&back, d, n, key), SAC_PACKET_TRUNCATED);
        assert_int_equal(sac_result_packet_parse(&back, d, sizeof d, key), SAC_PACKET_OVERSIZE);
        for (size_t bit = 0; bit < 8 * SAC_PACKET_RESULT; bit++) {
            d[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_int_equal(sac_result_packet_parse(&back, d, SAC_PACKET_RESULT, key),
                             bit < 40                   ? SAC_PACKET_FOREIGN
                             : bit / 8 - 6 < (size_t)2  ? SAC_PACKET_MALFORMED
                             : bit / 8 == 5 && bit > 40 ? SAC_PACKET_DAMAGED
                             : bit == 40 ? (keyed ? SAC_PACKET_NO_TAG : SAC_PACKET_UNEXPECTED_TAG)
                             : keyed     ? SAC_PACKET_BAD_TAG
                                         : SAC_PACKET_DAMAGED);
            d[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    assert_true(sac_result_packet_write(d, &r, NULL));
    sac_wire_put(d + 64, 2, 41);
    assert_true(sac_wire_seal(d, SAC_PACKET_RESULT, d, 0, NULL));
    assert_int_equal(sac_result_packet_parse(&back, d, SAC_PACKET_RESULT, NULL),
                     SAC_PACKET_MALFORMED);
}

/* A frame packet is no result, nor the other way round. */
static void packets_of_the_other_sort_are_foreign(void **state)
{
    (void)state;
    uint8_t d[SAC_PACKET_RESULT], frame[PACKET];
    sac_result_packet r = a_result();
    assert_true(sac_result_packet_write(d, &r, NULL));
    assert_int_equal(parse(d, sizeof d, NULL), SAC_PACKET_FOREIGN);
    write_frame(frame, NULL);
    assert_int_equal(sac_result_packet_parse(&r, frame, PACKET, NULL), SAC_PACKET_FOREIGN);
}

static void key_file_is_read_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } files[] = {
        {"000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F\n", true},
        {"000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F", true},
        {"000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1", false},
        {"000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1g", false},
        {"", false},
    };
    char path[] = "/tmp/saccade-key-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "r+");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        rewind(file);
        assert_int_equal(ftruncate(fd, 0), 0);
        fputs(files[i].text, file);
        fflush(file);
        sac_packet_key key = {{9}};
        sac_error err = {0};
        sac_status st = sac_packet_key_read(&key, path, &err);
        if (!sac_packet_can_use_key())
            assert_failed(st, SAC_E_UNSUPPORTED, &err, "libsodium");
        else if (files[i].good)
            assert_ok(st, &err);
        else
            assert_failed(st, SAC_E_FORMAT, &err, "64 hexadecimal digits");
        if (st == SAC_OK)
            for (int k = 0; k < 32; k++)
                assert_int_equal(key.bytes[k], k);
    }
    fclose(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_of_nine_digits_is_the_published_one),
        cmocka_unit_test(crc32c_of_any_length_is_that_of_its_bits),
        cmocka_unit_test(parts_name_libsodium_where_keys_can_be_used),
        cmocka_unit_test(tag_of_a_packet_is_blake2b),
        cmocka_unit_test(frame_packet_is_laid_out_as_documented),
        cmocka_unit_test(frame_packet_comes_back),
        cmocka_unit_test(frame_packet_cut_or_longer_is_told),
        cmocka_unit_test(frame_packet_with_any_bit_wrong_is_told),
        cmocka_unit_test(frame_packet_sealed_with_bad_numbers_is_malformed),
        cmocka_unit_test(frame_packet_without_its_key_tells_what_is_wrong),
        cmocka_unit_test(packet_calls_with_nothing_are_refused),
        cmocka_unit_test(fragments_of_every_count_cover_a_frame_once),
        cmocka_unit_test(result_packet_comes_back_and_damage_is_told),
        cmocka_unit_test(packets_of_the_other_sort_are_foreign),
        cmocka_unit_test(key_file_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
