/*
 * Writing .sdv files.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"
#include "delta/sdv.h"

/* Keyframes, as many as there is memory for. */
typedef struct sac_sdv_index {
    sac_sdv_key *keys;
    size_t n_keys, room;
    uint64_t n_frames;
} sac_sdv_index;

struct sac_sdv_writer {
    int fd;
    char name[SAC_SDV_NAME];
    uint64_t offset;
    sac_sdv_index index;
    uint8_t *out; /* the index as it is written */
};

/* Adds a packet that begins at `offset`. SAC_E_NOMEM. */
static sac_status add_to_index(sac_sdv_index *index, uint64_t offset,
                               const sac_delta_header *packet)
{
    index->n_frames++;
    if (!packet->is_key)
        return SAC_OK;
    if (index->n_keys == index->room) {
        size_t room = index->room ? 2 * index->room : 64;
        sac_sdv_key *keys = sac_alloc(room, sizeof *keys);
        if (!keys)
            return SAC_E_NOMEM;
        if (index->keys)
            memcpy(keys, index->keys, index->n_keys * sizeof *keys);
        sac_free(index->keys);
        index->keys = keys;
        index->room = room;
    }
    index->keys[index->n_keys++] = (sac_sdv_key){offset, packet->frame, packet->time_ns};
    return SAC_OK;
}

static sac_status not_written(const sac_sdv_writer *writer, sac_error *err)
{
    return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", writer->name, strerror(errno));
}

sac_status sac_sdv_writer_open(sac_sdv_writer **out, const char *path, sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "path" : "out");
    *out = NULL;
    sac_status status = sac_delta_codec_check(false, err);
    if (status)
        return status;
    sac_sdv_writer *writer = sac_alloc(1, sizeof *writer);
    if (!writer)
        return sac_fail(err, SAC_E_NOMEM, "%.100s: no memory to write it", path);
    bool is_stdout = strcmp(path, "-") == 0;
    snprintf(writer->name, sizeof writer->name, "%s", is_stdout ? "standard output" : path);
    writer->fd =
        is_stdout ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (writer->fd < 0) {
        status = not_written(writer, err);
        sac_free(writer);
        return status;
    }
    *out = writer;
    return SAC_OK;
}

/* Signals do not cut a packet short. */
static sac_status put(sac_sdv_writer *writer, const uint8_t *data, size_t size, sac_error *err)
{
    writer->offset += size;
    return sac_write_all(writer->fd, data, size) ? SAC_OK : not_written(writer, err);
}

sac_status sac_sdv_write(sac_sdv_writer *writer, const sac_delta_packet *packet, sac_error *err)
{
    sac_delta_header header;
    if (!writer || !packet || !packet->data)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", writer ? "packet" : "writer");
    if (sac_delta_header_get(&header, packet->data, packet->size) != SAC_DELTA_SOUND ||
        header.size != packet->size)
        return sac_fail(err, SAC_E_FORMAT, "packet: these %zu bytes are not a packet",
                        packet->size);
    if (add_to_index(&writer->index, writer->offset, &header) != SAC_OK)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for the index", writer->name);
    return put(writer, packet->data, packet->size, err);
}

static sac_status put_index(sac_sdv_writer *writer, sac_error *err)
{
    const sac_sdv_index *index = &writer->index;
    size_t size = SAC_SDV_HEAD + SAC_SDV_ENTRY * index->n_keys + SAC_SDV_TAIL;
    uint8_t *to = writer->out = sac_alloc(size, 1);
    if (!to)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for the index", writer->name);
    sac_delta_put32(to, SAC_SDV_MAGIC);
    to[4] = SAC_SDV_VERSION;
    sac_delta_put64(to + 8, index->n_frames);
    sac_delta_put64(to + 16, index->n_keys);
    to += SAC_SDV_HEAD;
    for (size_t i = 0; i < index->n_keys; i++, to += SAC_SDV_ENTRY) {
        sac_delta_put64(to, index->keys[i].offset);
        sac_delta_put64(to + 8, index->keys[i].frame);
        sac_delta_put64(to + 16, index->keys[i].time_ns);
    }
    sac_delta_put64(to, writer->offset);
    sac_delta_put64(to + 8, sac_delta_checksum(writer->out, size - 8));
    return put(writer, writer->out, size, err);
}

sac_status sac_sdv_writer_close(sac_sdv_writer **writer, sac_error *err)
{
    if (!writer || !*writer)
        return SAC_OK;
    sac_sdv_writer *w = *writer;
    sac_status status = put_index(w, err);
    if (w->fd != STDOUT_FILENO && close(w->fd) != 0 && status == SAC_OK)
        status = not_written(w, err);
    sac_free(w->index.keys);
    sac_free(w->out);
    sac_free(w);
    *writer = NULL;
    return status;
}
