/*
 * Sends a video as packets of what changes, and shows it again: delta [OUT.sdv]. A bright square
 * moves over a picture with noise; the packets may be stored, too.
 * Shows: an encoder, a decoder that asks for a keyframe after a loss, a file of packets.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <saccade/delta.h>

enum { W = 320, H = 240, FRAMES = 50, LOST = 20 };

static uint8_t pixels[H][W];

/* What a camera would do. */
static void take_picture(int t)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            pixels[y][x] = (uint8_t)(x / 4 + (x * 31 + y * 17 + t * 7) % 5);
    for (int y = 100; y < 140; y++)
        for (int x = 4 * t; x < 4 * t + 40; x++)
            pixels[y][x] = 250;
}

/* The largest difference of what was shown, which the threshold limits. */
static int error_of(const sac_array *shown)
{
    int most = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const uint8_t *row = (const uint8_t *)shown->data + y * shown->stride[0];
            const int d = abs(row[x * shown->stride[1]] - pixels[y][x]);
            most = d > most ? d : most;
        }
    return most;
}

static sac_status stream(sac_delta_encode *encoder, sac_delta_decode *decoder,
                         sac_sdv_writer *writer, sac_error *err)
{
    const int64_t shape[] = {H, W};
    sac_array picture;
    sac_delta_packet packet;
    sac_delta_frame frame;
    size_t bytes = 0;
    int shown = 0, most = 0;
    sac_status st = sac_array_view(&picture, pixels, SAC_U8, 2, shape, err);
    for (int t = 0; t < FRAMES && st == SAC_OK; t++) {
        take_picture(t);
        st = sac_delta_encode_run(encoder, &packet, &picture, (uint64_t)t * 40000000, err);
        if (st == SAC_OK && writer)
            st = sac_sdv_write(writer, &packet, err);
        bytes += st == SAC_OK ? packet.size : 0;
        if (st != SAC_OK || t == LOST) /* the network loses one */
            continue;
        st = sac_delta_decode_run(decoder, &frame, packet.data, packet.size, err);
        if (st == SAC_OK) {
            const int error = error_of(&frame.picture);
            most = error > most ? error : most;
            shown++;
        } else if (st == SAC_AGAIN) { /* this one needs the one that was lost */
            st = SAC_OK;
        }
        if (frame.wants_key)
            sac_delta_encode_key(encoder); /* the receiver asks the sender for a keyframe */
    }
    if (st == SAC_OK)
        printf("%d of %d frames shown, off by %d at most; %zu bytes of %d\n", shown, FRAMES, most,
               bytes, FRAMES * W * H);
    return st;
}

int main(int argc, char **argv)
{
    sac_error err = {0}, late = {0};
    sac_delta_encode *encoder = NULL;
    sac_delta_decode *decoder = NULL;
    sac_sdv_writer *writer = NULL;
    sac_delta_encode_desc from;
    sac_delta_decode_desc to;
    sac_delta_encode_desc_init(&from);
    from.w = W;
    from.h = H;
    from.n_channels = 1;
    from.threshold = 8; /* more than the noise */
    sac_delta_decode_desc_init(&to);
    sac_status st = sac_delta_encode_open(&encoder, &from, &err);
    if (st == SAC_OK)
        st = sac_delta_decode_open(&decoder, &to, &err);
    if (st == SAC_OK && argc > 1)
        st = sac_sdv_writer_open(&writer, argv[1], &err);
    if (st == SAC_OK)
        st = stream(encoder, decoder, writer, &err);
    const sac_status closed = sac_sdv_writer_close(&writer, &late); /* writes the index */
    sac_delta_decode_close(&decoder);
    sac_delta_encode_close(&encoder);
    if (st != SAC_OK || closed != SAC_OK)
        fprintf(stderr, "delta: %s\n", st != SAC_OK ? err.text : late.text);
    return st != SAC_OK || closed != SAC_OK;
}
