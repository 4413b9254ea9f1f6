/*
 * libFuzzer on the decoder of delta streams. The input is packets, two bytes of length before each
 * (the first as it is, the rest without magic, sizes and checksum, which are set right: what lies
 * behind them must stand an input that is meant to break it).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "delta/format.h"

static sac_delta_decode *decoder;
static uint64_t stream, previous, next;

static void give(const uint8_t *packet, size_t size)
{
    sac_delta_frame frame;
    sac_status status = sac_delta_decode_run(decoder, &frame, packet, size, NULL);
    if ((status == SAC_OK) != (frame.picture.data != NULL))
        abort();
    sac_delta_packet found;
    const sac_status peeked = sac_delta_peek(&found, packet, size, 1 << 14, NULL);
    if (status == SAC_OK && (peeked != SAC_OK || found.size != size))
        abort();
    const sac_array *a = &frame.picture;
    volatile uint8_t last = 0;
    if (status == SAC_OK)
        for (int64_t y = 0; y < a->shape[0]; y++)
            last = ((const uint8_t *)a->data)[y * a->stride[0] + (a->shape[1] - 1) * a->stride[1]];
    (void)last;
}

/* Makes a packet sound on its outside, and one that follows the packet before. */
static void seal(uint8_t *packet, size_t size)
{
    size_t sealed = size - SAC_DELTA_TAIL;
    sac_delta_put32(packet, SAC_DELTA_MAGIC);
    packet[4] = SAC_DELTA_VERSION;
    sac_delta_put32(packet + 8, (uint32_t)size);
    sac_delta_put64(packet + 24, next++);
    sac_delta_put64(packet + 40, stream);
    sac_delta_put64(packet + 48, previous);
    previous = sac_delta_checksum(packet, sealed);
    sac_delta_put64(packet + sealed, previous);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_delta_decode_desc desc;
    sac_delta_decode_desc_init(&desc);
    desc.n_threads = 1;
    desc.max_pixels = 1 << 14; /* whose bands open quickly */
    if (sac_delta_decode_open(&decoder, &desc, NULL) != SAC_OK)
        abort();
    stream = previous = next = 0;
    for (bool first = true; size > 2; first = false) {
        size_t n = (size_t)(data[0] | data[1] << 8);
        data += 2;
        size -= 2;
        n = n < size ? n : size;
        uint8_t *packet = malloc(n ? n : 1);
        memcpy(packet, data, n);
        if (!first && n >= SAC_DELTA_HEADER + SAC_DELTA_TAIL)
            seal(packet, n);
        give(packet, n);
        free(packet);
        data += n;
        size -= n;
    }
    sac_delta_decode_close(&decoder);
    return 0;
}
