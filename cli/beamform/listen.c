/*
 * saccade beamform --listen: everything is opened, watched until it is over, and closed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "options.h"
#include "outputs.h"
#include "tables.h"
#include "videos.h"

#define BATCH_BYTES (INT64_C(64) << 20) /* of frames that are run at once */
#define IN_FLIGHT 4 /* frames that wait for fragments: they are large, and few overtake */
#define TIFF_ROWS INT64_C(10000000) /* VIPS_MAX_COORD, where it is least */

/* The acquisition, and what a frame is: of a recording, one frame of which is read. */
static int open_like(cli_beamform_live *l)
{
    cli_beamform_job *job = &l->job;
    job->recording_desc.n_frames = 1;
    const int status = cli_recording_read(&l->like, l->options.like, &job->recording_desc);
    if (status != CLI_DONE) {
        return status;
    }
    job->recording_desc.first_frame = 0; /* of what comes */
    l->frame = sac_recording_get_array(l->like);
    l->frame_bytes = (size_t)sac_array_count(&l->frame) * sac_dtype_size(l->frame.dtype);
    char *shape = cli_axes_text(l->frame.shape + 1, 3, (int32_t)l->frame.dtype, "x");
    l->expects = cli_text("%s of --like %s", shape, l->options.like);
    free(shape);
    return CLI_DONE;
}

/* Plans for 1, 4, 16, ... frames, up to --batch-max: frames that wait are run at once, which takes
 * far less time than one by one. Of large frames fewer, since plans take memory. */
static sac_status open_plans(cli_beamform_live *l, sac_error *err)
{
    const int64_t room = BATCH_BYTES / (int64_t)l->frame_bytes, wanted = l->plan.stream.batch_max;
    const int64_t most = room < 1 ? 1 : wanted < room ? wanted : room;
    sac_status st = SAC_OK;
    for (int64_t n = 1; st == SAC_OK && l->n_plans < CLI_BEAMFORM_PLANS;
         n = 4 * n < most ? 4 * n : most) {
        l->sizes[l->n_plans] = (int32_t)n;
        l->job.desc.n_frames = n;
        st = sac_beamform_open(&l->plans[l->n_plans], &l->job.desc, err);
        l->n_plans += st == SAC_OK;
        if (n == most) {
            break;
        }
    }
    l->together = cli_grow(NULL, 0, (size_t)most, l->frame_bytes);
    return st;
}

static int open_plan(cli_beamform_live *l)
{
    cli_beamform_job *job = &l->job;
    sac_error err = {0};
    job->desc.acquisition = sac_recording_get_acquisition(l->like);
    job->desc.dtype = l->frame.dtype;
    job->desc.n_frames = 1;
    job->desc.n_samples = l->frame.shape[3];
    if (cli_beamform_choose_grid(job, l->frame.shape[3], &err) != SAC_OK) {
        return cli_error(&err);
    }
    if (cli_beamform_size(job, &l->frame, l->frame.shape[0]) != CLI_DONE) {
        return CLI_FAILED;
    }
    if (open_plans(l, &err) != SAC_OK) {
        return cli_error(&err);
    }
    if (!cli_beamform_is_heard(l->plans[0], job, l->frame.shape[3])) {
        return cli_fail(
            "`%s`: no echo from the grid lies in the record: see t0 (%g us) and the grid",
            l->options.like, 1e6 * job->desc.acquisition->transmits[0].t0_s);
    }
    l->image = sac_beamform_get_output_array(l->plans[0]);
    l->image_bytes = (size_t)sac_array_count(&l->image) * sac_dtype_size(l->image.dtype);
    l->image.shape[0] = l->sizes[l->n_plans - 1];
    void *memory = cli_beamform_image_memory(&l->image);
    l->image.shape[0] = 1;
    return memory ? CLI_DONE : cli_fail("no memory for images");
}

/* How many images there may be: TIFF has all rows in one picture that libvips can count. */
static int64_t most_images(const cli_beamform_live *l)
{
    const sac_array *one = &l->image;
    const int64_t rows = sac_array_count(one) / one->shape[one->n_dims - 1];
    const int64_t most = cli_beamform_is_tiff(l->job.output) ? TIFF_ROWS / rows : INT32_MAX;
    const int64_t wanted = l->options.at.frames;
    return wanted && wanted < most ? wanted : most;
}

/* What the format cannot hold is refused before anything comes. */
static sac_status check_values(const cli_beamform_live *l, sac_error *err)
{
    const char *path = l->job.output, *why = NULL;
    const int32_t kind = (int32_t)l->job.desc.output;
    if (cli_beamform_is_uff(path) && kind != SAC_OUTPUT_IQ && kind != SAC_OUTPUT_ENVELOPE) {
        why = "UFF holds values, not decibels: kind iq or envelope";
    } else if (cli_beamform_is_tiff(path) && l->image.dtype == SAC_C64) {
        why = "TIFF holds real samples; .h5 and .npy hold complex ones";
    }
    if (why) {
        err->status = SAC_E_UNSUPPORTED;
        snprintf(err->text, sizeof err->text, "`%s`: %s", path, why);
    }
    return err->status;
}

/* A pipe, which is opened once alone, or a device. */
static bool is_special(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

/* Where images go: pictures, a file that takes them one by one, or one without a name. */
static sac_status open_images(cli_beamform_live *l, sac_error *err)
{
    cli_beamform_job *job = &l->job;
    cli_beamform_keeper *k = &l->images;
    sac_status st = check_values(l, err);
    if (st != SAC_OK) {
        return st;
    }
    k->path = job->output;
    k->bytes = l->image_bytes;
    k->wanted = l->options.at.frames;
    k->most = most_images(l);
    k->item = l->image;
    if (cli_beamform_is_picture(job->output)) {
        k->n_pictures = job->desc.lri ? l->image.shape[1] : 1;
        st = cli_beamform_film_open(&k->film, job, &l->image, 0,
                                    job->desc.acquisition->frame_rate_hz, err);
    } else if (cli_beamform_has_places(job->output) && !is_special(job->output)) {
        const sac_image_info info = cli_beamform_info(job, NULL);
        st = sac_image_growing_open(&k->file, job->output, &l->image, &info, err);
    }
    if (st == SAC_OK && !k->film && !k->file) {
        k->copy_bytes = (double)k->bytes;
        st = cli_beamform_spool_open(k, err);
    }
    return st ? st : cli_beamform_keep_open(k, &l->at, err);
}

static sac_status open_keepers(cli_beamform_live *l, sac_error *err)
{
    sac_status st = SAC_OK;
    if (l->job.output) {
        st = open_images(l, err);
    }
    if (st == SAC_OK && l->options.record) {
        cli_beamform_keeper *k = &l->channels;
        k->path = l->options.record;
        k->bytes = l->frame_bytes;
        k->wanted = l->options.at.frames;
        k->most = k->wanted ? k->wanted : INT32_MAX;
        k->item = l->frame;
        k->copy_bytes = (double)k->bytes;
        if (cli_beamform_is_uff(k->path) && k->item.dtype == SAC_I16) {
            k->copy_bytes *= 2; /* as floats */
        }
        k->other = &l->images;
        l->images.other = k;
        st = cli_beamform_spool_open(k, err);
        st = st ? st : cli_beamform_keep_open(k, &l->at, err);
    }
    return st;
}

static sac_status open_stream(cli_beamform_live *l, sac_error *err)
{
    sac_stream_desc *desc = &l->plan.stream;
    desc->struct_size = sizeof *desc;
    desc->frame_bytes = cli_listening_slots(&l->at, l->frame_bytes);
    desc->work = cli_beamform_listen_work;
    desc->ctx = l;
    desc->batch_max = l->sizes[l->n_plans - 1];
    const double needs = (double)sac_stream_memory_bytes(desc);
    const double there = cli_beamform_free_bytes();
    if (there > 0 && needs > there / 2) {
        err->status = SAC_E_INVALID;
        snprintf(err->text, sizeof err->text,
                 "capacity: %d frames of %zu bytes take more than half of the %.3g GB that are "
                 "free: expected fewer",
                 desc->capacity, l->frame_bytes, 1e-9 * there);
        return err->status;
    }
    return sac_stream_open(&l->at.stream, desc, err);
}

static sac_status open_sender(cli_beamform_live *l, const sac_packet_key *key, sac_error *err)
{
    const cli_beamform_listen_options *o = &l->options;
    sac_frame_sender_desc desc;
    sac_frame_sender_desc_init(&desc);
    desc.to = o->to;
    desc.key = key;
    desc.packet_bytes = cli_mtu_datagram(o->to, o->mtu);
    desc.dtype = (int32_t)l->image.dtype;
    desc.n_dims = l->image.n_dims - 1; /* a frame of it */
    memcpy(desc.shape, l->image.shape + 1, (size_t)desc.n_dims * sizeof *desc.shape);
    return sac_frame_sender_open(&l->sender, &desc, err);
}

static sac_status open_network(cli_beamform_live *l, sac_error *err)
{
    sac_frame_receiver_desc desc;
    const sac_packet_key *key = NULL;
    sac_frame_receiver_desc_init(&desc);
    desc.dtype = (int32_t)l->frame.dtype;
    desc.n_dims = 3;
    memcpy(desc.shape, l->frame.shape + 1, 3 * sizeof *desc.shape);
    desc.in_flight = IN_FLIGHT;
    l->at.expects = l->expects;
    l->at.spin_us = l->plan.stream.spin_us;
    sac_status st = cli_listening_key(&key, &l->at, err);
    if (st == SAC_OK && l->options.to) {
        st = open_sender(l, key, err);
    }
    return st == SAC_OK ? cli_listening_open(&l->at, &desc, key, err) : st;
}

static int open_view(cli_beamform_live *l)
{
    const beamform_view_source source = {.job = &l->job,
                                         .recording = &l->options.recording,
                                         .like = l->options.like,
                                         .at = &l->at,
                                         .frame_bytes = l->frame_bytes,
                                         .cpu = l->plan.stream.cpu};
    if (l->options.view.port < 0) {
        return CLI_DONE;
    }
    const int status = beamform_view_open(&l->view, &source, &l->options.view);
    l->tap = status == CLI_DONE ? beamform_view_tap(l->view) : NULL;
    return status;
}

/* Says once that frames come which are not those that are expected; tells the view of others. */
static void look(void *ctx)
{
    cli_beamform_live *l = ctx;
    if (l->view) {
        beamform_view_look(l->view);
    }
    sac_frame_counts came = {.struct_size = sizeof came};
    sac_frame_receiver_get_counts(l->at.receiver, &came);
    char *why = l->has_warned || came.frames > 0 ? NULL : cli_listening_trouble(&l->at, &came);
    if (why) {
        l->has_warned = true;
        cli_warn("%s", why);
    }
    free(why);
}

static void stop_keeper(cli_beamform_keeper *k)
{
    if (k->stream) {
        sac_stream_stop(k->stream);
        k->counts.struct_size = sizeof k->counts;
        sac_stream_get_counts(k->stream, &k->counts);
        const bool has_all = k->wanted > 0 && k->n == k->wanted;
        k->cut = k->counts.refused == 0 || k->error.status != SAC_OK || has_all ? NULL
                 : k->n == k->most ? "the format holds no more"
                                   : "the disk was full";
    }
}

/* Whatever ends it, what was accepted is worked on, and what was worked on is written. */
static int listen_until_over(cli_beamform_live *l)
{
    const cli_listening_watch watch = {look, NULL, l};
    int status = cli_listening_run(&l->at, &watch);
    beamform_view_close(&l->view); /* which reads --like anew, and files are written now */
    stop_keeper(&l->images);
    stop_keeper(&l->channels);
    l->sent.struct_size = sizeof l->sent;
    sac_frame_sender_get_sent(l->sender, &l->sent);
    if (l->work_error.status != SAC_OK) {
        return cli_fail("beamform: %s", l->work_error.text);
    }
    if (l->send_error.status != SAC_OK) {
        return cli_error(&l->send_error);
    }
    if (l->images.error.status != SAC_OK) {
        status = cli_error(&l->images.error);
    }
    return l->channels.error.status != SAC_OK ? cli_error(&l->channels.error) : status;
}

/* Files, then the summary: which is told of a run that failed, too. */
static int finish(cli_beamform_live *l, int status)
{
    status = cli_beamform_listen_write(l, status);
    if (l->options.at.json) {
        const int reported = cli_beamform_listen_json(l);
        status = status ? status : reported;
    }
    if (!cli_is_dash(l->options.at.json)) {
        cli_beamform_listen_print(l);
    }
    return status;
}

static void close_all(cli_beamform_live *l)
{
    beamform_view_close(&l->view);
    cli_listening_close(&l->at);
    sac_stream_close(&l->at.stream);
    sac_stream_close(&l->images.stream);
    sac_stream_close(&l->channels.stream);
    (void)!cli_beamform_film_close(&l->images.film, NULL);
    sac_image_growing_close(&l->images.file);
    sac_frame_sender_close(&l->sender);
    for (int k = 0; k < CLI_BEAMFORM_PLANS; k++) {
        sac_beamform_close(&l->plans[k]);
    }
    sac_recording_close(&l->like);
    cli_beamform_spool_close(&l->images);
    cli_beamform_spool_close(&l->channels);
    free(l->image.data);
    free(l->together);
    free(l->expects);
}

int cli_beamform_listen_run(cli_beamform_live *l)
{
    sac_error err = {0};
    l->at.options = &l->options.at;
    int status = open_like(l);
    status = status ? status : open_plan(l);
    if (status == CLI_DONE && (open_stream(l, &err) != SAC_OK || open_keepers(l, &err) != SAC_OK ||
                               open_network(l, &err) != SAC_OK)) {
        status = cli_error(&err);
    }
    status = status ? status : open_view(l);
    if (status == CLI_DONE) {
        status = listen_until_over(l);
        status = l->at.took_ns > 0 ? finish(l, status) : status;
    }
    close_all(l);
    return status;
}
