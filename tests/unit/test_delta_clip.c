/*
 * A real clip through both ends of the delta stream: exact at T = 0, within T else, with zstd and
 * lz4. ffmpeg decodes the clip, which lies in ../shared/data or where SACCADE_DATA says.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_scene.h"

#include <unistd.h>

enum { W = 1920, H = 1080, FRAMES = 41, BYTES = W * H * 3 };

static char path[1024];
static uint8_t *frame_memory;

static FILE *open_clip(void)
{
    char command[1400];
    snprintf(command, sizeof command,
             "ffmpeg -v error -nostdin -i '%s' -vsync passthrough -f rawvideo -pix_fmt bgr24 -",
             path);
    FILE *clip = popen(command, "re"); /* its frames one behind the other */
    assert_non_null(clip);
    return clip;
}

typedef struct end {
    sac_delta_encode *encoder;
    sac_delta_decode *decoder;
    int32_t threshold;
} end;

static end open_end(int32_t threshold, bool fast)
{
    sac_delta_encode_desc desc = encode_desc(W, H, 3, threshold);
    sac_error err = {0};
    end e = {.threshold = threshold};
    desc.order = SAC_ORDER_BGR;
    desc.fast = fast;
    desc.n_threads = 2;
    sac_status status = sac_delta_encode_open(&e.encoder, &desc, &err);
    if (status != SAC_E_UNSUPPORTED) /* a build without lz4 */
        assert_ok(status, &err);
    e.decoder = open_decoder(2);
    return e;
}

static void give(const end *e, uint64_t i)
{
    if (!e->encoder)
        return;
    sac_delta_packet p = encode(e->encoder, frame_memory, W, H, 3, i);
    sac_delta_frame out;
    assert_int_equal(sac_delta_decode_run(e->decoder, &out, p.data, p.size, NULL), SAC_OK);
    int worst = worst_of(&out.picture, frame_memory, W, H, 3);
    if (worst > e->threshold)
        fail_msg("frame %llu, T %d: off by %d", (unsigned long long)i, e->threshold, worst);
}

static void delta_real_clip_is_exact_at_0_and_within_threshold_else(void **state)
{
    (void)state;
    end ends[] = {open_end(0, false), open_end(20, false), open_end(0, true), open_end(20, true)};
    enum { N_ENDS = sizeof ends / sizeof *ends };
    FILE *clip = open_clip();
    uint64_t n = 0;
    while (fread(frame_memory, 1, BYTES, clip) == BYTES) {
        for (int i = 0; i < N_ENDS; i++)
            give(&ends[i], n);
        n++;
    }
    assert_int_equal(pclose(clip), 0);
    assert_int_equal(n, FRAMES);
    for (int i = 0; i < N_ENDS; i++) {
        sac_delta_encode_close(&ends[i].encoder);
        sac_delta_decode_close(&ends[i].decoder);
    }
}

int main(void)
{
    const char *folder = getenv("SACCADE_DATA");
    snprintf(path, sizeof path, "%s/video/phone-1080p.mp4", folder ? folder : "../shared/data");
    if (!has_delta())
        return 77;
    if (access(path, R_OK) != 0 || system("ffmpeg -version >/dev/null 2>&1") != 0)
        return skip_all("no ffmpeg, or no clip in ../shared/data or SACCADE_DATA");
    frame_memory = malloc(BYTES);
    if (!frame_memory)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_real_clip_is_exact_at_0_and_within_threshold_else),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    free(frame_memory);
    return status;
}
