/*
 * What saccade beamform --listen says at its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "listen.h"
#include "tables.h"

/* "  images         99 in out.h5, 3 dropped: no room for them" */
static void print_kept(const cli_beamform_keeper *k, const char *what)
{
    if (!k->stream) {
        return;
    }
    printf("  %-14s %" PRId64 " in %s", what, k->n, k->path);
    cli_listening_print_dropped(k->counts.dropped);
    if (k->counts.refused > 0) {
        printf("; %" PRId64 " not, since %s%s", k->counts.refused,
               k->error.status != SAC_OK ? "writing failed"
               : k->cut                  ? k->cut
                                         : "--frames are there",
               k->cut ? ", which ended it" : "");
    }
    putchar('\n');
}

/* Of an image, or of a frame, without the axis that counts them; free() it. */
static char *axes_of(const sac_array *array, const char *between)
{
    return cli_axes_text(array->shape + 1, array->n_dims - 1, (int32_t)array->dtype, between);
}

void cli_beamform_listen_print(const cli_beamform_live *l)
{
    const double seconds = 1e-9 * (double)l->at.took_ns;
    const int64_t received = l->at.counts.received;
    char *frame = axes_of(&l->frame, " x "), *image = axes_of(&l->image, " x ");
    printf("%s: %" PRId64 " frame%s of %s in %.3g s, %.0f/s, to images of %s\n",
           l->options.at.listen, received, cli_s(received), frame, seconds,
           (double)received / seconds, image);
    free(image);
    free(frame);
    cli_listening_print(&l->at);
    const int64_t unclean = cli_listening_read(&l->unclean), sent = l->sent.frames;
    if (unclean > 0) {
        printf("  refused        %" PRId64 " frame%s with samples that are not finite\n", unclean,
               cli_s(unclean));
    }
    print_kept(&l->images, "images");
    print_kept(&l->channels, "channel data");
    if (l->sender) {
        printf("  sent on        %" PRId64 " image%s to %s", sent, cli_s(sent), l->options.to);
        if (l->sent.no_room > 0) {
            printf("; %" PRId64 " datagrams given up, for want of room", l->sent.no_room);
        }
        if (l->sent.unheard > 0) {
            printf("; %" PRId64 " time%s the other side said that nobody listens there",
                   l->sent.unheard, cli_s(l->sent.unheard));
        }
        putchar('\n');
    }
}

static void put_kept(const cli_beamform_keeper *k, cli_json *json, const char *written,
                     const char *not_written)
{
    cli_json_int(json, written, k->n);
    cli_json_int(json, not_written, k->n_kept - k->n + k->counts.dropped + k->counts.refused);
}

int cli_beamform_listen_json(const cli_beamform_live *l)
{
    const int32_t threads = l->job.desc.n_threads;
    cli_json json;
    cli_json_open_rows(&json, 0, l->job.desc.device);
    cli_json_object(&json, NULL);
    cli_json_string(&json, "pipeline", "beamform");
    cli_json_string(&json, "listen", l->options.at.listen);
    char *frame = axes_of(&l->frame, "x"), *image = axes_of(&l->image, "x");
    cli_json_string(&json, "shape", frame);
    cli_json_string(&json, "image", image);
    free(image);
    free(frame);
    cli_json_int(&json, "took_ns", l->at.took_ns);
    cli_listening_put(&l->at, &json);
    cli_json_int(&json, "not_finite", cli_listening_read(&l->unclean));
    put_kept(&l->images, &json, "written", "not_written");
    put_kept(&l->channels, &json, "recorded", "not_recorded");
    cli_json_int(&json, "sent", l->sent.frames);
    cli_json_int(&json, "no_room", l->sent.no_room);
    cli_json_int(&json, "unheard", l->sent.unheard);
    cli_json_int(&json, "batch_max", l->plan.stream.batch_max);
    cli_json_int(&json, "threads", threads ? threads : sac_cpu_count());
    cli_json_string(&json, "variant", sac_beamform_get_variant(l->plans[0]));
    cli_json_end_object(&json);
    return cli_json_write(&json, l->options.at.json);
}
