/*
 * A video that comes by itself, from a pipe or a device: a thread reads and filters each frame and
 * leaves a copy where viewers find it, in a place that it need not wait for. The newest wins.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIDEO_FEED_H
#define CLI_VIEW_VIDEO_FEED_H

#include "clip.h"
#include "view/kind.h"

typedef struct video_feed video_feed;

/* Opens the video and waits for its first frame; Ctrl-C ends that. Returns an exit status.
 * The input's path and the scene, which is woken with each frame, must stay. */
int video_feed_open(video_feed **out, const video_input *input, const view_scene *scene,
                    const video_filter *filter);

/* Ends the thread, also while it waits for a frame, and frees all. Returns an exit status, with a
 * line of what ended the video, if that was an error. */
int video_feed_end(video_feed **feed);

const sac_video_info *video_feed_info(const video_feed *feed);

/*
 * The newest frame if `moves`, else the one that was shown last, valid until the next call, through
 * filter `which`, as those from now on; one that cannot be opened changes nothing. What ended the
 * video, once: SAC_E_FORMAT and others; its plain end is no error.
 */
SAC_NODISCARD sac_status video_feed_show(video_feed *feed, video_frames *out, bool moves,
                                         int32_t which, sac_error *err);

/* Frames that came, and those of them that were replaced by newer ones before they were shown. */
int64_t video_feed_count(const video_feed *feed);
int64_t video_feed_missed(const video_feed *feed);

/* What did not come of a delta stream; false: it is none. */
bool video_feed_losses(const video_feed *feed, video_losses *out);

bool video_feed_has_ended(const video_feed *feed);

#endif
