/*
 * What a view of saccade beamform --listen has beside the scene: frames, counts, threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "view/beside.h"

#define TOLD_NS INT64_C(250000000) /* between counts that are told of without a picture */

struct beamform_view {
    cli_beamform_job job;
    const cli_listening *at;
    beamform_tap *tap;
    beamform_scene *scene;
    beamform_settings settings; /* that it begins with */
    view_beside *beside;
    int64_t told, told_ns; /* the main thread's: counts, and when */
};

static void put_counts(cli_json *json, const void *ctx)
{
    const beamform_view *v = ctx;
    const sac_histogram *latency = sac_stream_get_latency(v->at->stream);
    sac_stream_counts c = {.struct_size = sizeof c};
    sac_frame_counts came = {.struct_size = sizeof came};
    sac_stream_get_counts(v->at->stream, &c);
    sac_frame_receiver_get_counts(v->at->receiver, &came);
    const int64_t not_shown = c.processed - cli_listening_read(&v->tap->n_taken);
    const double none = c.processed + c.empty > 0 ? 0 : (double)NAN; /* which is null */
    cli_json_object(json, "live");
    cli_json_int(json, "received", c.received);
    cli_json_int(json, "processed", c.processed);
    cli_json_int(json, "refused", c.refused);
    cli_json_int(json, "dropped", c.dropped);
    cli_json_int(json, "late", c.late);
    cli_json_int(json, "lost", came.lost);
    cli_json_int(json, "not_shown", not_shown > 0 ? not_shown : 0);
    cli_json_real(json, "p50_ns", none + sac_histogram_get_quantile(latency, 0.5));
    cli_json_real(json, "p99_ns", none + sac_histogram_get_quantile(latency, 0.99));
    cli_json_end_object(json);
}

static int open_scene(beamform_view *v, const beamform_view_source *source)
{
    const beamform_frames frames = {v->tap, source->at->options, put_counts, v};
    v->job = *source->job;
    v->job.input = source->like;
    v->job.output = "picture.png"; /* what is shown: a sector is converted */
    v->job.options.recording = *source->recording;
    v->job.desc.output = SAC_OUTPUT_BMODE;
    v->job.desc.device = (sac_device){SAC_DEVICE_CPU, 0}; /* a GPU is the command's */
    const int status = beamform_scene_open(&v->scene, &v->job, &frames);
    if (status == CLI_DONE) {
        view_settings_init(&v->settings.common, beamform_scene_common(v->scene));
        view_settings_from(&v->settings.common, &beamform_kind, sac_beamform_params(),
                           &v->job.desc);
    }
    return status;
}

int beamform_view_open(beamform_view **out, const beamform_view_source *source,
                       const cli_view_options *options)
{
    beamform_view *v = *out = cli_grow(NULL, 0, 1, sizeof *v);
    v->at = source->at;
    v->tap = beamform_tap_open(source->frame_bytes);
    const int status = open_scene(v, source);
    return status ? status
                  : view_beside_open(&v->beside, beamform_scene_common(v->scene),
                                     &v->settings.common, source->cpu, options);
}

beamform_tap *beamform_view_tap(beamform_view *view)
{
    return view->tap;
}

void beamform_view_look(beamform_view *v)
{
    const int64_t now_ns = cli_clock_ns(), n = view_beside_count(v->at->stream, v->at->receiver);
    const view_scene *scene = beamform_scene_common(v->scene);
    const bool is_seen = atomic_load_explicit(&scene->n_viewers, memory_order_relaxed) > 0 ||
                         cli_listening_read(&v->tap->n_taken) == 0;
    const bool is_due = n != v->told && now_ns - v->told_ns >= TOLD_NS;
    const bool is_new = beamform_tap_has_frame(v->tap) &&
                        atomic_load_explicit(&v->tap->is_followed, memory_order_relaxed);
    if (is_seen && is_due) {
        v->told = n;
        v->told_ns = now_ns;
    }
    if (is_seen && (is_due || is_new)) {
        view_scene_wake(scene);
    }
}

void beamform_view_close(beamform_view **view)
{
    beamform_view *v = *view;
    if (v) {
        view_beside_close(&v->beside);
        beamform_scene_close(&v->scene);
        beamform_tap_close(&v->tap);
        free(v);
    }
    *view = NULL;
}
