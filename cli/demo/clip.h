/*
 * Frames for the demo of motion: of a clip, through ffmpeg where it is no Y4M, or a synthetic
 * scene.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_DEMO_CLIP_H
#define CLI_DEMO_CLIP_H

#include <saccade/video.h>

#define CLI_DEMO_MAX_FRAMES 60 /* of a clip; what follows is not read */

typedef struct cli_demo_clip cli_demo_clip;

/* `path` NULL: the scene. SAC_E_IO, SAC_E_FORMAT, SAC_E_UNSUPPORTED, SAC_E_NOMEM. */
SAC_NODISCARD sac_status cli_demo_clip_open(cli_demo_clip **out, const char *path, sac_error *err);

/* RGB, and so much of the rest as the clip tells. */
sac_video_info cli_demo_clip_info(const cli_demo_clip *clip);

/* As sac_video_read. */
SAC_NODISCARD sac_status cli_demo_clip_read(cli_demo_clip *clip, const sac_array *frame,
                                            sac_error *err);
void cli_demo_clip_close(cli_demo_clip **clip);

#endif
