/*
 * Result packets: 256 bytes, all of them header.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "net/wire.h"

static const char magic[4] = {'S', 'A', 'C', 'R'};

enum { AT_ARRIVAL = 32, AT_DONE = 40, AT_FLAGS = 48, AT_SIGNALS = 52, AT_N_FEATURES = 64 };
enum { AT_N_PREDICTIONS = 66, AT_ZERO = 68, AT_FEATURES = 72 };
enum { AT_PREDICTIONS = AT_FEATURES + 4 * SAC_MELTPOOL_FEATURES };

_Static_assert(AT_PREDICTIONS + 4 * SAC_MELTPOOL_PREDICTIONS + SAC_WIRE_CHECK == SAC_PACKET_RESULT,
               "the packet is as long as it is said to be");

static void put_floats(uint8_t *at, const float *values, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        sac_wire_put(at + 4 * i, 4, bits);
    }
}

static void get_floats(float *values, const uint8_t *at, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)sac_wire_get(at + 4 * i, 4);
        memcpy(&values[i], &bits, sizeof bits);
    }
}

bool sac_result_packet_write(uint8_t d[SAC_PACKET_RESULT], const sac_result_packet *result,
                             const sac_packet_key *key)
{
    if (!d || !result)
        return false;
    const sac_meltpool_record *r = &result->record;
    if (result->counter > SAC_PACKET_MOST_COUNTER)
        return false;
    sac_wire_put_begin(d, magic, SAC_PACKET_VERSION, SAC_PACKET_RESULT, key != NULL);
    sac_wire_put(d + SAC_WIRE_STREAM, 8, result->stream);
    sac_wire_put(d + SAC_WIRE_COUNTER, 8, result->counter);
    sac_wire_put(d + SAC_WIRE_SENT, 8, (uint64_t)result->sent_ns);
    sac_wire_put(d + AT_ARRIVAL, 8, (uint64_t)r->arrival_ns);
    sac_wire_put(d + AT_DONE, 8, (uint64_t)r->done_ns);
    sac_wire_put(d + AT_FLAGS, 4, r->flags);
    sac_wire_put_signals(d + AT_SIGNALS, r->signals.laser_on, r->signals.x, r->signals.y);
    sac_wire_put(d + AT_N_FEATURES, 2, SAC_MELTPOOL_FEATURES);
    sac_wire_put(d + AT_N_PREDICTIONS, 2, SAC_MELTPOOL_PREDICTIONS);
    put_floats(d + AT_FEATURES, r->features, SAC_MELTPOOL_FEATURES);
    put_floats(d + AT_PREDICTIONS, r->prediction, SAC_MELTPOOL_PREDICTIONS);
    return sac_wire_seal(d, SAC_PACKET_RESULT, d, 0, key);
}

sac_packet_kind sac_result_packet_parse(sac_result_packet *result, const uint8_t *datagram,
                                        size_t size, const sac_packet_key *key)
{
    const uint8_t *d = datagram;
    if (!result || (!d && size > 0))
        return SAC_PACKET_FOREIGN;
    sac_packet_kind kind =
        sac_wire_check_begin(d, size, magic, SAC_PACKET_VERSION, SAC_PACKET_RESULT);
    if (kind == SAC_PACKET_TAKEN && size > SAC_PACKET_RESULT)
        kind = SAC_PACKET_OVERSIZE;
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    kind = sac_wire_check_seal(d, SAC_PACKET_RESULT, d, 0, key);
    if (kind != SAC_PACKET_TAKEN)
        return kind;
    sac_result_packet p = {
        .stream = sac_wire_get(d + SAC_WIRE_STREAM, 8),
        .counter = sac_wire_get(d + SAC_WIRE_COUNTER, 8),
        .sent_ns = (int64_t)sac_wire_get(d + SAC_WIRE_SENT, 8),
    };
    if (p.counter > SAC_PACKET_MOST_COUNTER ||
        sac_wire_get(d + AT_N_FEATURES, 2) != SAC_MELTPOOL_FEATURES ||
        sac_wire_get(d + AT_N_PREDICTIONS, 2) != SAC_MELTPOOL_PREDICTIONS ||
        sac_wire_get(d + AT_ZERO, 4) != 0)
        return SAC_PACKET_MALFORMED;
    sac_meltpool_record *r = &p.record;
    r->arrival_ns = (int64_t)sac_wire_get(d + AT_ARRIVAL, 8);
    r->done_ns = (int64_t)sac_wire_get(d + AT_DONE, 8);
    r->flags = (uint32_t)sac_wire_get(d + AT_FLAGS, 4);
    r->signals.counter = (int32_t)(uint32_t)p.counter;
    sac_wire_get_signals(&r->signals.laser_on, &r->signals.x, &r->signals.y, d + AT_SIGNALS);
    get_floats(r->features, d + AT_FEATURES, SAC_MELTPOOL_FEATURES);
    get_floats(r->prediction, d + AT_PREDICTIONS, SAC_MELTPOOL_PREDICTIONS);
    *result = p;
    return SAC_PACKET_TAKEN;
}
