/*
 * Video: what is refused, and readers and writers that are used wrongly, stopped or out of memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_video.h"

/* Reads one frame from text and bytes behind it. */
static sac_status parse(const char *text, size_t size, const sac_video_info *wanted, sac_error *err)
{
    sac_video_reader *reader;
    uint8_t pixels[4096];
    sac_status st = sac_video_reader_parse(&reader, (const uint8_t *)text, size, wanted, err);
    if (st != SAC_OK) {
        assert_null(reader);
        return st;
    }
    sac_video_info info = info_of_video(reader);
    assert_true(info.w * info.h * 4 <= (int64_t)sizeof pixels);
    sac_array frame = frame_of(&info, pixels);
    while ((st = sac_video_read(reader, &frame, err)) == SAC_OK) {
    }
    sac_video_reader_close(&reader);
    return st;
}

static void y4m_bad_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sac_status status;
        const char *word;
    } cases[] = {
        {"YUV4MPEG2 W2 H1 C444\nFRAME\nabcdefFRAME\nabcdef", SAC_END, ""},
        {"YUV4MPEG2 W2 H1 C444\nFRAME Ip XFOO\nabcdef", SAC_END, ""},
        {"YUV4MPEG2  W2 H1 C444 XWHATEVER=1\n", SAC_END, ""},
        {"YUV4MPEG2 W2 H1 C444\nFRAME\nabcdefYUV4MPEG2 W2 H1 C444\nFRAME\nabcdef", SAC_END, ""},
        {"YUV4MPEG2 W2 H1 C444\nFRAME\nabcdefYUV4MPEG2 W1 H2 C444\nFRAME\nabcdef", SAC_E_FORMAT,
         "from 2 x 1 to 1 x 2"},
        {"YUV4MPEG2 W2 H1 C444\nFRAME\nabcdefFRAME\nabcde", SAC_E_FORMAT, "frame 1 is cut short"},
        {"YUV4MPEG2 W2 H1 C444\nFRAME\nabcdefFRA", SAC_E_FORMAT, "frame 1 is cut short"},
        {"YUV4MPEG2 W2 H1 C444\nFRAME\nabc", SAC_E_FORMAT, "frame 0 is cut short"},
        {"YUV4MPEG2 W2 H1 C444\nabcd", SAC_E_FORMAT, "cut short"},
        {"YUV4MPEG2 W2 H1 C444\nYUV4MPEG2 W2 H1 C444\nYUV4MPEG2 W2 H1 C444\nabc", SAC_E_FORMAT,
         "expected `FRAME`"}, /* headers without end */
        {"YUV4MPEG2 W2 H1 C444\nFRAMES\nabcdef", SAC_E_FORMAT, "expected `FRAME`"},
        {"YUV4MPEG2 W2 H1 C444", SAC_E_FORMAT, "does not end"},
        {"YUV4MP", SAC_E_FORMAT, "does not end"},
        {"YUV4MPEG22 W2 H1\n", SAC_E_FORMAT, "is not Y4M"},
        {"YUV4MPEG2 H1\n", SAC_E_FORMAT, "0 x 1"},
        {"YUV4MPEG2 W0 H1\n", SAC_E_FORMAT, "0 x 1"},
        {"YUV4MPEG2 W-1 H1\n", SAC_E_FORMAT, "`W-1`"},
        {"YUV4MPEG2 W2x H1\n", SAC_E_FORMAT, "`W2x`"},
        {"YUV4MPEG2 W2\033[2J H1\n", SAC_E_FORMAT, "`W2?[2J`"}, /* no words for a terminal */
        {"YUV4MPEG2 W99999999999999999999 H1\n", SAC_E_FORMAT, "W and a width"},
        {"YUV4MPEG2 W16384 H16384\n", SAC_E_FORMAT, "16384 x 16384"},
        {"YUV4MPEG2 W20000 H1\n", SAC_E_FORMAT, "20000 x 1"},
        {"YUV4MPEG2 W10000 H10000\nFRAME\nabc", SAC_E_FORMAT, "only 9 came"},
        {"YUV4MPEG2 W2 H1 F25\n", SAC_E_FORMAT, "`F25`"},
        {"YUV4MPEG2 W2 H1 A1:-1\n", SAC_E_FORMAT, "`A1:-1`"},
        {"YUV4MPEG2 W2 H1 I\n", SAC_E_FORMAT, "`I`"},
        {"YUV4MPEG2 W2 H1 Ix\n", SAC_E_FORMAT, "`Ix`"},
        {"YUV4MPEG2 W2 H1 Q\n", SAC_E_FORMAT, "`Q`"},
        {"YUV4MPEG2 W2 H1 It\n", SAC_E_UNSUPPORTED, "interlaced"},
        {"YUV4MPEG2 W2 H1 C420p10\n", SAC_E_UNSUPPORTED, "420p10"},
        {"YUV4MPEG2 W2 H1 C411\n", SAC_E_UNSUPPORTED, "411"},
        {"YUV4MPEG2 W2 H1 C444alpha\n", SAC_E_UNSUPPORTED, "444alpha"},
        {"", SAC_E_FORMAT, "empty"},
        {"abc", SAC_E_INVALID, "raw frames need their size"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_error err = {.status = cases[i].status};
        sac_status st = parse(cases[i].text, strlen(cases[i].text), NULL, &err);
        if (cases[i].status == SAC_END)
            assert_int_equal(st, SAC_END);
        else
            assert_failed(st, cases[i].status, &err, cases[i].word);
    }
}

static void y4m_endless_header_is_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    char text[9000];
    memset(text, 'X', sizeof text);
    memcpy(text, "YUV4MPEG2 W2 H1 ", 16);
    assert_failed(parse(text, sizeof text, NULL, &err), SAC_E_FORMAT, &err, "longer than 4095");
    assert_failed(parse(text, 4000, NULL, &err), SAC_E_FORMAT, &err, "does not end");
    memcpy(text, "YUV4MPEG2 W2 H1 C444\nFRAME ", 27);
    assert_failed(parse(text, sizeof text, NULL, &err), SAC_E_FORMAT, &err, "longer than 4095");
    assert_failed(parse(text, 4000, NULL, &err), SAC_E_FORMAT, &err, "frame 0 is cut short");
    memcpy(text + 21, "YUV4MPEG2 ", 10);
    assert_failed(parse(text, sizeof text, NULL, &err), SAC_E_FORMAT, &err, "longer than 4095");
    memset(text + 21, 'X', 10);
    assert_failed(parse(text, sizeof text, NULL, &err), SAC_E_FORMAT, &err, "frame 0: expected");
    text[12] = '\0';
    assert_failed(parse(text, sizeof text, NULL, &err), SAC_E_FORMAT, &err, "does not end");
}

/* Tags of anybody's own, up to the last byte that a header may have, in each of the headers; a byte
 * more is too long. */
static void y4m_long_headers_are_read(void **state)
{
    (void)state;
    static const char *const begins[] = {"YUV4MPEG2 W2 H1 C444 X", "FRAME X"};
    for (size_t length = SAC_Y4M_LINE - 2; length <= SAC_Y4M_LINE; length++) {
        for (int of = 0; of < 3; of++) { /* the file's, a frame's, that of a second stream */
            sac_error err = {.status = SAC_END};
            char text[SAC_Y4M_LINE + 128];
            size_t n = 0;
            for (int line = 0; line < 4; line++) {
                const char *begin = begins[line % 2];
                const size_t end = n + (line == of ? length : strlen(begin));
                memset(text + n, 'X', end - n);
                memcpy(text + n, begin, strlen(begin));
                text[end] = '\n';
                n = end + 1;
                if (line % 2) {
                    memcpy(text + n, "abcdef", 6);
                    n += 6;
                }
            }
            const sac_status st = parse(text, n, NULL, &err);
            if (length < SAC_Y4M_LINE)
                assert_int_equal(st, SAC_END);
            else
                assert_failed(st, SAC_E_FORMAT, &err, "longer than 4095 bytes");
        }
    }
}

static void raw_bad_is_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_video_info info = info_of(2, 2, SAC_PIXEL_RGB);
    assert_failed(parse("abcdefghijklm", 13, &info, &err), SAC_E_FORMAT, &err, "frame 1 is cut");
    assert_failed(parse("abc", 3, &info, &err), SAC_E_FORMAT, &err, "only 3 came");
    info.w = 100000;
    assert_failed(parse("abc", 3, &info, &err), SAC_E_FORMAT, &err, "100000 x 2");
    info.w = -1;
    assert_failed(parse("abc", 3, &info, &err), SAC_E_FORMAT, &err, "-1 x 2");
    info.pixel = (sac_video_pixel)9;
    assert_failed(parse("abc", 3, &info, &err), SAC_E_INVALID, &err, "pixel");
}

/* What the question read of a pipe comes first from the next reader. */
static void y4m_asked_for_in_a_pipe_is_still_whole(void **state)
{
    (void)state;
    static const char *const texts[] = {"YUV4MPEG2 W2 H1 C444\nFRAME\nabcdef", "P5 1 1 255 x", "P"};
    for (int i = 0; i < 3; i++) {
        int ends[2];
        sac_error err = {0};
        sac_video_reader *reader = NULL;
        sac_picture *p = NULL;
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], texts[i], strlen(texts[i])), strlen(texts[i]));
        close(ends[1]);
        int saved = dup(STDIN_FILENO);
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        bool is_y4m = sac_video_is_y4m("-");
        bool again = sac_video_is_y4m("-");
        sac_status st = is_y4m ? sac_video_reader_open(&reader, "-", NULL, &err)
                               : sac_picture_read(&p, "-", 0, &err);
        uint8_t pixels[6];
        sac_video_info info = info_of_video(reader);
        sac_array frame = is_y4m ? frame_of(&info, pixels) : (sac_array){0};
        sac_status read = is_y4m ? sac_video_read(reader, &frame, &err) : SAC_OK;
        dup2(saved, STDIN_FILENO);
        close(saved);
        assert_int_equal(is_y4m, i == 0);
        assert_int_equal(again, is_y4m);
        assert_int_equal(st, i == 2 ? err.status : SAC_OK);
        assert_int_equal(read, SAC_OK);
        assert_true(i != 1 || *(uint8_t *)sac_picture_get_array(p).data == 'x');
        sac_video_reader_close(&reader);
        sac_picture_close(&p);
    }
    put_file("a.y4m", texts[0], strlen(texts[0]));
    assert_true(sac_video_is_y4m("a.y4m"));
    assert_false(sac_video_is_y4m("none"));
    assert_false(sac_video_is_y4m(NULL));
}

static void video_calls_take_no_null(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_video_info info = info_of(2, 1, SAC_PIXEL_GRAY);
    sac_video_reader *reader;
    sac_video_writer *writer;
    sac_array frame = {0};
    assert_failed(sac_video_reader_open(NULL, "x", NULL, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_video_reader_open(&reader, NULL, NULL, &err), SAC_E_INVALID, &err, "path");
    assert_failed(sac_video_read(NULL, &frame, &err), SAC_E_INVALID, &err, "reader");
    assert_failed(sac_video_writer_open(NULL, "x", &info, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_video_writer_open(&writer, NULL, &info, &err), SAC_E_INVALID, &err, "path");
    assert_failed(sac_video_writer_open(&writer, "x.y4m", NULL, &err), SAC_E_INVALID, &err, "info");
    assert_failed(sac_video_write(NULL, &frame, &err), SAC_E_INVALID, &err, "writer");
    put_file("a.raw", "ab", 2);
    assert_ok(sac_video_reader_open(&reader, "a.raw", &info, &err), &err);
    assert_failed(sac_video_read(reader, NULL, &err), SAC_E_INVALID, &err, "frame");
    sac_video_reader_close(&reader);
    assert_ok(sac_video_writer_open(&writer, "b.raw", &info, &err), &err);
    assert_failed(sac_video_write(writer, NULL, &err), SAC_E_INVALID, &err, "frame");
    assert_ok(sac_video_writer_close(&writer, &err), &err);
    sac_video_reader_get_info(NULL, &info);
    sac_video_reader_get_info(NULL, NULL);
    assert_string_equal(sac_video_reader_get_note(NULL), "");
    sac_video_reader_close(NULL);
    assert_ok(sac_video_writer_close(NULL, &err), &err);
}

static void reader_bad_paths_are_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_video_reader *reader;
    static const struct {
        const char *path;
        sac_status status;
        const char *word;
    } cases[] = {{"none.y4m", SAC_E_IO, "none.y4m"},    {"a-%04d.ppm", SAC_E_IO, "number"},
                 {"a-%s.ppm", SAC_E_INVALID, "%04d"},   {"a-%d-%d.ppm", SAC_E_INVALID, "%04d"},
                 {"a-%", SAC_E_INVALID, "%04d"},        {"none/", SAC_E_IO, "none/"},
                 {"text.y4m", SAC_E_FORMAT, "not Y4M"}, {".", SAC_E_IO, "no pictures"}};
    put_file("text.y4m", "hello\n", 6);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_failed(sac_video_reader_open(&reader, cases[i].path, NULL, &err), cases[i].status,
                      &err, cases[i].word);
        assert_null(reader);
    }
}

static void pictures_that_change_size_are_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_video_reader *reader;
    put_file("p1.pgm", "P5\n1 1\n255\nx", 12);
    put_file("p2.pgm", "P5\n2 1\n255\nxy", 13);
    put_file("q1.pgm", "P5\n1 1\n65535\nxy", 15);
    assert_ok(sac_video_reader_open(&reader, "p%d.pgm", NULL, &err), &err);
    uint8_t pixel;
    sac_video_info info = info_of_video(reader);
    sac_array frame = frame_of(&info, &pixel);
    assert_ok(sac_video_read(reader, &frame, &err), &err);
    assert_int_equal(pixel, 'x');
    assert_failed(sac_video_read(reader, &frame, &err), SAC_E_FORMAT, &err, "p2.pgm");
    frame.shape[0] = 2;
    assert_failed(sac_video_read(reader, &frame, &err), SAC_E_SHAPE, &err, "1 x 1");
    sac_video_reader_close(&reader);
    assert_failed(sac_video_reader_open(&reader, "q%d.pgm", NULL, &err), SAC_E_UNSUPPORTED, &err,
                  "16 bits");
}

static void writer_bad_use_is_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_video_writer *writer;
    sac_video_info info = info_of(2, 2, SAC_PIXEL_GRAY);
    assert_failed(sac_video_writer_open(&writer, "x", &info, &err), SAC_E_INVALID, &err, "ending");
    assert_failed(sac_video_writer_open(&writer, "no/such.y4m", &info, &err), SAC_E_IO, &err,
                  "no/such");
    assert_failed(sac_video_writer_open(&writer, "no/x-%d.ppm", &info, &err), SAC_E_IO, &err,
                  "no/");
    assert_int_equal(count_files(false), 0);
    uint8_t pixels[4] = {0};
    sac_array frame = frame_of(&info, pixels);
    assert_ok(sac_video_writer_open(&writer, "x.pgm", &info, &err), &err);
    assert_ok(sac_video_write(writer, &frame, &err), &err);
    assert_failed(sac_video_write(writer, &frame, &err), SAC_E_INVALID, &err, "several frames");
    assert_ok(sac_video_writer_close(&writer, &err), &err);
    info.w = 0;
    assert_failed(sac_video_writer_open(&writer, "x.y4m", &info, &err), SAC_E_FORMAT, &err,
                  "0 x 2");
}

/* What is written is there at any time, not only behind close. */
static void writer_frames_are_there_before_close(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_video_writer *writer;
    sac_video_info info = info_of(2, 2, SAC_PIXEL_GRAY);
    info.chroma = SAC_CHROMA_MONO;
    uint8_t pixels[4] = {1, 2, 3, 4};
    sac_array frame = frame_of(&info, pixels);
    assert_ok(sac_video_writer_open(&writer, "x.y4m", &info, &err), &err);
    assert_ok(sac_video_write(writer, &frame, &err), &err);
    size_t size;
    uint8_t *data = get_file("x.y4m", &size);
    assert_true(size > 10 && memcmp(data + size - 10, "FRAME\n", 6) == 0);
    free(data);
    assert_ok(sac_video_writer_close(&writer, &err), &err);
}

static void open_without_memory_is_clean(void **state)
{
    (void)state;
    static const char text[] = "YUV4MPEG2 W2 H1 C444\nFRAME\nabcdef";
    sac_video_info info = info_of(2, 1, SAC_PIXEL_RGB);
    for (int n = 0; n < 3; n++) {
        sac_error err = {0};
        sac_video_reader *reader;
        sac_video_writer *writer;
        refuse_from(n);
        sac_status st =
            sac_video_reader_parse(&reader, (const uint8_t *)text, sizeof text - 1, NULL, &err);
        assert_failed(st, SAC_E_NOMEM, &err, "memory");
        refuse_from(n);
        st = sac_video_writer_open(&writer, "x.y4m", &info, &err);
        sac_alloc_hook(NULL);
        assert_failed(st, SAC_E_NOMEM, &err, "memory");
        assert_true(!reader && !writer);
    }
}

/* What is ready is read; where a read would wait, within a frame too, it ends instead. */
static void reader_told_to_stop_does_not_wait(void **state)
{
    (void)state;
    const uint64_t one = 1;
    uint8_t pixels[6] = {0};
    sac_error err = {0};
    sac_video_reader *reader = NULL;
    sac_video_info info = info_of(2, 1, SAC_PIXEL_RGB);
    const sac_array frame = frame_of(&info, pixels);
    int stop = eventfd(0, EFD_CLOEXEC);
    assert_true(stop >= 0);
    assert_int_equal(mkfifo("waits", 0666), 0);
    int fifo = open("waits", O_RDWR | O_CLOEXEC);
    assert_int_equal(write(fifo, "abcdefghijklm", 13), 13);
    assert_ok(sac_video_reader_open_stoppable(&reader, "waits", &info, stop, &err), &err);
    assert_ok(sac_video_read(reader, &frame, &err), &err);
    assert_int_equal(write(stop, &one, sizeof one), sizeof one);
    assert_ok(sac_video_read(reader, &frame, &err), &err);
    assert_memory_equal(pixels, "ghijkl", 6);
    assert_failed(sac_video_read(reader, &frame, &err), SAC_CANCELLED, &err, "stopped");
    sac_video_reader_close(&reader);
    close(fifo); /* and where nobody writes at all */
    assert_failed(sac_video_reader_open_stoppable(&reader, "waits", &info, stop, &err),
                  SAC_CANCELLED, &err, "stopped");
    assert_null(reader);
    close(stop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(y4m_bad_is_refused),
        cmocka_unit_test(y4m_endless_header_is_refused),
        cmocka_unit_test(y4m_long_headers_are_read),
        cmocka_unit_test(raw_bad_is_refused),
        cmocka_unit_test_setup(y4m_asked_for_in_a_pipe_is_still_whole, empty_folder),
        cmocka_unit_test_setup(video_calls_take_no_null, empty_folder),
        cmocka_unit_test_setup(reader_bad_paths_are_refused, empty_folder),
        cmocka_unit_test_setup(pictures_that_change_size_are_refused, empty_folder),
        cmocka_unit_test_setup(writer_bad_use_is_refused, empty_folder),
        cmocka_unit_test_setup(writer_frames_are_there_before_close, empty_folder),
        cmocka_unit_test_setup(open_without_memory_is_clean, empty_folder),
        cmocka_unit_test_setup(reader_told_to_stop_does_not_wait, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
