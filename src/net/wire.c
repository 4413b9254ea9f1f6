/*
 * What frame and result packets have in common: how they begin, and the seal.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/error.h"
#include "io/crc32c.h"
#include "net/wire.h"

#include <string.h>

static const char *const names[SAC_PACKET_KINDS] = {
    [SAC_PACKET_TAKEN] = "taken",
    [SAC_PACKET_STRANGER] = "stranger",
    [SAC_PACKET_FOREIGN] = "foreign",
    [SAC_PACKET_TRUNCATED] = "truncated",
    [SAC_PACKET_OVERSIZE] = "oversize",
    [SAC_PACKET_DAMAGED] = "damaged",
    [SAC_PACKET_MALFORMED] = "malformed",
    [SAC_PACKET_WRONG_SHAPE] = "wrong_shape",
    [SAC_PACKET_DUPLICATE] = "duplicate",
    [SAC_PACKET_STALE] = "stale",
    [SAC_PACKET_NO_TAG] = "no_tag",
    [SAC_PACKET_BAD_TAG] = "bad_tag",
    [SAC_PACKET_UNEXPECTED_TAG] = "unexpected_tag",
    [SAC_PACKET_FAR] = "far",
};

const char sac_wire_frame_magic[4] = {'S', 'A', 'C', 'F'};

const char *sac_packet_kind_name(int32_t kind)
{
    return kind >= 0 && kind < SAC_PACKET_KINDS ? names[kind] : "";
}

sac_status sac_wire_check_size(int32_t w, int32_t h, sac_error *err)
{
    const int most = SAC_PACKET_MOST_SIDE;
    return w >= 1 && h >= 1 && w <= most && h <= most
               ? SAC_OK
               : sac_fail(err, SAC_E_INVALID, "w, h: expected 1 x 1 to %d x %d, got %d x %d", most,
                          most, w, h);
}

sac_status sac_wire_check_array(size_t *bytes, int32_t dtype, int32_t n_dims, const int64_t *shape,
                                sac_error *err)
{
    uint64_t all = sac_dtype_size((sac_dtype)dtype);
    if (all == 0)
        return sac_fail(err, SAC_E_INVALID, "dtype: expected one of sac_dtype, got %d", dtype);
    if (n_dims < 1 || n_dims > SAC_PACKET_MOST_AXES)
        return sac_fail(err, SAC_E_INVALID, "n_dims: expected 1 to %d, got %d",
                        SAC_PACKET_MOST_AXES, n_dims);
    for (int32_t i = 0; i < n_dims; i++) {
        /* Neither is above 2^30, so that the product fits. */
        if (shape[i] < 1 || shape[i] > SAC_PACKET_MOST_FRAME)
            return sac_fail(err, SAC_E_INVALID, "shape: expected 1 or more, got %lld at axis %d",
                            (long long)shape[i], i);
        all *= (uint64_t)shape[i];
        if (all > SAC_PACKET_MOST_FRAME)
            return sac_fail(err, SAC_E_INVALID, "shape: a frame has more than %lld bytes",
                            (long long)SAC_PACKET_MOST_FRAME);
    }
    *bytes = (size_t)all;
    return SAC_OK;
}

sac_status sac_wire_take_shape(int32_t *dtype, int32_t *n_dims, int64_t *shape, int32_t w,
                               int32_t h, sac_error *err)
{
    size_t bytes;
    if (*n_dims != 0)
        return sac_wire_check_array(&bytes, *dtype, *n_dims, shape, err);
    *dtype = SAC_U8;
    *n_dims = 2;
    shape[0] = h;
    shape[1] = w;
    return sac_wire_check_size(w, h, err);
}

bool sac_wire_cut(size_t *offset, size_t *size, size_t all, int32_t i, int32_t n, size_t head_bytes)
{
    if (n < 1 || i < 0 || i >= n)
        return false;
    const size_t parts = (size_t)n, at = (size_t)i;
    const size_t each = (all + parts - 1) / parts; /* the last has what is left: something */
    if ((parts - 1) * each >= all || each > SAC_PACKET_MOST_BYTES - head_bytes)
        return false;
    *offset = at * each;
    *size = all - *offset < each ? all - *offset : each;
    return true;
}

void sac_wire_put_begin(uint8_t *head, const char magic[4], int version, size_t head_bytes,
                        bool has_key)
{
    memset(head, 0, head_bytes);
    memcpy(head + SAC_WIRE_MAGIC, magic, 4);
    head[SAC_WIRE_VERSION] = (uint8_t)version;
    head[SAC_WIRE_SEAL] = has_key;
    sac_wire_put(head + SAC_WIRE_HEAD, 2, head_bytes);
}

void sac_wire_put_signals(uint8_t *at, int32_t laser_on, int32_t x, int32_t y)
{
    sac_wire_put(at, 4, (uint32_t)laser_on);
    sac_wire_put(at + 4, 4, (uint32_t)x);
    sac_wire_put(at + 8, 4, (uint32_t)y);
}

void sac_wire_get_signals(int32_t *laser_on, int32_t *x, int32_t *y, const uint8_t *at)
{
    *laser_on = (int32_t)(uint32_t)sac_wire_get(at, 4);
    *x = (int32_t)(uint32_t)sac_wire_get(at + 4, 4);
    *y = (int32_t)(uint32_t)sac_wire_get(at + 8, 4);
}

sac_packet_kind sac_wire_check_begin(const uint8_t *datagram, size_t size, const char magic[4],
                                     int version, size_t head_bytes)
{
    if (size == 0)
        return SAC_PACKET_TRUNCATED;
    if (memcmp(datagram, magic, size < 4 ? size : 4) != 0 ||
        (size > SAC_WIRE_VERSION && datagram[SAC_WIRE_VERSION] != version))
        return SAC_PACKET_FOREIGN;
    if (size < head_bytes)
        return SAC_PACKET_TRUNCATED;
    return sac_wire_get(datagram + SAC_WIRE_HEAD, 2) == head_bytes ? SAC_PACKET_TAKEN
                                                                   : SAC_PACKET_MALFORMED;
}

sac_packet_kind sac_wire_check_length(uint64_t says, uint64_t has, uint64_t most)
{
    return says == has   ? SAC_PACKET_TAKEN
           : says > most ? SAC_PACKET_MALFORMED
           : says > has  ? SAC_PACKET_TRUNCATED
                         : SAC_PACKET_OVERSIZE;
}

/* The checksum with zeros behind it. */
static void put_checksum(uint8_t check[SAC_WIRE_CHECK], const uint8_t *head, size_t sealed,
                         const uint8_t *body, size_t body_bytes)
{
    memset(check, 0, SAC_WIRE_CHECK);
    sac_wire_put(check, 4, sac_crc32c(sac_crc32c(0, head, sealed), body, body_bytes));
}

bool sac_wire_seal(uint8_t *head, size_t head_bytes, const uint8_t *body, size_t body_bytes,
                   const sac_packet_key *key)
{
    size_t sealed = head_bytes - SAC_WIRE_CHECK;
    if (key)
        return sac_packet_tag(head + sealed, key, head, sealed, body, body_bytes);
    put_checksum(head + sealed, head, sealed, body, body_bytes);
    return true;
}

sac_packet_kind sac_wire_check_seal(const uint8_t *head, size_t head_bytes, const uint8_t *body,
                                    size_t body_bytes, const sac_packet_key *key)
{
    size_t sealed = head_bytes - SAC_WIRE_CHECK;
    uint8_t check[SAC_WIRE_CHECK];
    if (head[SAC_WIRE_SEAL] > 1)
        return SAC_PACKET_DAMAGED;
    if (head[SAC_WIRE_SEAL] != (key != NULL))
        return key ? SAC_PACKET_NO_TAG : SAC_PACKET_UNEXPECTED_TAG;
    if (key)
        return sac_packet_tag(check, key, head, sealed, body, body_bytes) &&
                       sac_packet_tag_equal(check, head + sealed)
                   ? SAC_PACKET_TAKEN
                   : SAC_PACKET_BAD_TAG;
    put_checksum(check, head, sealed, body, body_bytes);
    return memcmp(check, head + sealed, sizeof check) == 0 ? SAC_PACKET_TAKEN : SAC_PACKET_DAMAGED;
}
