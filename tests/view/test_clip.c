/*
 * Delta streams as clips of which few frames fit into memory: each frame, in any order, is that of
 * the video, and is decoded from the nearest keyframe on.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit/delta_scene.h"

#include <unistd.h>

#include "beamform/job.h"
#include "live/live.h"
#include "skip.h"
#include "view/video/clip.h"

enum { W = 70, H = 40, N = 40, KEY_EVERY = 8, KEPT = 3 };

static const char path[] = "test_clip.sdv";

static const uint64_t orders[][8] = {{0, 39, 38, 20, 21, 17, 2, 9}, {3, 4, 39, 5, 24, 23, 8, 39}};

/* What the clip calls of the rest of the command: memory for so few frames, and no saccade-live. */
double cli_beamform_free_bytes(void)
{
    return 4.0 * KEPT * W * H * 3;
}

char *cli_live_program(void)
{
    return NULL;
}

int cli_live_send_run(const cli_live_send_job *job)
{
    (void)job;
    return CLI_FAILED;
}

int cli_live_receive_run(const cli_live_receive_job *job)
{
    (void)job;
    return CLI_FAILED;
}

/* Packets that were read, counted by the linker's leave. */
static int64_t n_read;
sac_status __real_sac_sdv_read(sac_sdv_reader *reader, sac_delta_packet *packet, sac_error *err);
sac_status __wrap_sac_sdv_read(sac_sdv_reader *reader, sac_delta_packet *packet, sac_error *err);

sac_status __wrap_sac_sdv_read(sac_sdv_reader *reader, sac_delta_packet *packet, sac_error *err)
{
    n_read++;
    return __real_sac_sdv_read(reader, packet, err);
}

/* N frames with a keyframe every 8, their numbers from `first` on; those of `gone` are left out. */
static void write_part(sac_sdv_writer *writer, scene_kind kind, uint64_t gone)
{
    static uint8_t data[W * H * 3];
    const sac_delta_encode_desc desc = encode_desc(W, H, 3, 0);
    sac_delta_encode *encoder = open_encoder(&desc);
    sac_error err = {0};
    for (uint64_t i = 0; i < N; i++) {
        if (i % KEY_EVERY == 0)
            sac_delta_encode_key(encoder);
        draw(data, kind, W, H, 3, i);
        const sac_delta_packet p = encode(encoder, data, W, H, 3, i);
        if (i != gone)
            assert_ok(sac_sdv_write(writer, &p, &err), &err);
    }
    sac_delta_encode_close(&encoder);
}

static void write_file(const scene_kind kinds[], int n_parts, uint64_t gone)
{
    sac_sdv_writer *writer = NULL;
    sac_error err = {0};
    assert_ok(sac_sdv_writer_open(&writer, path, &err), &err);
    for (int i = 0; i < n_parts; i++)
        write_part(writer, kinds[i], gone);
    assert_ok(sac_sdv_writer_close(&writer, &err), &err);
}

static video_clip *open_clip(void)
{
    static const video_input input = {.path = path, .shown = path};
    video_clip *clip = NULL;
    assert_int_equal(video_clip_open(&clip, &input), CLI_DONE);
    return clip;
}

/* Frame i of the clip is frame `number` of a scene, and the one before it is `previous`. */
static void check_frame(video_clip *clip, int64_t i, scene_kind kind, uint64_t number,
                        uint64_t previous)
{
    static uint8_t wanted[W * H * 3];
    const video_filter none = {0};
    video_frames frames;
    sac_error err = {0};
    assert_ok(video_clip_show(clip, &frames, i, &none, &err), &err);
    draw(wanted, kind, W, H, 3, number);
    assert_memory_equal(frames.raw.data, wanted, sizeof wanted);
    assert_memory_equal(frames.current.data, wanted, sizeof wanted);
    draw(wanted, kind, W, H, 3, previous);
    assert_memory_equal(frames.previous.data, wanted, sizeof wanted);
}

static uint64_t before(uint64_t number)
{
    return number ? number - 1 : 0;
}

static void clip_is_read_again_from_keyframes(void **state)
{
    (void)state;
    write_file((const scene_kind[]){MOVING}, 1, N);
    video_clip *clip = open_clip();
    assert_int_equal(video_clip_count(clip), N);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 8; i++) {
            const uint64_t number = orders[k][i];
            n_read = 0;
            check_frame(clip, (int64_t)number, MOVING, number, before(number));
            assert_in_range(n_read, 0,
                            KEY_EVERY + 1); /* the frame before it may be of another key */
        }
    }
    video_clip_close(&clip);
    unlink(path);
}

/* A packet that is gone takes those up to the next keyframe with it. */
static void clip_with_a_gap_shows_what_is_there(void **state)
{
    (void)state;
    enum { GONE = 20, NEXT = 24, MISSING = NEXT - GONE };
    video_losses losses;
    write_file((const scene_kind[]){MOVING}, 1, GONE);
    video_clip *clip = open_clip();
    assert_int_equal(video_clip_count(clip), N - MISSING);
    for (size_t i = 0; i < 8; i++) {
        const uint64_t number = orders[0][i];
        if (number < GONE)
            check_frame(clip, (int64_t)number, MOVING, number, before(number));
        if (number >= NEXT)
            check_frame(clip, (int64_t)number - MISSING, MOVING, number, number - 1);
    }
    check_frame(clip, GONE, MOVING, NEXT, GONE - 1);
    assert_true(video_clip_losses(clip, &losses));
    assert_int_equal(losses.n_missing, 1); /* of the others packets came */
    assert_int_equal(losses.n_refused, MISSING - 1);
    video_clip_close(&clip);
    unlink(path);
}

/* Where a second sender begins, numbers do so again: nothing is looked for by them. */
static void clip_of_two_senders_shows_both(void **state)
{
    (void)state;
    write_file((const scene_kind[]){MOVING, STILL_NOISY}, 2, N);
    video_clip *clip = open_clip();
    assert_int_equal(video_clip_count(clip), 2 * N);
    for (size_t i = 0; i < 8; i++) {
        const uint64_t number = orders[1][i];
        check_frame(clip, (int64_t)number, MOVING, number, before(number));
        check_frame(clip, (int64_t)(N + number), STILL_NOISY, number, before(number));
    }
    video_clip_close(&clip);
    unlink(path);
}

int main(void)
{
    if (strcmp(sac_delta_parts(), "none") == 0)
        return skip_all("this build has no delta streams (zstd)");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clip_is_read_again_from_keyframes),
        cmocka_unit_test(clip_with_a_gap_shows_what_is_there),
        cmocka_unit_test(clip_of_two_senders_shows_both),
    };
    return cmocka_run_group_tests_name("clip", tests, NULL, NULL);
}
