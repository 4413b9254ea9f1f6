/*
 * saccade send: a camera, a file or a network stream as a delta stream to other machines.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "live.h"
#include "options.h"
#include "outputs.h"
#include "source.h"

#define FIELD(name) offsetof(cli_live_send_options, name)
#define MOST_PARAMS 32

static const sac_param params[] = {
    {"to", CLI_STRING(to), "URI",
     "where to: srt, tcp or udp://HOST:PORT connects to a receiver, again and again until one is "
     "there; without HOST (tcp://:5000) it waits for receivers. Port 0: any free port, which is "
     "printed. -: to standard output, each frame whole, as Y4M, with --size and --fps alone"},
    {"list", CLI_FLAG(list), "", "list the cameras of this machine with their formats, and end"},
    {"size", CLI_INT2(size, 0, 16384, 0, ""), "WxH",
     "size of frames: what is asked of a camera (which gives what it has nearest to it), and what "
     "files and RTSP are scaled to; 0: 1280x720 of test and of a camera, else as they are"},
    {"fps", CLI_INT(fps, 0, 1000, 0, ""), "N",
     "frames per second, of files and RTSP at most; 0: 30 of test and of a camera, else as they "
     "come"},
    {"loop", CLI_FLAG(loop), "", "begin a file again when it ends"},
    CLI_PARAM_DENOISE("it is encoded"),
    {"passphrase-file", CLI_STRING(passphrase_file), "FILE",
     "encrypt, and serve only receivers with the same passphrase, which is this file's first "
     "line, of 16 characters or more"},
    {"seconds", CLI_FLOAT(seconds, 0, 1e9, 0, "s"), "S",
     "end after this time; 0: at the file's end, or when interrupted"},
    {"frames", CLI_INT(frames, 0, INT32_MAX, 0, ""), "N", "end after N frames; 0: never"},
    {"json", CLI_STRING(json), "FILE",
     "write the summary as JSON, and a row for each second; - is standard output"},
};

static const sac_param_table own_options = CLI_TABLE("send", cli_live_send_options, params);

/* The encoder's options, and the controls. */
static const sac_param_table *plan_params(void)
{
    static sac_param all[MOST_PARAMS];
    static sac_param_table table = {"send", "", sizeof(cli_live_send_plan), all, 0};
    const sac_param_table *encode = sac_delta_encode_params();
    const int32_t n = encode->n_params + CLI_LIVE_CONTROLS;
    for (int32_t i = 0; i < n && table.n_params == 0; i++) {
        const bool is_control = i < CLI_LIVE_CONTROLS;
        all[i] = is_control ? *cli_live_control(i) : encode->params[i - CLI_LIVE_CONTROLS];
        all[i].offset += is_control ? offsetof(cli_live_send_plan, adjust)
                                    : offsetof(cli_live_send_plan, encode);
    }
    table.n_params = n;
    return &table;
}

static cli_live_kind kind_of(const char *source)
{
    struct stat info;
    const bool is_there = stat(source, &info) == 0;
    return !strcmp(source, "test") ? CLI_LIVE_TEST
           : !strncasecmp(source, "rtsp://", 7) || !strncasecmp(source, "rtsps://", 8)
               ? CLI_LIVE_RTSP
           : !strncmp(source, "/dev/", 5) && (!is_there || S_ISCHR(info.st_mode)) ? CLI_LIVE_CAMERA
                                                                                  : CLI_LIVE_FILE;
}

/* rtsp://USER:PASSWORD@HOST: the password is shown to nobody. */
static void hide_password(cli_live_send_job *job)
{
    const char *host = job->kind == CLI_LIVE_RTSP ? strstr(job->source, "://") + 3 : "";
    /* Up to the last @, whatever a password has that should be escaped; no path after a port. */
    const char *colon = strchr(host, ':'), *at = strrchr(host, '@');
    const char *port = colon ? colon + 1 + strspn(colon + 1, "0123456789") : host;
    at = *port == '/' || strcspn(host, "/?#@") < strcspn(host, ":@") ? NULL : at;
    if (at && colon && colon < at) {
        job->secret = cli_text("%.*s", (int)(at + 1 - colon), colon);
        job->shown = cli_text("%.*s:***%s", (int)(colon - job->source), job->source, at);
    } else {
        job->shown = cli_text("%s", job->source);
    }
}

static int check_source(const cli_live_send_job *job)
{
    const char *source = job->shown;
    struct stat info;
    if (job->kind == CLI_LIVE_FILE && strstr(source, "://")) {
        return cli_misuse(&cli_live_send,
                          "expected a camera (/dev/video0), a file, rtsp://... or test, got `%s`",
                          source);
    }
    if (job->options.loop && job->kind != CLI_LIVE_FILE) {
        return cli_misuse(&cli_live_send, "--loop: only a file has an end, and %s is none", source);
    }
    if ((job->kind == CLI_LIVE_FILE || job->kind == CLI_LIVE_CAMERA) && stat(source, &info) != 0) {
        return cli_fail("`%s`: %s%s", source, strerror(errno),
                        job->kind == CLI_LIVE_CAMERA ? " (saccade send --list shows the cameras)"
                                                     : "");
    }
    return job->kind == CLI_LIVE_FILE && !S_ISREG(info.st_mode)
               ? cli_fail("`%s`: no file that can be played", source)
               : CLI_DONE;
}

int cli_live_take_source(cli_live_send_job *job, const char *source)
{
    job->source = source;
    job->kind = kind_of(source);
    hide_password(job);
    return check_source(job);
}

/* Standard output takes frames as they come: all other options are of what is sent. */
static int check_frames(void)
{
    const sac_param_table *const tables[] = {&own_options, plan_params()};
    static const char *const taken[] = {"to", "size", "fps"};
    for (int i = 0; i < 2; i++) {
        for (int32_t j = 0; j < tables[i]->n_params; j++) {
            const char *name = tables[i]->params[j].name;
            bool is_taken = false;
            for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
                is_taken = is_taken || strcmp(name, taken[k]) == 0;
            }
            if (!is_taken && cli_was_given(name)) {
                return cli_misuse(&cli_live_send, "--to - goes without --%s", name);
            }
        }
    }
    return CLI_DONE;
}

static int check(cli_live_send_job *job, int n_operands, char **operands)
{
    const cli_live_send_options *o = &job->options;
    if (o->list) {
        return n_operands == 0
                   ? CLI_DONE
                   : cli_misuse(&cli_live_send, "--list takes no input, got %s", operands[0]);
    }
    if (n_operands != 1) {
        return n_operands == 0
                   ? cli_misuse(&cli_live_send, "no input given: a camera, a file, rtsp://... or "
                                                "test")
                   : cli_misuse(&cli_live_send, "takes one input, got also %s", operands[1]);
    }
    if (!o->to) {
        return cli_misuse(&cli_live_send, "no address given: --to URI");
    }
    if ((o->size[0] == 0) != (o->size[1] == 0)) {
        return cli_misuse(&cli_live_send, "--size: expected WxH, got %dx%d", o->size[0],
                          o->size[1]);
    }
    if ((uint64_t)o->size[0] * (uint64_t)o->size[1] > CLI_LIVE_MAX_PIXELS) {
        return cli_misuse(&cli_live_send,
                          "--size: receivers take 8192x8192 pixels at most, got %dx%d", o->size[0],
                          o->size[1]);
    }
    int status =
        cli_is_dash(o->to) ? check_frames() : cli_live_check_uri(&cli_live_send, "--to: ", o->to);
    status = status ? status : cli_live_take_source(job, operands[0]);
    status = status ? status : cli_live_check_passphrase(o->passphrase_file);
    const char *const read[] = {job->kind == CLI_LIVE_FILE ? job->source : NULL,
                                o->passphrase_file};
    status = status ? status : cli_inputs_kept(&cli_live_send, read, 2, &o->json, 1);
    return status ? status : cli_report_check(o->json);
}

static int run(int argc, char **argv)
{
    cli_live_send_job job = {0};
    int status = cli_parse(&cli_live_send, &job.plan, &job.options, &argc, &argv);
    status = status == CLI_GO ? check(&job, argc, argv) : status;
    const bool is_ready = status == CLI_DONE && (job.source || job.options.list);
    status = is_ready ? cli_live_send_run(&job) : status;
    free(job.shown);
    free(job.secret);
    return status;
}

static const char to_a_thin_line[] =
    "saccade send /dev/video0 --denoise temporal --threshold 20 --to udp://192.168.1.7:5000";
static const char other_sources[] =
    "saccade send rtsp://192.168.1.20/stream --to tcp://:5000\n"
    "  saccade send film.mp4 --loop --to tcp://:5000\n"
    "  saccade send test --size 320x240 --fps 10 --to tcp://127.0.0.1:5000";

static const char *const examples[] = {
    "a camera to another machine, where saccade receive tcp://:5000 --show runs",
    "saccade send /dev/video0 --to tcp://192.168.1.7:5000",
    "the same the other way around: receivers come and go",
    "saccade send /dev/video0 --to srt://:5000 --passphrase-file secret.txt",
    "only clear changes of a noisy camera, on a thin line",
    to_a_thin_line,
    "a camera in the network; a film, again and again; a test picture",
    other_sources,
    "any file or camera as frames for other commands",
    "saccade send film.mp4 --to - | saccade heatmap - -o heat.y4m",
    "which cameras there are",
    "saccade send --list",
    NULL};

const cli_command cli_live_send = {
    .name = "send",
    .summary = "a camera, file or RTSP stream to other machines",
    .also = "receive: show it",
    .usage = "SOURCE --to URI [OPTION]...",
    .about =
        "Sends video as a delta stream: what changed by more than --threshold, so no channel of\n"
        "a pixel is ever off by more at the receiver; 0 is lossless. SOURCE is a V4L2 camera\n"
        "(/dev/video0), a file, an RTSP address, or test, a picture that moves. Lines on standard\n"
        "input change the picture while it runs: brightness, contrast, saturation or gain, and "
        "the\n"
        "value, such as `brightness 10`; receivers can send them, too. The camera does it where "
        "it\n"
        "can. A line on the terminal shows what leaves each second; Ctrl-C ends with a summary. A\n"
        "camera that is unplugged, or a receiver that goes away, is reported and awaited again.",
    .examples = examples,
    CLI_RUNS(run, plan_params, &own_options),
};
