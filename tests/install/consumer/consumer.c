/*
 * A program outside the tree: equalizes two pixels, sends them through the delta stream, and prints
 * the version that it is linked to.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/saccade.h>
#ifndef CORE_ONLY
#define WITH_DELTA
#include <saccade/io.h>
#include <saccade/ladder.h>
#endif
#ifdef WITH_DELTA
#include <saccade/delta.h>
#endif
#include <stdio.h>

static int fail(const sac_error *err)
{
    fprintf(stderr, "consumer: %s\n", err->text);
    return 1;
}

/* Two gray values far below white: equalized, the darker becomes 0 and the brighter 255. */
static sac_status equalize(uint8_t pixels[2], sac_error *err)
{
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = 2;
    desc.h = 1;
    desc.n_channels = 1;

    sac_array picture;
    const int64_t shape[] = {1, 2};
    sac_status st = sac_array_view(&picture, pixels, SAC_U8, 2, shape, err);
    if (st != SAC_OK)
        return st;

    sac_equalize *plan = NULL;
    st = sac_equalize_open(&plan, &desc, err);
    if (st == SAC_OK)
        st = sac_equalize_run(plan, &picture, &picture, NULL);
    sac_equalize_close(&plan);
    return st;
}

#ifdef WITH_DELTA
/* Two gray values there and back. A build without zstd has no delta stream, and says so. */
static sac_status send(const uint8_t pixels[2], uint8_t came[2], sac_error *err)
{
    sac_delta_encode_desc desc;
    sac_delta_encode_desc_init(&desc);
    desc.w = 2;
    desc.h = 1;
    desc.n_channels = 1;
    desc.threshold = 0;
    sac_delta_decode_desc back;
    sac_delta_decode_desc_init(&back);

    uint8_t sent[2] = {pixels[0], pixels[1]};
    sac_array picture;
    const int64_t shape[] = {1, 2};
    sac_status st = sac_array_view(&picture, sent, SAC_U8, 2, shape, err);
    sac_delta_encode *encoder = NULL;
    sac_delta_decode *decoder = NULL;
    sac_delta_packet packet;
    sac_delta_frame frame;
    if (st == SAC_OK)
        st = sac_delta_encode_open(&encoder, &desc, err);
    if (st == SAC_OK)
        st = sac_delta_decode_open(&decoder, &back, err);
    if (st == SAC_OK)
        st = sac_delta_encode_run(encoder, &packet, &picture, 0, NULL);
    if (st == SAC_OK)
        st = sac_delta_decode_run(decoder, &frame, packet.data, packet.size, NULL);
    if (st == SAC_OK) {
        came[0] = ((const uint8_t *)frame.picture.data)[0];
        came[1] = ((const uint8_t *)frame.picture.data)[1];
    }
    sac_delta_encode_close(&encoder);
    sac_delta_decode_close(&decoder);
    return st;
}
#endif

int main(void)
{
    sac_error err = {.status = SAC_OK, .text = ""};
    uint8_t pixels[2] = {10, 20};
    if (equalize(pixels, &err) != SAC_OK)
        return fail(&err);
    if (pixels[0] != 0 || pixels[1] != 255) {
        fprintf(stderr, "consumer: wanted 0 255, got %d %d\n", pixels[0], pixels[1]);
        return 1;
    }
#ifdef WITH_DELTA
    uint8_t came[2] = {1, 1};
    sac_status st = send(pixels, came, &err);
    if (st != SAC_OK && st != SAC_E_UNSUPPORTED)
        return fail(&err);
    if (st == SAC_OK && (came[0] != 0 || came[1] != 255)) {
        fprintf(stderr, "consumer: wanted 0 255 back, got %d %d\n", came[0], came[1]);
        return 1;
    }
#endif
#ifndef CORE_ONLY
    sac_ladder_desc ladder;
    sac_ladder_desc_init(&ladder);
    if (sac_io_parts() == NULL || ladder.struct_size != sizeof ladder)
        return 1;
#endif
    sac_build build = {.struct_size = sizeof build};
    sac_build_info(&build);
    printf("saccade %s\n", build.version);
    return 0;
}
