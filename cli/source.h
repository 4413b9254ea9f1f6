/*
 * Where frames of a video come from: a reader, and the filter of --denoise behind it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <saccade/motion.h>

#include "packets.h"
#include "rows.h"

typedef struct cli_source {
    sac_video_reader *reader;
    cli_packets packets; /* of a delta stream, in the place of the reader */
    bool is_packets;     /* they are open */
    bool is_ahead;       /* the frame that they have was not read */
    bool is_whole;       /* a frame that is missing of them is an error */
    sac_video_info info; /* of the frames that come out */
    sac_denoise *filter; /* NULL: frames come as they are read */
    sac_array raw;       /* a frame before the filter */
    bool noted;          /* what reading left out was told */
    int64_t read_ns, filter_ns;
} cli_source;

extern const char *const cli_source_filters[]; /* "none" first */

/* The row of an int32_t `denoise` of the options; `before`: "the difference". */
#define CLI_PARAM_DENOISE(before)                                                                  \
    {                                                                                              \
        "denoise", CLI_CHOICE(denoise, 0, cli_source_filters), "FILTER",                           \
            "filter for each frame before " before ", as in saccade denoise; the window is 3 x 3 " \
            "pixels, 5 x 5 of mean5, gaussian5 and median5"                                        \
    }

/* Opens the video, or delta stream; size and format as in cli_frame_wanted. The path must stay.
 * Close it on failure, too. */
SAC_NODISCARD sac_status cli_source_open(cli_source *source, const char *path,
                                         const int32_t size[2], int32_t format, sac_error *err);

/* Opens a delta stream whose frames may be missing, which source->packets counts: reading it gives
 * SAC_AGAIN where a packet has given no frame. What cli_source_open opens must be whole. */
SAC_NODISCARD sac_status cli_source_open_packets(cli_source *source, const char *path,
                                                 int32_t format, sac_error *err);

/* A filter for frames as info says, by an index of cli_source_filters; *out NULL: none is needed.
 */
SAC_NODISCARD sac_status cli_source_open_filter(sac_denoise **out, const sac_video_info *info,
                                                int32_t filter, int32_t n_threads,
                                                sac_device device, sac_error *err);

/* From now on frames are filtered, by an index of cli_source_filters. */
SAC_NODISCARD sac_status cli_source_filter(cli_source *source, int32_t filter, int32_t n_threads,
                                           sac_device device, sac_error *err);

/* The next frame, filtered; warns once of what reading left out. SAC_END, SAC_CANCELLED: no more.
 */
SAC_NODISCARD sac_status cli_source_read(cli_source *source, const sac_array *frame,
                                         sac_error *err);

void cli_source_close(cli_source *source);

#endif
