/*
 * The process that decodes for saccade view: it ends when it is told to, whatever signals who
 * starts it blocks and whatever it waits for. Scripts are in its place, and read is what they
 * write.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/live.h"
#include "view/video/decoder.h"

static char script[] = "/tmp/saccade-decoder-XXXXXX";
static char came[4096];   /* the beginning of what the decoder wrote */
static sac_status answer; /* of the source, once it has read that */
static const video_input film = {.path = "film.mp4", .shown = "film.mp4"};

char *cli_live_program(void)
{
    return strdup(script);
}

sac_status cli_source_open(cli_source *source, const char *path, const int32_t size[2],
                           int32_t format, sac_error *err)
{
    (void)source, (void)size, (void)format;
    const int fd = open(path, O_RDONLY);
    const ssize_t n = read(fd, came, sizeof came - 1);
    came[n > 0 ? n : 0] = '\0';
    close(fd);
    *err = (sac_error){.status = answer};
    return answer;
}

sac_status cli_source_open_packets(cli_source *source, const char *path, int32_t format,
                                   sac_error *err)
{
    (void)source, (void)path, (void)format, (void)err;
    return SAC_E_UNSUPPORTED;
}

bool cli_packets_is(const char *path)
{
    (void)path;
    return false;
}

uint64_t cli_packets_missing(const cli_packets *packets)
{
    (void)packets;
    return 0;
}

sac_status cli_source_read(cli_source *source, const sac_array *frame, sac_error *err)
{
    char rest[4096];
    (void)source, (void)frame, (void)err;
    const int fd = open(came, O_RDONLY); /* where the test has put the pipe's name */
    while (read(fd, rest, sizeof rest) > 0) {
    }
    close(fd);
    return SAC_END;
}

void cli_source_close(cli_source *source)
{
    (void)source;
}

int cli_frame_error(const sac_error *err, const int32_t size[2], int32_t format)
{
    (void)err, (void)size, (void)format;
    return CLI_FAILED;
}

static sac_status open_with(video_reader *reader, const char *text, sac_status wanted,
                            sac_error *err)
{
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(script, 0700), 0);
    answer = wanted;
    return video_reader_open(reader, &film, err);
}

static void assert_gone(pid_t decoder)
{
    assert_true(decoder > 0);
    assert_int_equal(waitpid(decoder, NULL, WNOHANG), -1);
}

/* As a session's thread does, and a command under nohup or from a shell that ignores SIGPIPE. */
static void decoder_takes_signals_that_its_parent_blocks(void **unused)
{
    (void)unused;
    video_reader reader;
    sac_error err = {0};
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    void (*was)(int) = signal(SIGPIPE, SIG_IGN);
    const sac_status st = open_with(
        &reader, "grep -e SigBlk -e SigIgn /proc/self/status | tr '\\n' ' '; exec sleep 1000",
        SAC_OK, &err);
    signal(SIGPIPE, was);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    const pid_t decoder = reader.decoder;
    video_reader_close(&reader);
    assert_ok(st, &err);
    unsigned long long blocked = 1, ignored = 0;
    assert_int_equal(sscanf(came, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
    assert_int_equal(blocked, 0);
    assert_int_equal(ignored & (1U << (SIGPIPE - 1) | 1U << (SIGTERM - 1)), 0);
    assert_gone(decoder);
}

static void decoder_that_will_not_end_is_killed(void **unused)
{
    (void)unused;
    video_reader reader;
    sac_error err = {0};
    const sac_status st = open_with(&reader, "trap '' TERM; echo; exec sleep 1000", SAC_OK, &err);
    const pid_t decoder = reader.decoder;
    video_reader_close(&reader);
    assert_ok(st, &err);
    assert_gone(decoder);
}

/* It waits for somebody to read, who has given up. */
static void refused_head_does_not_wait_for_the_decoder(void **unused)
{
    (void)unused;
    video_reader reader;
    sac_error err = {0};
    assert_int_equal(open_with(&reader, "exec yes", SAC_E_NOMEM, &err), SAC_E_NOMEM);
    assert_int_equal(err.status, SAC_E_NOMEM);
    const pid_t decoder = reader.decoder;
    video_reader_close(&reader);
    assert_gone(decoder);
}

static void failure_of_the_decoder_is_the_reason(void **unused)
{
    (void)unused;
    video_reader reader;
    sac_error err = {0};
    assert_int_equal(open_with(&reader, "exit 3", SAC_E_IO, &err), SAC_E_FORMAT);
    assert_string_equal(err.text, ""); /* it has said why */
    assert_int_equal(reader.decoder, 0);
    video_reader_close(&reader);
    assert_int_equal(open_with(&reader, "kill -9 $$", SAC_E_IO, &err), SAC_E_FORMAT);
    assert_non_null(strstr(err.text, "broke off"));
    video_reader_close(&reader);
}

static void end_of_the_decoder_is_the_videos(void **unused)
{
    (void)unused;
    video_reader reader;
    sac_array none = {0};
    for (int failed = 0; failed < 2; failed++) {
        sac_error err = {0};
        assert_ok(open_with(&reader, failed ? "echo; exit 1" : "echo", SAC_OK, &err), &err);
        snprintf(came, sizeof came, "/dev/fd/%d", reader.fd);
        assert_int_equal(video_reader_read(&reader, &none, &err), failed ? SAC_E_FORMAT : SAC_END);
        video_reader_close(&reader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoder_takes_signals_that_its_parent_blocks),
        cmocka_unit_test(decoder_that_will_not_end_is_killed),
        cmocka_unit_test(refused_head_does_not_wait_for_the_decoder),
        cmocka_unit_test(failure_of_the_decoder_is_the_reason),
        cmocka_unit_test(end_of_the_decoder_is_the_videos),
    };
    const int fd = mkstemp(script);
    if (fd < 0)
        return 1;
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(script);
    return failed;
}
