/*
 * Frames into .mp4 or .mkv, by an encoder that GStreamer has.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_FILM_H
#define CLI_LIVE_FILM_H

#include <gst/gst.h>

#include "live.h"

typedef struct cli_live_film cli_live_film;

/* The name of the first encoder that is there, in the order of docs/live.md; NULL: there is none,
 * and a line was said. */
const char *cli_live_film_encoder(cli_live_format format);

/* Opens the file for frames of these caps. The error tells. */
SAC_NODISCARD sac_status cli_live_film_open(cli_live_film **film, const char *path,
                                            cli_live_format format, const GstCaps *caps,
                                            sac_error *err);

/* The next frame, by its PTS. SAC_AGAIN: the encoder is behind, and the frame is left out. */
SAC_NODISCARD sac_status cli_live_film_write(cli_live_film *film, GstBuffer *frame, sac_error *err);

/* Completes the file, and frees it. */
SAC_NODISCARD sac_status cli_live_film_close(cli_live_film **film, sac_error *err);

#endif
