/*
 * Finding an .sdv file's index, and keyframes in it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/sdv_index.h"

#include <unistd.h>

#define MOST_KEYS (UINT64_C(1) << 24) /* of an index that is used: 384 MB of it */

static sac_sdv_key key_of(const uint8_t *entry)
{
    return (sac_sdv_key){.offset = sac_delta_get64(entry), .frame = sac_delta_get64(entry + 8)};
}

/* Whether the index that begins at `start` is sound, and its keyframes are in order: each behind
 * the one before and in front of the index, with a higher number. */
static bool check_index(sac_sdv_index *index, const sac_sdv_bytes *in, uint64_t start,
                        uint64_t size, sac_delta_sum *sum)
{
    enum { SOME = 512 };
    uint8_t some[SOME * SAC_SDV_ENTRY];
    if (!sac_sdv_bytes_read_at(in, some, SAC_SDV_HEAD, start) ||
        sac_delta_get32(some) != SAC_SDV_MAGIC || some[4] != SAC_SDV_VERSION)
        return false;
    const uint64_t n = sac_delta_get64(some + 16);
    if (n > MOST_KEYS || SAC_SDV_HEAD + n * SAC_SDV_ENTRY + SAC_SDV_TAIL != size ||
        n * SAC_SDV_LEAST_PACKET > start)
        return false;
    index->n_frames = sac_delta_get64(some + 8);
    index->n_keys = n;
    index->keys = start + SAC_SDV_HEAD;
    sac_delta_sum_add(sum, some, SAC_SDV_HEAD);
    sac_sdv_key last = {0};
    for (uint64_t i = 0; i < n; i += SOME) {
        size_t count = n - i < SOME ? (size_t)(n - i) : SOME;
        if (!sac_sdv_bytes_read_at(in, some, count * SAC_SDV_ENTRY,
                                   index->keys + i * SAC_SDV_ENTRY))
            return false;
        sac_delta_sum_add(sum, some, count * SAC_SDV_ENTRY);
        for (size_t k = 0; k < count; k++) {
            const sac_sdv_key key = key_of(some + k * SAC_SDV_ENTRY);
            if (key.offset >= start ||
                (i + k > 0 && (key.offset <= last.offset || key.frame <= last.frame)))
                return false;
            last = key;
        }
    }
    sac_delta_put64(some, start); /* as the tail has it, or the checksum is wrong */
    sac_delta_sum_add(sum, some, 8);
    return true;
}

sac_status sac_sdv_index_find(sac_sdv_index *index, const sac_sdv_bytes *in, sac_error *err)
{
    uint8_t tail[SAC_SDV_TAIL];
    const off_t length = lseek(in->fd, 0, SEEK_END);
    const uint64_t end = length > 0 ? (uint64_t)length : 0;
    if (end < SAC_SDV_HEAD + SAC_SDV_TAIL ||
        !sac_sdv_bytes_read_at(in, tail, sizeof tail, end - sizeof tail))
        return SAC_OK;
    const uint64_t start = sac_delta_get64(tail);
    if (start > end - SAC_SDV_HEAD - SAC_SDV_TAIL)
        return SAC_OK;
    sac_delta_sum *sum = sac_delta_sum_open();
    if (!sum)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory to read it", in->name);
    const bool is_sound = check_index(index, in, start, end - start, sum);
    index->is_sound = sac_delta_sum_close(&sum) == sac_delta_get64(tail + 8) && is_sound;
    return SAC_OK;
}

bool sac_sdv_index_key(const sac_sdv_index *index, const sac_sdv_bytes *in, uint64_t frame,
                       uint64_t *offset)
{
    uint8_t entry[SAC_SDV_ENTRY];
    uint64_t low = 0, high = index->n_keys; /* those before `low` are not behind it */
    *offset = 0;
    if (!index->is_sound)
        return false;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (!sac_sdv_bytes_read_at(in, entry, sizeof entry, index->keys + middle * SAC_SDV_ENTRY))
            return false;
        const sac_sdv_key key = key_of(entry);
        if (key.frame <= frame) {
            *offset = key.offset;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return true;
}
