/*
 * A series of pictures as frames: all of the first one's size and channels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/video/parts.h"

#include <inttypes.h>
#include <stdio.h>

/* The first thing that reading left out is told. */
static void note_picture(sac_pictures *p, const char *name)
{
    const char *note = sac_picture_get_note(p->picture);
    bool has_alpha = p->n_channels % 2 == 0;
    if (p->note[0] == '\0' && (note[0] || has_alpha))
        snprintf(p->note, sizeof p->note, "%s: %s", name,
                 note[0] ? note : "its alpha channel is left out");
}

static sac_status read_next(sac_pictures *p, sac_video_info *info, sac_error *err)
{
    const sac_picture_limits limits = {(uint64_t)SAC_VIDEO_MAX_PIXELS, " of a video's frame", -1};
    const char *path = sac_series_next(&p->series);
    if (!path)
        return SAC_END;
    sac_status st = sac_picture_read_limited(&p->picture, path, &limits, err);
    if (st != SAC_OK)
        return st;
    const sac_array a = sac_picture_get_array(p->picture);
    char name[SAC_IO_NAME];
    sac_io_name(name, path, path);
    if (a.dtype != SAC_U8)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: 16 bits a sample; frames have 8", name);
    int32_t n_channels = sac_picture_channels(p->picture);
    bool is_first = !info->w;
    if (is_first) {
        info->w = a.shape[1];
        info->h = a.shape[0];
        p->n_channels = n_channels;
    }
    note_picture(p, name);
    if (is_first)
        return sac_video_check_size(name, info->w, info->h, err);
    if (a.shape[1] != info->w || a.shape[0] != info->h || n_channels != p->n_channels)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %" PRId64 " x %" PRId64 " pixels of %d channels among frames of "
                        "%" PRId64 " x %" PRId64 " of %d",
                        name, a.shape[1], a.shape[0], n_channels, info->w, info->h, p->n_channels);
    return SAC_OK;
}

sac_status sac_pictures_open(sac_pictures *p, sac_video_info *info, const char *path,
                             sac_error *err)
{
    sac_status st = sac_series_open_read(&p->series, path, err);
    st = st ? st : read_next(p, info, err);
    info->format = SAC_VIDEO_PICTURES;
    info->pixel = p->n_channels <= 2 ? SAC_PIXEL_GRAY : SAC_PIXEL_RGB;
    return st;
}

sac_status sac_pictures_read(sac_pictures *p, uint8_t *pixels, sac_video_info *info, sac_error *err)
{
    /* Gray, gray and alpha, RGB, RGBA. */
    static const sac_layout layouts[] = {{1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 1, 2}, {4, 0, 1, 2}};
    sac_status st = p->picture ? SAC_OK : read_next(p, info, err);
    if (st == SAC_OK)
        sac_video_convert(pixels, info->pixel, sac_picture_get_array(p->picture).data,
                          layouts[p->n_channels - 1], info->w * info->h);
    sac_picture_close(&p->picture);
    return st;
}

void sac_pictures_close(sac_pictures *p)
{
    sac_series_close(&p->series);
    sac_picture_close(&p->picture);
}
