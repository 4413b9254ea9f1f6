/*
 * Files appear whole or not at all; pipes, devices, links and permissions are as a user expects.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_io.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/alloc.h"

static void assert_file(const char *path, const char *text)
{
    size_t size;
    uint8_t *data = get_file(path, &size);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(data, text, size);
    free(data);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777U;
}

static void file_new_takes_permissions_from_umask(void **state)
{
    (void)state;
    sac_error err;
    mode_t old = umask(027);
    sac_status st = sac_file_write("new", "abc", 3, &err);
    umask(old);
    assert_ok(st, &err);
    assert_file("new", "abc");
    assert_int_equal(mode_of("new"), 0640);
    assert_int_equal(count_files(false), 1);
}

static void file_existing_keeps_permissions(void **state)
{
    (void)state;
    sac_error err;
    put_file("old", "before", 6);
    assert_int_equal(chmod("old", 0604), 0);
    assert_ok(sac_file_write("old", "x", 1, &err), &err);
    assert_file("old", "x");
    assert_int_equal(mode_of("old"), 0604);
    assert_ok(sac_file_write("old", NULL, 0, &err), &err);
    assert_file("old", "");
}

static void file_link_stays_a_link(void **state)
{
    (void)state;
    sac_error err;
    put_file("target", "before", 6);
    assert_int_equal(symlink("target", "link"), 0);
    assert_ok(sac_file_write("link", "after", 5, &err), &err);
    assert_file("target", "after");
    struct stat st;
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_failed(sac_file_write("dangling", "x", 1, &err), SAC_E_IO, &err, "link to nothing");
}

static void file_that_cannot_be_is_refused(void **state)
{
    (void)state;
    sac_error err;
    put_file("file", "before", 6);
    assert_int_equal(mkdir("dir", 0777), 0);
    static const char *const paths[] = {"dir", "dir/", "no/x", "file/x", "", "new/"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_failed(sac_file_write(paths[i], "x", 1, &err), SAC_E_IO, &err, "cannot be written");
        assert_failed(sac_picture_can_write(paths[i], "ppm", &err), SAC_E_IO, &err, "written");
    }
    char longest[PATH_MAX + 10];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_failed(sac_file_write(longest, "x", 1, &err), SAC_E_IO, &err, strerror(ENAMETOOLONG));
    assert_failed(sac_file_write(NULL, "x", 1, &err), SAC_E_INVALID, &err, "path");
    assert_int_equal(count_files(false), 2);
}

static void file_that_may_not_be_written_is_refused(void **state)
{
    (void)state;
    sac_error err;
    put_file("protected", "before", 6);
    assert_int_equal(chmod("protected", 0444), 0);
    assert_int_equal(mkdir("dir", 0555), 0);
    assert_int_equal(chmod(".", 0777), 0);
    bool is_root = geteuid() == 0; /* who may write anywhere */
    if (is_root && seteuid(65534) != 0)
        skip_test("root that cannot become another user may write anywhere");
    sac_error err2;
    sac_error err3;
    sac_status file = sac_file_write("protected", "x", 1, &err);
    sac_status folder = sac_file_write("dir/x", "x", 1, &err2);
    sac_status ask = sac_picture_can_write("dir/x.ppm", NULL, &err3);
    assert_int_equal(is_root ? seteuid(0) : 0, 0);
    assert_failed(file, SAC_E_IO, &err, "`protected`: cannot be written: Permission denied");
    assert_failed(folder, SAC_E_IO, &err2, "folder `dir/`: Permission denied");
    assert_failed(ask, SAC_E_IO, &err3, "folder `dir/`: Permission denied");
    assert_file("protected", "before");
    assert_int_equal(count_files(false), 2);
}

/* Lets files grow to `bytes` and no further: a full disk that needs no root. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void picture_write_that_fails_leaves_nothing(void **state)
{
    (void)state;
    static const char *const formats[] = {"pnm",  "pam", "png", "jpg", "tif",
                                          "webp", "gif", "jp2", "jxl", "bmp"};
    sac_error err;
    sac_picture *p = random_picture(SAC_U8, 500, 400, 3);
    put_file("old", "before", 6);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (sac_picture_can_write("new", formats[i], &err) != SAC_OK) {
            print_message("no %s here: %s\n", formats[i], err.text);
            continue;
        }
        limit_files(20000);
        sac_status into_old = sac_picture_write(p, "old", formats[i], &err);
        sac_status into_new = sac_picture_write(p, "new", formats[i], &err);
        limit_files(RLIM_INFINITY);
        assert_int_equal(into_old, SAC_E_IO);
        assert_failed(into_new, SAC_E_IO, &err, "`new`: cannot be written: File too large");
        assert_file("old", "before");
        assert_int_equal(count_files(false), 1);
    }
    sac_picture_close(&p);
}

static void picture_into_a_device_is_written_straight(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = random_picture(SAC_U16, 50, 40, 3);
    assert_ok(sac_picture_write(p, "/dev/null", "ppm", &err), &err);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    if (access("/dev/full", W_OK) == 0)
        assert_failed(sac_picture_write(p, "/dev/full", "ppm", &err), SAC_E_IO, &err,
                      "No space left on device");
    sac_picture_close(&p);
}

static void *write_fifo(void *picture)
{
    sac_error err;
    sac_status st = sac_picture_write(picture, "fifo", "pnm", &err);
    return st == SAC_OK ? picture : NULL;
}

static void picture_goes_through_a_fifo(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = random_picture(SAC_U16, 301, 203, 4); /* more than a pipe holds */
    sac_picture *q = NULL;
    assert_int_equal(mkfifo("fifo", 0666), 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_fifo, p), 0);
    sac_status st = sac_picture_read(&q, "fifo", 0, &err);
    void *written;
    pthread_join(writer, &written);
    assert_ok(st, &err);
    assert_non_null(written);
    assert_same_picture(q, p);
    sac_picture_close(&p);
    sac_picture_close(&q);
}

/* Puts `path`, opened, in the place of `fd`; returns what was there. */
static int replace_fd(int fd, const char *path, int flags)
{
    int saved = dup(fd);
    int file = open(path, flags, 0666);
    assert_true(saved >= 0 && file >= 0);
    assert_int_equal(dup2(file, fd), fd);
    close(file);
    return saved;
}

static void restore_fd(int fd, int saved)
{
    dup2(saved, fd);
    close(saved);
}

static void picture_goes_through_standard_output_and_input(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = random_picture(SAC_U8, 301, 203, 3);
    fflush(stdout);
    int saved = replace_fd(STDOUT_FILENO, "out", O_WRONLY | O_CREAT);
    sac_status st = sac_picture_write(p, "-", NULL, &err);
    if (st == SAC_OK)
        st = sac_picture_write(p, "-", "pam", &err);
    restore_fd(STDOUT_FILENO, saved);
    assert_ok(st, &err);

    /* Two pictures behind each other: the second begins where the first ends. */
    saved = replace_fd(STDIN_FILENO, "out", O_RDONLY);
    sac_picture *q = NULL;
    st = sac_picture_read(&q, "-", 0, &err);
    off_t second = (off_t)picture_bytes(p) + (off_t)strlen("P6\n301 203\n255\n");
    lseek(STDIN_FILENO, second, SEEK_SET);
    sac_picture *r = NULL;
    sac_status st2 = sac_picture_read(&r, "-", 0, &err);
    restore_fd(STDIN_FILENO, saved);
    assert_ok(st, &err);
    assert_ok(st2, &err);
    assert_same_picture(q, p);
    assert_same_picture(r, p);
    sac_picture_close(&p);
    sac_picture_close(&q);
    sac_picture_close(&r);
}

static void picture_read_of_no_picture_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = NULL;
    put_file("empty", "", 0);
    put_file("junk", "junk", 4);
    assert_int_equal(mkdir("dir", 0777), 0);
    assert_failed(sac_picture_read(&p, "missing", 0, &err), SAC_E_IO, &err, "`missing`: No such");
    assert_failed(sac_picture_read(&p, "dir", 0, &err), SAC_E_IO, &err, "folder");
    assert_failed(sac_picture_read(&p, "empty", 0, &err), SAC_E_FORMAT, &err, "is empty");
    assert_failed(sac_picture_read(NULL, "junk", 0, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_picture_read(&p, NULL, 0, &err), SAC_E_INVALID, &err, "path");
    bool vips = strstr(sac_io_parts(), "libvips") != NULL;
    assert_failed(sac_picture_read(&p, "junk", 0, &err), vips ? SAC_E_FORMAT : SAC_E_UNSUPPORTED,
                  &err, vips ? "is not a picture of a" : "this build reads PNM and BMP only");
    assert_null(p);
    char path[400];
    memset(path, 'd', sizeof path);
    memcpy(path + sizeof path - 7, "/x.png", 7);
    assert_int_equal(sac_picture_read(&p, path, 0, &err), SAC_E_IO);
    assert_non_null(strstr(err.text, "/x.png`: ")); /* the end of a long name, and the reason */
}

static void picture_can_write_answers_as_write_would(void **state)
{
    (void)state;
    sac_error err;
    static const struct {
        const char *path, *format;
        sac_status want;
        const char *word;
    } cases[] = {
        {"x", NULL, SAC_E_INVALID, "no ending"},     {".ppm", NULL, SAC_E_INVALID, "no ending"},
        {"a.b/x", NULL, SAC_E_INVALID, "no ending"}, {"x.", NULL, SAC_E_INVALID, "no ending"},
        {"x.xyz", NULL, SAC_E_INVALID, "`xyz`"},     {"x.ppm", "xyz", SAC_E_INVALID, "`xyz`"},
        {"no/x.ppm", NULL, SAC_E_IO, "folder `no/`"}};
    sac_picture *p = random_picture(SAC_U8, 2, 2, 3);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_failed(sac_picture_can_write(cases[i].path, cases[i].format, &err), cases[i].want,
                      &err, cases[i].word);
        assert_failed(sac_picture_write(p, cases[i].path, cases[i].format, &err), cases[i].want,
                      &err, cases[i].word);
    }
    sac_picture_close(&p);
    assert_ok(sac_picture_can_write("x.ppm", NULL, &err), &err);
    assert_ok(sac_picture_can_write("x", "ppm", &err), &err);
    assert_ok(sac_picture_can_write("-", NULL, &err), &err);
    assert_int_equal(count_files(false), 0);
}

static int allowed;

static bool count_down(size_t bytes)
{
    (void)bytes;
    return allowed-- > 0;
}

/* Reads with n allocations granted; true when that was enough. */
static bool read_with(int n, const char *path)
{
    sac_error err = {0};
    sac_picture *p = NULL;
    allowed = n;
    sac_alloc_hook(count_down);
    sac_status st = sac_picture_read(&p, path, 0, &err);
    sac_alloc_hook(NULL);
    assert_int_equal(p != NULL, st == SAC_OK);
    if (st != SAC_OK)
        assert_failed(st, SAC_E_NOMEM, &err, "no memory");
    sac_picture_close(&p);
    return st == SAC_OK;
}

static void picture_read_without_memory_is_refused(void **state)
{
    (void)state;
    sac_error err;
    sac_picture *p = random_picture(SAC_U8, 301, 100, 1);
    assert_ok(sac_picture_write(p, "x.pgm", NULL, &err), &err);
    sac_picture_close(&p);
    int n = 0;
    while (!read_with(n, "x.pgm"))
        n++;
    assert_int_equal(n, 2); /* the picture, its pixels */
}

static void picture_piped_without_memory_is_refused(void **state)
{
    (void)state;
    static const uint8_t zeros[40000]; /* fits a pipe, but not the reader's buffer */
    bool enough = false;
    int n;
    for (n = 0; !enough; n++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], "P5 200 200 255 ", 15), 15);
        assert_int_equal(write(ends[1], zeros, sizeof zeros), sizeof zeros);
        close(ends[1]);
        int saved = dup(STDIN_FILENO);
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        enough = read_with(n, "-");
        restore_fd(STDIN_FILENO, saved);
    }
    assert_int_equal(n - 1, 2); /* the picture, its pixels: nothing of the pipe is kept */
}

static void picture_calls_take_no_null(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_picture *p = random_picture(SAC_U8, 3, 2, 1), *q = NULL;
    sac_picture_read_desc read;
    sac_picture_write_desc write;
    sac_picture_read_desc_init(&read);
    sac_picture_write_desc_init(&write);
    assert_int_equal(read.max_pixels, SAC_PICTURE_MAX_PIXELS);
    assert_int_equal(write.quality, SAC_PICTURE_QUALITY);
    assert_failed(sac_picture_read_with(NULL, "x", &read, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_picture_read_with(&q, NULL, &read, &err), SAC_E_INVALID, &err, "path");
    assert_failed(sac_picture_new(NULL, SAC_U8, 1, 1, 1, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_picture_write(NULL, "x.ppm", NULL, &err), SAC_E_INVALID, &err, "picture");
    assert_failed(sac_picture_write(p, NULL, NULL, &err), SAC_E_INVALID, &err, "path");
    assert_failed(sac_picture_can_write(NULL, NULL, &err), SAC_E_INVALID, &err, "path");
    assert_failed(sac_file_write(NULL, "x", 1, &err), SAC_E_INVALID, &err, "path");
    assert_failed(sac_file_write("x", NULL, 1, &err), SAC_E_INVALID, &err, "data");
    read.page = -1;
    assert_failed(sac_picture_read_with(&q, "x.ppm", &read, &err), SAC_E_INVALID, &err, "page");
    for (int i = 0; i < 2; i++) {
        write.quality = i ? 101 : 0;
        assert_failed(sac_picture_write_with(p, "x.pgm", &write, &err), SAC_E_INVALID, &err,
                      "quality: expected 1 to 100");
    }
    assert_null(sac_picture_get_array(NULL).data);
    assert_string_equal(sac_picture_get_note(NULL), "");
    assert_int_equal(sac_picture_get_pages(NULL), 0);
    sac_picture_close(NULL);
    sac_picture_close(&q);
    sac_picture_close(&p);
    assert_int_equal(count_files(false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(file_new_takes_permissions_from_umask, empty_folder),
        cmocka_unit_test_setup(file_existing_keeps_permissions, empty_folder),
        cmocka_unit_test_setup(file_link_stays_a_link, empty_folder),
        cmocka_unit_test_setup(file_that_cannot_be_is_refused, empty_folder),
        cmocka_unit_test_setup(file_that_may_not_be_written_is_refused, empty_folder),
        cmocka_unit_test_setup(picture_write_that_fails_leaves_nothing, empty_folder),
        cmocka_unit_test_setup(picture_into_a_device_is_written_straight, empty_folder),
        cmocka_unit_test_setup(picture_goes_through_a_fifo, empty_folder),
        cmocka_unit_test_setup(picture_goes_through_standard_output_and_input, empty_folder),
        cmocka_unit_test_setup(picture_read_of_no_picture_is_refused, empty_folder),
        cmocka_unit_test_setup(picture_can_write_answers_as_write_would, empty_folder),
        cmocka_unit_test_setup(picture_read_without_memory_is_refused, empty_folder),
        cmocka_unit_test_setup(picture_piped_without_memory_is_refused, empty_folder),
        cmocka_unit_test_setup(picture_calls_take_no_null, empty_folder),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
