/*
 * Where frames of a video come from: a reader, and what decodes for it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/live.h"

enum { END_MS = 3000, LOOK_MS = 5 }; /* a decoder that is told to end has that long */
enum { PATIENCE_MS = 1000 };         /* then it is said what is waited for */

bool video_is_received(const char *path)
{
    static const char *const schemes[] = {"srt://", "tcp://", "udp://"};
    bool is = false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        is = is || strncmp(path, schemes[i], strlen(schemes[i])) == 0;
    }
    return is;
}

bool video_is_endless(const char *path)
{
    struct stat info;
    return video_is_received(path) || strncasecmp(path, "rtsp://", 7) == 0 ||
           strncasecmp(path, "rtsps://", 8) == 0 ||
           (strncmp(path, "/dev/video", 10) == 0 &&
            (stat(path, &info) != 0 || S_ISCHR(info.st_mode))) ||
           (strcmp(path, "test") == 0 && stat(path, &info) != 0);
}

bool video_is_decoded(const char *path)
{
    static const char *const endings[] = {".mp4",  ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg",
                                          ".mpeg", ".ts",  ".wmv", ".flv", ".ogv",  NULL};
    return video_is_endless(path) || (cli_ends_in(path, endings) && !strstr(path, "://"));
}

static sac_status refuse(sac_error *err, const char *why)
{
    err->status = SAC_E_IO;
    snprintf(err->text, sizeof err->text, "%s", why);
    return err->status;
}

/* The thread that starts a decoder blocks signals, and the command may ignore some; the decoder
 * ends by them. */
static void set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGTERM);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &usual);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static sac_status spawn(video_reader *r, char *const *words, int output, sac_error *err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    set_signals(&attributes);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    const int failed = posix_spawn(&r->decoder, words[0], &files, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (failed) {
        r->decoder = 0;
        return refuse(err, strerror(failed));
    }
    return SAC_OK;
}

static const char no_receiver[] =
    "saccade receive takes what comes there, and saccade-live, which does its work, is not "
    "installed (Debian: gstreamer1.0-saccade)";
static const char no_decoder[] =
    "GStreamer decodes this, and saccade-live is not installed (Debian: gstreamer1.0-saccade); or "
    "let FFmpeg: ffmpeg -i IN -vsync passthrough -f yuv4mpegpipe - | saccade view -";

/* What saccade-live does, which writes to `output`. */
static sac_status spawn_for(video_reader *r, char *program, const video_input *input, int output,
                            sac_error *err)
{
    char size[32], send[] = "send", to[] = "--to", receive[] = "receive", into[] = "--output";
    char dash[] = "-", with[] = "--size", end[] = "--", *path = cli_text("%s", input->path);
    char secret[] = "--passphrase-file";
    char *file = cli_text("%s", input->passphrase_file ? input->passphrase_file : "");
    snprintf(size, sizeof size, "%dx%d", input->size[0], input->size[1]);
    char *const sends[] = {program, send, to, dash, with, size, end, path, NULL};
    char *const receives[] = {program, receive, into, dash, end, path, NULL};
    char *const keyed[] = {program, receive, into, dash, secret, file, end, path, NULL};
    const sac_status st = spawn(r,
                                !video_is_received(input->path) ? sends
                                : input->passphrase_file        ? keyed
                                                                : receives,
                                output, err);
    free(file);
    free(path);
    return st;
}

static sac_status start(video_reader *r, const video_input *input, sac_error *err)
{
    char *program = cli_live_program();
    int fds[2];
    if (!program) {
        return refuse(err, video_is_received(input->path) ? no_receiver : no_decoder);
    }
    if (pipe2(fds, O_CLOEXEC) != 0) {
        free(program);
        return refuse(err, strerror(errno));
    }
    const sac_status st = spawn_for(r, program, input, fds[1], err);
    close(fds[1]);
    r->fd = fds[0];
    free(program);
    return st;
}

/* How the decoder ended, as waitpid tells it; 0 where there is none. */
static int wait_for(video_reader *r)
{
    int status = 0;
    while (r->decoder && waitpid(r->decoder, &status, 0) < 0 && errno == EINTR) {
    }
    r->decoder = 0;
    return status;
}

/* Whether the decoder writes no more: else it may wait for somebody to read. */
static bool has_ended(const video_reader *r)
{
    struct pollfd pipe = {.fd = r->fd};
    return poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLHUP);
}

/* Of what was decoded, once no more is read: an error where its decoder failed, which has said why,
 * or broke off. */
static sac_status ask_decoder(video_reader *r, sac_status st, sac_error *err)
{
    const int ended = st != SAC_CANCELLED && has_ended(r) ? wait_for(r) : 0;
    if (ended) {
        *err = (sac_error){.status = SAC_E_FORMAT};
        snprintf(err->text, sizeof err->text, "%s",
                 WIFSIGNALED(ended) ? "what decodes the video broke off" : "");
    }
    return ended ? err->status : st;
}

/* It is asked to end, and then made to. */
static void end_decoder(video_reader *r)
{
    int64_t left_ms = END_MS;
    kill(r->decoder, SIGTERM);
    while (left_ms > 0 && waitpid(r->decoder, NULL, WNOHANG) == 0) {
        left_ms -= LOOK_MS;
        poll(NULL, 0, LOOK_MS);
    }
    if (left_ms <= 0) {
        kill(r->decoder, SIGKILL);
        (void)wait_for(r);
    }
    r->decoder = 0;
}

/* The first packet may take any time: one that does not come at once is told of. */
static void wait_for_packets(const video_reader *r, const video_input *input)
{
    struct pollfd pipe = {.fd = r->fd, .events = POLLIN};
    if (poll(&pipe, 1, PATIENCE_MS) == 0) {
        cli_warn("%s: no frame yet", input->shown); /* why is the receiver's to say */
    }
}

/* Whether this build decodes packets: asked before a process is there for them. */
static sac_status check_packets(sac_error *err)
{
    sac_delta_decode_desc desc;
    sac_delta_decode *plan = NULL;
    sac_delta_decode_desc_init(&desc);
    const sac_status st = sac_delta_decode_open(&plan, &desc, err);
    sac_delta_decode_close(&plan);
    return st;
}

sac_status video_reader_open(video_reader *r, const video_input *input, sac_error *err)
{
    static const int32_t own_size[2] = {0, 0};
    const bool is_received = video_is_received(input->path);
    *r = (video_reader){.fd = -1};
    if (!video_is_decoded(input->path)) {
        return cli_packets_is(input->path)
                   ? cli_source_open_packets(&r->source, input->path, input->format, err)
                   : cli_source_open(&r->source, input->path, input->size, input->format, err);
    }
    sac_status st = is_received ? check_packets(err) : SAC_OK;
    st = st ? st : start(r, input, err);
    if (st != SAC_OK) {
        return st;
    }
    if (is_received) {
        wait_for_packets(r, input);
    }
    snprintf(r->path, sizeof r->path, "/dev/fd/%d", r->fd);
    st = is_received ? cli_source_open_packets(&r->source, r->path, input->format, err)
                     : cli_source_open(&r->source, r->path, own_size, input->format, err);
    return st ? ask_decoder(r, st, err) : st;
}

sac_status video_reader_read(video_reader *r, const sac_array *frame, sac_error *err)
{
    const sac_status st = cli_source_read(&r->source, frame, err);
    return st && st != SAC_AGAIN && r->decoder ? ask_decoder(r, st, err) : st;
}

void video_reader_close(video_reader *r)
{
    cli_source_close(&r->source);
    if (r->fd > 0) { /* closed, a decoder in the middle of a frame ends, too */
        close(r->fd);
    }
    if (r->decoder) {
        end_decoder(r);
    }
    r->fd = -1;
}

bool video_reader_losses(const video_reader *r, video_losses *out)
{
    const cli_packets *packets = &r->source.packets;
    if (!r->source.is_packets) {
        return false;
    }
    out->n_missing = (int64_t)cli_packets_missing(packets);
    out->n_refused = (int64_t)(packets->n_packets - packets->n_frames + packets->n_faults);
    out->awaits_key = packets->frame.wants_key;
    return true;
}

int video_reader_error(const video_input *input, const sac_error *err)
{
    return err->text[0] ? cli_frame_error(err, input->size, input->format) : CLI_FAILED;
}
