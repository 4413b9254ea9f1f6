/*
 * libFuzzer on the parsers of frame packets, of both versions, and of result packets, and on what
 * puts frames together. The input is datagrams, three bytes before each: two of length, and one
 * that says whether magic, version, sizes and checksum are set right (what lies behind them must
 * stand an input that is meant to break it), which of two senders it is from, and how much later it
 * comes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "net/wire.h"

#include <saccade/frame_link.h>

enum { W = 16, H = 9, PIXELS = W * H };

/* The sink's memory; each frame must have all its pixels from packets of that frame. */
static uint8_t *slot;

static uint8_t *give_slot(void *ctx)
{
    (void)ctx;
    return slot;
}

static bool take_frame(void *ctx, const sac_frame_arrival *frame)
{
    int64_t *frames = ctx;
    for (int i = 0; i < PIXELS; i++)
        if (slot[i] != (uint8_t)frame->counter)
            abort();
    ++*frames;
    return true;
}

/* Makes a packet sound on its outside, and its pixels those of its counter. */
static void seal(uint8_t *d, size_t size)
{
    const bool is_array = d[SAC_WIRE_VERSION] % 2 == 0 && size >= SAC_PACKET_ARRAY_HEADER;
    const size_t head = is_array ? SAC_PACKET_ARRAY_HEADER : SAC_PACKET_HEADER;
    memcpy(d, is_array ? "SACF\2\0\0\x68" : "SACF\1\0\0\x50", 8);
    memset(d + SAC_WIRE_COUNTER, 0, 6); /* so that counters meet */
    sac_wire_put(d + (is_array ? 80 : 56), 4, size - head);
    memset(d + head, d[SAC_WIRE_COUNTER + 7], size - head);
    if (!sac_wire_seal(d, head, d + head, size - head, NULL))
        abort();
}

static void give(sac_frame_assembler *a, uint8_t *d, size_t size, uint8_t how, int64_t *now_ns)
{
    const sac_packet_source source = {.port = how >> 1 & 1};
    sac_array_packet frame;
    sac_result_packet result;
    const uint8_t *pixels;
    *now_ns += INT64_C(100000000) * (how >> 2);
    (void)sac_result_packet_parse(&result, d, size, NULL);
    /* The fuzzer sees what a checksum is compared with, and can put it in: such a packet is sound.
     */
    if ((how & 1 && size >= SAC_PACKET_HEADER) ||
        sac_array_packet_parse(&frame, &pixels, d, size, NULL) == SAC_PACKET_TAKEN)
        seal(d, size);
    (void)sac_frame_assembler_take(a, d, size, &source, *now_ns);
}

static void check(const sac_frame_counts *c, int64_t frames)
{
    int64_t sum = 0;
    for (int i = 0; i < SAC_PACKET_KINDS; i++)
        sum += c->kinds[i];
    if (sum != c->datagrams || c->frames != frames || c->expected != frames + c->lost ||
        c->lost < c->incomplete)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t frames = 0, now_ns = 0;
    sac_frame_receiver_desc desc;
    sac_frame_receiver_desc_init(&desc);
    desc.w = W;
    desc.h = H;
    desc.in_flight = 3;
    desc.reach = 20;
    desc.sink = (sac_frame_sink){give_slot, take_frame, &frames};
    sac_frame_assembler *a = NULL;
    slot = malloc(PIXELS);
    if (!slot || sac_frame_assembler_open(&a, &desc, NULL) != SAC_OK)
        abort();
    while (size > 3) {
        size_t n = (size_t)(data[0] | data[1] << 8);
        uint8_t how = data[2];
        data += 3;
        size -= 3;
        n = n < size ? n : size;
        uint8_t *datagram = malloc(n ? n : 1);
        memcpy(datagram, data, n);
        give(a, datagram, n, how, &now_ns);
        free(datagram);
        data += n;
        size -= n;
    }
    sac_frame_counts counts = counts_of_assembler(a);
    check(&counts, frames);
    sac_frame_assembler_close(&a);
    free(slot);
    return 0;
}
