/*
 * A system without what shared streams take: memory whose size can be sealed, names that go with
 * their process, and the user of the other side (Linux' memfd, abstract sockets, SO_PEERCRED).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stream/share.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static sac_status refuse(sac_error *err)
{
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "shared: this system has no streams between processes (Linux has)");
}

sac_status sac_share_open(sac_share **out, const sac_stream_desc *desc, sac_error *err)
{
    *out = NULL;
    return refuse(err);
}

void sac_share_close(sac_share **share)
{
}

int32_t sac_share_take(sac_share *share, sac_ring *to, uint32_t *ids, int32_t max)
{
    return 0;
}

void sac_share_wait(sac_share *share, const sac_ring *to)
{
}

bool sac_share_close_empty(sac_share *share)
{
    return true;
}

void sac_share_request_stop(sac_share *share)
{
}

void sac_share_add_counts(const sac_share *share, sac_stream_counts *counts)
{
}

sac_status sac_producer_attach(sac_producer **out, const char *shared, size_t frame_bytes,
                               sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "producer: is NULL");
    *out = NULL;
    return refuse(err);
}

void *sac_producer_slot(sac_producer *producer)
{
    return NULL;
}

sac_status sac_producer_send(sac_producer *producer, int64_t scheduled_ns)
{
    return SAC_E_INVALID;
}

void sac_producer_refuse(sac_producer *producer, int64_t n)
{
}

bool sac_producer_is_stopping(const sac_producer *producer)
{
    return true;
}

void sac_producer_detach(sac_producer **producer)
{
}
