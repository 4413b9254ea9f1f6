/*
 * .sdv files: written, read back, sought in, cut short, damaged.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "delta_scene.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "delta/sdv.h"

#define DEADLINE_S 120 /* a reader that has not come to an end has failed */

enum { W = 70, H = 40, N = 30, KEY_EVERY = 8 };

static const char path[] = "test_sdv.sdv";

/* N frames with a keyframe every 8; returns the size of all packets. */
static long write_file(bool with_index)
{
    static uint8_t data[W * H * 3];
    sac_delta_encode_desc desc = encode_desc(W, H, 3, 0);
    sac_delta_encode *encoder = open_encoder(&desc);
    sac_sdv_writer *writer = NULL;
    sac_error err = {0};
    long size = 0;
    assert_ok(sac_sdv_writer_open(&writer, path, &err), &err);
    for (uint64_t i = 0; i < N; i++) {
        if (i % KEY_EVERY == 0)
            sac_delta_encode_key(encoder);
        draw(data, STILL_NOISY, W, H, 3, i);
        sac_delta_packet p = encode(encoder, data, W, H, 3, i);
        assert_ok(sac_sdv_write(writer, &p, &err), &err);
        size += (long)p.size;
    }
    assert_ok(sac_sdv_writer_close(&writer, &err), &err);
    sac_delta_encode_close(&encoder);
    if (!with_index)
        assert_int_equal(truncate(path, size), 0);
    return size;
}

/* Reads to the end from where the reader is; frames must be `first` and on, and exact. */
static void read_on(sac_sdv_reader *reader, uint64_t first)
{
    static uint8_t data[W * H * 3];
    sac_delta_decode *decoder = open_decoder(1);
    sac_delta_packet p;
    sac_error err = {0};
    uint64_t i = first;
    while (sac_sdv_read(reader, &p, &err) == SAC_OK) {
        sac_delta_frame frame;
        assert_int_equal(sac_delta_decode_run(decoder, &frame, p.data, p.size, NULL), SAC_OK);
        assert_int_equal(frame.frame, i);
        draw(data, STILL_NOISY, W, H, 3, i++);
        assert_int_equal(worst_of(&frame.picture, data, W, H, 3), 0);
    }
    assert_int_equal(err.status, SAC_OK);
    assert_int_equal(i, N);
    sac_delta_decode_close(&decoder);
}

static void sdv_file_with_or_without_index_is_read_and_sought_in(void **state)
{
    (void)state;
    for (int with_index = 0; with_index < 2; with_index++) {
        write_file(with_index);
        sac_sdv_reader *reader = NULL;
        sac_error err = {0};
        assert_ok(sac_sdv_reader_open(&reader, path, &err), &err);
        assert_int_equal(sac_sdv_reader_get_frames(reader), with_index ? N : 0);
        read_on(reader, 0);
        static const uint64_t frames[] = {0, 7, 8, 9, 23, 24, 29, 1000};
        for (size_t i = 0; i < 8; i++) {
            uint64_t frame = frames[i] < N ? frames[i] : N - 1;
            assert_ok(sac_sdv_seek(reader, frames[i], &err), &err);
            read_on(reader, frame / KEY_EVERY * KEY_EVERY);
        }
        sac_sdv_reader_close(&reader);
    }
    unlink(path);
}

static void sdv_file_cut_short_ends_with_an_error_that_says_where(void **state)
{
    (void)state;
    long size = write_file(false);
    assert_int_equal(truncate(path, size - 5), 0);
    sac_sdv_reader *reader = NULL;
    sac_delta_packet p;
    sac_error err = {0};
    assert_ok(sac_sdv_reader_open(&reader, path, &err), &err);
    for (int i = 0; i < N - 1; i++)
        assert_ok(sac_sdv_read(reader, &p, &err), &err);
    assert_failed(sac_sdv_read(reader, &p, &err), SAC_E_FORMAT, &err, "cut short");
    sac_sdv_reader_close(&reader);
    unlink(path);
    assert_failed(sac_sdv_reader_open(&reader, path, &err), SAC_E_IO, &err, path);
}

/* Turns a bit of the file's byte. */
static void damage(long at)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 0x40, file), byte ^ 0x40);
    assert_int_equal(fclose(file), 0);
}

/* How many frames come out, all exact, of a file in which some packets may be none. */
static uint64_t count_frames(void)
{
    static uint8_t data[W * H * 3];
    sac_sdv_reader *reader = NULL;
    sac_delta_decode *decoder = open_decoder(1);
    sac_delta_packet p;
    sac_delta_frame frame;
    sac_error err = {0};
    assert_ok(sac_sdv_reader_open(&reader, path, &err), &err);
    for (sac_status st = SAC_OK; (st = sac_sdv_read(reader, &p, &err)) != SAC_END;) {
        assert_true(st == SAC_OK || st == SAC_E_FORMAT);
        if (st != SAC_OK || sac_delta_decode_run(decoder, &frame, p.data, p.size, NULL) != SAC_OK)
            continue;
        draw(data, STILL_NOISY, W, H, 3, frame.frame);
        assert_int_equal(worst_of(&frame.picture, data, W, H, 3), 0);
    }
    uint64_t n = counts_of_delta(decoder).frames;
    sac_sdv_reader_close(&reader);
    sac_delta_decode_close(&decoder);
    return n;
}

/* Packet 11's magic, flags, size, width, content and checksum: those up to the keyframe 16 are
 * lost, whatever byte it is. */
static void sdv_file_with_a_damaged_packet_goes_on_at_the_next_keyframe(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        static const long places[] = {0, 3, 5, 8, 9, 10, 11, 13, 70, -1};
        write_file(i % 2 == 0);
        sac_sdv_reader *reader = NULL;
        sac_delta_packet p;
        sac_error err = {0};
        long offset = 0, next = 0;
        assert_ok(sac_sdv_reader_open(&reader, path, &err), &err);
        for (int k = 0; k <= 11; k++) {
            assert_ok(sac_sdv_read(reader, &p, &err), &err);
            offset = next;
            next += (long)p.size;
        }
        sac_sdv_reader_close(&reader);
        damage(places[i] < 0 ? next + places[i] : offset + places[i]);
        assert_int_equal(count_frames(), N - 5);
    }
    unlink(path);
}

/* A whole packet that is ready is read; the half behind it is not waited for. */
static void sdv_reader_told_to_stop_does_not_wait(void **state)
{
    (void)state;
    static const char fifo[] = "test_sdv.fifo";
    static uint8_t bytes[1 << 16];
    const uint64_t one = 1;
    sac_error err = {0};
    sac_sdv_reader *reader = NULL;
    sac_delta_packet p;
    write_file(true);
    int file = open(path, O_RDONLY | O_CLOEXEC), stop = eventfd(0, EFD_CLOEXEC);
    assert_ok(sac_sdv_reader_open_stoppable(&reader, path, stop, &err), &err);
    assert_ok(sac_sdv_read(reader, &p, &err), &err);
    const size_t n = p.size + 100;
    assert_ok(sac_sdv_seek(reader, 0, &err), &err); /* a file as ever */
    sac_sdv_reader_close(&reader);
    assert_true(n <= sizeof bytes && read(file, bytes, n) == (ssize_t)n);
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0666), 0);
    int end = open(fifo, O_RDWR | O_CLOEXEC);
    assert_int_equal(write(end, bytes, n), n);
    assert_ok(sac_sdv_reader_open_stoppable(&reader, fifo, stop, &err), &err);
    assert_int_equal(write(stop, &one, sizeof one), sizeof one);
    assert_ok(sac_sdv_read(reader, &p, &err), &err);
    assert_failed(sac_sdv_read(reader, &p, &err), SAC_CANCELLED, &err, "stopped");
    sac_sdv_reader_close(&reader);
    close(end);
    close(stop);
    close(file);
    unlink(fifo);
    unlink(path);
}

static uint64_t allocated; /* bytes, in all */

static bool count_bytes(size_t bytes)
{
    allocated += bytes;
    return true;
}

/* Reads to the end; how many packets, and how often there was none. The reader must say so. */
static uint64_t read_all(sac_sdv_reader *reader, uint64_t *n_faults)
{
    sac_delta_packet p;
    sac_error err = {0};
    uint64_t n = 0;
    *n_faults = 0;
    for (sac_status st = SAC_OK; (st = sac_sdv_read(reader, &p, &err)) != SAC_END;) {
        assert_true(st == SAC_OK || st == SAC_E_FORMAT);
        n += st == SAC_OK;
        *n_faults += st == SAC_E_FORMAT;
    }
    assert_int_equal(sac_sdv_read(reader, &p, &err), SAC_END); /* it stays so */
    return n;
}

static void open_counted(sac_sdv_reader **reader, const char *name)
{
    sac_error err = {0};
    allocated = 0;
    sac_alloc_hook(count_bytes);
    assert_ok(sac_sdv_reader_open(reader, name, &err), &err);
}

/* The last 16 bytes of a file of zeros say that all of it is an index. */
static void sdv_file_with_a_sparse_tail_is_read_and_sought_in_without_memory_for_it(void **state)
{
    (void)state;
    sac_sdv_reader *reader = NULL;
    sac_error err = {0};
    uint64_t n_faults;
    for (int with_index = 0; with_index < 2; with_index++) {
        write_file(with_index);
        if (truncate(path, (off_t)64 << 30) != 0)
            skip_test("this file system has no sparse files");
        open_counted(&reader, path);
        assert_int_equal(sac_sdv_reader_get_frames(reader), 0);
        assert_int_equal(read_all(reader, &n_faults), N);
        assert_int_equal(n_faults, with_index ? 0 : 2); /* no packet there; none in 256 MiB */
        assert_ok(sac_sdv_seek(reader, 20, &err), &err);
        sac_delta_packet p;
        assert_ok(sac_sdv_read(reader, &p, &err), &err);
        assert_int_equal(p.frame, 16);
        sac_alloc_hook(NULL);
        assert_true(allocated < 1 << 20);
        sac_sdv_reader_close(&reader);
    }
    unlink(path);
}

static void sdv_source_of_zeros_without_an_end_ends(void **state)
{
    (void)state;
    sac_sdv_reader *reader = NULL;
    sac_error err = {0};
    uint64_t n_faults;
    open_counted(&reader, "/dev/zero");
    assert_int_equal(read_all(reader, &n_faults), 0);
    assert_int_equal(n_faults, 2);
    assert_ok(sac_sdv_seek(reader, 20, &err), &err);
    sac_delta_packet p;
    assert_failed(sac_sdv_read(reader, &p, &err), SAC_E_FORMAT, &err, "no packet");
    assert_failed(sac_sdv_read(reader, &p, &err), SAC_E_FORMAT, &err, "bytes up to byte 2684");
    sac_alloc_hook(NULL);
    assert_true(allocated < 1 << 20);
    sac_sdv_reader_close(&reader);
}

/* Headers that claim as much as they can, each within the packet of the one before, and none with
 * a right checksum; between them a packet that is whole. All bytes are looked at a few times. */
static void sdv_file_of_headers_with_wrong_checksums_is_read_in_linear_time(void **state)
{
    (void)state;
    enum { SIZE = 64 << 20, STEP = SAC_DELTA_HEADER + SAC_DELTA_TAIL };
    uint8_t *bytes = calloc(SIZE, 1);
    assert_non_null(bytes);
    for (size_t at = 0; at + STEP <= SIZE; at += STEP) {
        sac_delta_header h = {
            .w = 8192, .h = 8192, .band_rows = 512, .channels = 4, .is_key = true};
        size_t size = SIZE - at, most = (size_t)sac_delta_packet_max(&h);
        h.size = (uint32_t)(at / STEP % 512 == 511 ? STEP : size < most ? size : most);
        sac_delta_header_put(bytes + at, &h);
        if (h.size == STEP)
            sac_delta_put64(bytes + at + SAC_DELTA_HEADER,
                            sac_delta_checksum(bytes + at, SAC_DELTA_HEADER));
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, SIZE, file), SIZE);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    sac_sdv_reader *reader = NULL;
    sac_error err = {0};
    uint64_t n_faults;
    open_counted(&reader, path);
    assert_true(read_all(reader, &n_faults) >= 1);
    assert_ok(sac_sdv_seek(reader, 20, &err), &err);
    sac_alloc_hook(NULL);
    assert_true(allocated < (uint64_t)6 * SIZE); /* which grew by halves */
    sac_sdv_reader_close(&reader);
    unlink(path);
}

/* A header that promises more than there is takes no memory; and a packet no more than its picture
 * may have. */
static void sdv_packet_larger_than_it_can_be_is_none(void **state)
{
    (void)state;
    sac_delta_header h = {.w = 4096, .h = 4096, .band_rows = 512, .channels = 1, .is_key = true};
    uint8_t bytes[SAC_DELTA_HEADER + SAC_DELTA_TAIL] = {0};
    sac_delta_packet p;
    sac_error err = {0};
    for (int more = 0; more < 3; more++) {
        sac_sdv_reader *reader = NULL;
        h.size = (uint32_t)sac_delta_packet_max(&h) + (more == 1);
        sac_delta_header_put(bytes, &h);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
        assert_int_equal(fclose(file), 0);
        open_counted(&reader, path);
        if (more == 2)
            assert_ok(sac_sdv_reader_limit(reader, (4096 * 4096) - 1, &err), &err);
        assert_failed(sac_sdv_read(reader, &p, &err), SAC_E_FORMAT, &err,
                      more == 0   ? "cut short"
                      : more == 1 ? "no packet"
                                  : "too large: 4096 x 4096");
        assert_int_equal(sac_sdv_read(reader, &p, &err), SAC_END);
        sac_alloc_hook(NULL);
        assert_true(allocated < 1 << 20);
        sac_sdv_reader_close(&reader);
    }
    unlink(path);
}

static int refused_after;

static bool allow_some(size_t bytes)
{
    (void)bytes;
    return refused_after-- > 0;
}

static void sdv_reader_and_writer_refused_memory_say_so(void **state)
{
    (void)state;
    write_file(true);
    for (int n = 0, done = 0; !done; n++) {
        sac_sdv_reader *reader = NULL;
        sac_delta_packet p;
        sac_error err = {0};
        refused_after = n;
        sac_alloc_hook(allow_some);
        sac_status st = sac_sdv_reader_open(&reader, path, &err);
        if (st == SAC_OK)
            st = sac_sdv_read(reader, &p, &err);
        done = st == SAC_OK;
        sac_alloc_hook(NULL);
        if (!done)
            assert_failed(st, SAC_E_NOMEM, &err, "no memory");
        if (reader && !done)
            assert_ok(sac_sdv_read(reader, &p, &err), &err); /* it goes on where it was */
        sac_sdv_reader_close(&reader);
    }
    unlink(path);
}

static void sdv_calls_with_nothing_are_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_sdv_reader *reader = NULL;
    sac_sdv_writer *writer = NULL;
    sac_delta_packet p = {0};
    assert_failed(sac_sdv_reader_open(NULL, path, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_sdv_reader_open(&reader, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_sdv_read(NULL, &p, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_sdv_seek(NULL, 0, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_sdv_reader_limit(NULL, 1, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_sdv_writer_open(&writer, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_sdv_write(NULL, &p, &err), SAC_E_INVALID, &err, "NULL");
    assert_int_equal(sac_sdv_reader_get_frames(NULL), 0);
    write_file(false);
    assert_ok(sac_sdv_reader_open(&reader, path, &err), &err);
    assert_failed(sac_sdv_read(reader, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_sdv_reader_limit(reader, 0, &err), SAC_E_INVALID, &err, "max_pixels");
    sac_sdv_reader_close(&reader);
    sac_sdv_reader_close(&reader);
    unlink(path);
}

int main(void)
{
    alarm(DEADLINE_S);
    if (!has_delta())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sdv_file_with_or_without_index_is_read_and_sought_in),
        cmocka_unit_test(sdv_file_cut_short_ends_with_an_error_that_says_where),
        cmocka_unit_test(sdv_file_with_a_damaged_packet_goes_on_at_the_next_keyframe),
        cmocka_unit_test(sdv_reader_told_to_stop_does_not_wait),
        cmocka_unit_test(sdv_file_with_a_sparse_tail_is_read_and_sought_in_without_memory_for_it),
        cmocka_unit_test(sdv_source_of_zeros_without_an_end_ends),
        cmocka_unit_test(sdv_file_of_headers_with_wrong_checksums_is_read_in_linear_time),
        cmocka_unit_test(sdv_packet_larger_than_it_can_be_is_none),
        cmocka_unit_test(sdv_reader_and_writer_refused_memory_say_so),
        cmocka_unit_test(sdv_calls_with_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
