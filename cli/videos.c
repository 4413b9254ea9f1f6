/*
 * Frames' memory, and the signals that end a video early.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "videos.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "outputs.h"
#include "progress.h"

const char *const cli_frame_formats[] = {"auto", "gray", "rgb", "bgr", "rgba", "bgrx", NULL};
const char *const cli_frame_inputs[] = {"auto", "gray", "rgb",  "bgr", "rgba",
                                        "bgrx", "nv12", "i420", NULL};

enum { FIRST_PLANES = 6 }; /* of the list above */

/* The ending of a name, without its dot; "" where there is none. */
static const char *ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}

bool cli_frame_is_name(const char *path)
{
    static const char *const others[] = {"y4m", "raw", "yuv"};
    bool is = false;
    for (int i = 1; cli_frame_inputs[i]; i++) {
        is |= strcasecmp(ending(path), cli_frame_inputs[i]) == 0;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        is |= strcasecmp(ending(path), others[i]) == 0;
    }
    return is;
}

/* The pixel that a name says, or RGB. */
static sac_video_pixel pixel_of(const char *path)
{
    for (int i = 1; cli_frame_formats[i]; i++) {
        if (strcasecmp(ending(path), cli_frame_formats[i]) == 0) {
            return (sac_video_pixel)(i - 1);
        }
    }
    return SAC_PIXEL_RGB;
}

const sac_video_info *cli_frame_wanted(sac_video_info *wanted, const char *path,
                                       const int32_t size[2], int32_t format)
{
    *wanted = (sac_video_info){
        .struct_size = sizeof *wanted, .pixel = pixel_of(path), .w = size[0], .h = size[1]};
    if (format >= FIRST_PLANES) {
        wanted->pixel = SAC_PIXEL_RGB;
        wanted->planes =
            strcmp(cli_frame_inputs[format], "nv12") == 0 ? SAC_PLANES_NV12 : SAC_PLANES_I420;
    } else if (format) {
        wanted->pixel = (sac_video_pixel)(format - 1);
        wanted->planes = SAC_PLANES_PACKED;
    }
    return format || wanted->w || wanted->h ? wanted : NULL;
}

sac_array cli_frame_new(const sac_video_info *info)
{
    sac_array frame = {0};
    sac_error err = {0};
    int32_t n = sac_video_channels(info->pixel);
    size_t bytes = (size_t)(info->w * info->h * n);
    const int64_t shape[] = {info->h, info->w, n};
    void *data = calloc(bytes, 1); /* touched only when a frame comes */
    if (!data) {
        exit(cli_fail("out of memory for frames of %zu bytes", bytes));
    }
    if (sac_array_view(&frame, data, SAC_U8, n == 1 ? 2 : 3, shape, &err) != SAC_OK) {
        exit(cli_error(&err));
    }
    return frame;
}

void cli_frame_set_rate(sac_video_info *info, uint64_t ns)
{
    static const int64_t dens[] = {1, 1001};
    bool slow = ns > INT32_MAX;
    if (ns == 0 || ns / 1000000 > INT32_MAX) {
        return;
    }
    info->rate_num = slow ? 1000 : 1000000000;
    info->rate_den = (int64_t)(slow ? (ns + 500000) / 1000000 : ns);
    for (size_t i = 0; i < sizeof dens / sizeof *dens; i++) {
        double num = round((double)dens[i] * 1e9 / (double)ns);
        if (fabs(num * (double)ns - (double)dens[i] * 1e9) <= num) { /* to a nanosecond */
            info->rate_num = (int64_t)num;
            info->rate_den = dens[i];
            return;
        }
    }
}

bool cli_is_dash(const char *path)
{
    return path && !strcmp(path, "-");
}

int cli_frame_outputs(const cli_command *command, const char *input, const char *output,
                      const char *json)
{
    const char *const written[] = {output, json};
    int status = cli_outputs_apart(command, written, 2, "-o and --json");
    status = status ? status : cli_inputs_kept(command, &input, 1, written, 2);
    return status ? status : cli_report_check(json);
}

int64_t cli_frame_lap(int64_t *sum_ns, int64_t since_ns)
{
    const int64_t now = cli_clock_ns();
    *sum_ns += now - since_ns;
    return now;
}

sac_pixel_order cli_frame_order(sac_video_pixel pixel)
{
    return pixel == SAC_PIXEL_BGR || pixel == SAC_PIXEL_BGRX ? SAC_ORDER_BGR : SAC_ORDER_RGB;
}

sac_status cli_frame_each(sac_status (*step)(void *ctx, sac_error *err), void *ctx,
                          const uint64_t *n_frames, sac_error *err)
{
    sac_status st = SAC_OK;
    cli_progress progress;
    cli_progress_open(&progress, "frames");
    while (st == SAC_OK && !cli_interrupted()) {
        st = step(ctx, err);
        cli_progress_count(&progress, *n_frames);
    }
    cli_progress_hide(&progress);
    return st;
}

int cli_frame_error(const sac_error *err, const int32_t size[2], int32_t format)
{
    if (err->status == SAC_E_FORMAT && size[0] > 0) {
        return cli_fail("%s: see --size %dx%d%s%s", err->text, size[0], size[1],
                        format ? " --format " : " (and --format, rgb)",
                        format ? cli_frame_inputs[format] : "");
    }
    if (err->status == SAC_E_INVALID && strstr(err->text, "need their size")) {
        cli_fail("%s: see --size WxH and --format", err->text);
        return CLI_USAGE;
    }
    return cli_error(err);
}

int cli_frame_check_many(void *ctx, const char *input, const char *output)
{
    (void)ctx;
    (void)output;
    const bool is_series = strchr(input, '%') && access(input, F_OK) != 0;
    return is_series || cli_is_folder(input) || cli_is_dash(input)
               ? cli_misuse(NULL,
                            "`%s`: pictures of one video, and standard input, go alone, not "
                            "among several inputs",
                            input)
               : CLI_DONE;
}

static volatile sig_atomic_t interrupted;
static int stop_fd = -1;

/* Whatever thread it comes to, and whatever that one was about to do: the event stays. */
static void interrupt(int number)
{
    const int error = errno;
    const uint64_t one = 1;
    (void)number;
    interrupted = 1;
    (void)!write(stop_fd, &one, sizeof one);
    errno = error;
}

/* Who ignores them already, as a shell's background jobs do, goes on to. */
void cli_catch_interrupts(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    stop_fd = stop_fd < 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : stop_fd;
    if (stop_fd < 0) {
        cli_warn("Ctrl-C ends this command at once: %s", strerror(errno));
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old, action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}

bool cli_interrupted(void)
{
    return interrupted;
}

int cli_stop_fd(void)
{
    return stop_fd;
}
