/*
 * Counts and infos by value, as tests compare them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_COUNTS_H
#define TESTS_COUNTS_H

#include <saccade/delta.h>
#include <saccade/frame_link.h>
#include <saccade/meltpool.h>
#include <saccade/stream.h>
#include <saccade/video.h>

static inline sac_stream_counts counts_of_stream(const sac_stream *stream)
{
    sac_stream_counts counts = {.struct_size = sizeof counts};
    sac_stream_get_counts(stream, &counts);
    return counts;
}

static inline sac_meltpool_counts counts_of_meltpool(const sac_meltpool *plan)
{
    sac_meltpool_counts counts = {.struct_size = sizeof counts};
    sac_meltpool_get_counts(plan, &counts);
    return counts;
}

static inline sac_delta_counts counts_of_delta(const sac_delta_decode *plan)
{
    sac_delta_counts counts = {.struct_size = sizeof counts};
    sac_delta_decode_get_counts(plan, &counts);
    return counts;
}

static inline sac_frame_counts counts_of_assembler(const sac_frame_assembler *assembler)
{
    sac_frame_counts counts = {.struct_size = sizeof counts};
    sac_frame_assembler_get_counts(assembler, &counts);
    return counts;
}

static inline sac_frame_counts counts_of_receiver(const sac_frame_receiver *receiver)
{
    sac_frame_counts counts = {.struct_size = sizeof counts};
    sac_frame_receiver_get_counts(receiver, &counts);
    return counts;
}

static inline sac_frame_sent sent_of(const sac_frame_sender *sender)
{
    sac_frame_sent sent = {.struct_size = sizeof sent};
    sac_frame_sender_get_sent(sender, &sent);
    return sent;
}

static inline sac_video_info info_of_video(const sac_video_reader *reader)
{
    sac_video_info info = {.struct_size = sizeof info};
    sac_video_reader_get_info(reader, &info);
    return info;
}

#endif
