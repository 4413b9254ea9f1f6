/*
 * Frames of videos as panels: of each step one pixel, red, green and blue, or gray.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "video.h"

#define MOST_PIXELS 524288 /* of a panel, where nobody asks for more: as many as a screen shows */

static int64_t divided(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

static bool is_gray(const video_panel *panel)
{
    return panel->pixel == SAC_PIXEL_GRAY;
}

static int64_t bytes_of(const video_panel *panel, int64_t step)
{
    const int64_t n = divided(panel->array.shape[0], step) * divided(panel->array.shape[1], step) *
                      (is_gray(panel) ? 1 : 3);
    return n + n % 2;
}

static unsigned char *put_gray(unsigned char *to, const unsigned char *row, int64_t w, int64_t step)
{
    for (int64_t i = 0; i < w; i += step) {
        *to++ = row[i];
    }
    return to;
}

static unsigned char *put_rgb(unsigned char *to, const unsigned char *row, int64_t w, int64_t step,
                              sac_video_pixel pixel)
{
    const int32_t n = sac_video_channels(pixel);
    const int red = cli_frame_order(pixel) == SAC_ORDER_BGR ? 2 : 0;
    for (int64_t i = 0; i < w; i += step) {
        const unsigned char *from = row + i * n;
        to[0] = from[red];
        to[1] = from[1];
        to[2] = from[2 - red];
        to += 3;
    }
    return to;
}

static void put_samples(unsigned char *to, const video_panel *panel, int64_t step)
{
    const sac_array *a = &panel->array;
    for (int64_t j = 0; j < a->shape[0]; j += step) {
        const unsigned char *row = (const unsigned char *)a->data + j * a->stride[0];
        to = is_gray(panel) ? put_gray(to, row, a->shape[1], step)
                            : put_rgb(to, row, a->shape[1], step, panel->pixel);
    }
}

static void put_panel(cli_json *json, const video_panel *panel, int64_t step)
{
    const int64_t w = divided(panel->array.shape[1], step);
    const int64_t h = divided(panel->array.shape[0], step);
    cli_json_line(json);
    cli_json_string(json, "name", panel->name);
    cli_json_string(json, "type", is_gray(panel) ? "gray" : "rgb");
    cli_json_int(json, "w", w);
    cli_json_int(json, "h", h);
    cli_json_int(json, "left", 0);
    cli_json_int(json, "right", (w - 1) * step);
    cli_json_int(json, "top", 0);
    cli_json_int(json, "bottom", (h - 1) * step);
    cli_json_int(json, "step", step);
    cli_json_end_line(json);
}

static int64_t usual_step(const video_panel *panel)
{
    int64_t step = 1;
    while (divided(panel->array.shape[0], step) * divided(panel->array.shape[1], step) >
           MOST_PIXELS) {
        step++;
    }
    return step;
}

sac_status video_message(view_blob **out, cli_json *json, const video_panel *panels, int n,
                         int32_t asked, sac_error *err)
{
    const int64_t step = asked ? asked : usual_step(&panels[0]);
    size_t size = 0;
    void *at = NULL;
    cli_json_array(json, "panels");
    for (int i = 0; i < n; i++) {
        put_panel(json, &panels[i], step);
        size += (size_t)bytes_of(&panels[i], step);
    }
    cli_json_end_array(json);
    cli_json_end_object(json);
    *out = view_blob_of(json, size, &at);
    unsigned char *to = at;
    for (int i = 0; i < n && *out; i++) {
        const int64_t bytes = bytes_of(&panels[i], step);
        to[bytes - 1] = 0; /* which may fill it up */
        put_samples(to, &panels[i], step);
        to += bytes;
    }
    return *out ? SAC_OK : view_no_memory(err);
}
