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

int main(void)
{
    if (!has_delta())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sdv_file_with_or_without_index_is_read_and_sought_in),
        cmocka_unit_test(sdv_file_cut_short_ends_with_an_error_that_says_where),
        cmocka_unit_test(sdv_file_with_a_damaged_packet_goes_on_at_the_next_keyframe),
        cmocka_unit_test(sdv_reader_told_to_stop_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
