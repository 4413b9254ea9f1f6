/*
 * Page-locked staging: packing, copying, unpacking, piece by piece.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/stage.h"

#include <string.h>

#include "base/alloc.h"

/* Bytes of a piece: long against the 10 us of a copy's start, short against a 1080p frame of 6 MB.
 */
#define PIECE ((size_t)1 << 20)

/* Rows of a piece on their way, for the pool. */
typedef struct job {
    sac_stage_picture picture;
    char *piece;
    int64_t first_row, n_rows; /* of all planes' rows */
    int32_t n_tasks;
    bool unpack;
} job;

struct sac_stage {
    sac_gpu *gpu;
    sac_pool *pool;
    size_t row;
    int64_t piece_rows;
    void *up[2], *down[2];          /* (piece_rows, row) page-locked */
    sac_gpu_event sent[2], came[2]; /* that the device is done with up[i], with down[i] */
    job job;
};

static size_t row_bytes(const sac_stage_picture *p)
{
    return (size_t)p->w * (size_t)p->n_channels * (size_t)p->size;
}

size_t sac_stage_row(const sac_stage_picture *p)
{
    return (row_bytes(p) + SAC_STAGE_ALIGN - 1) / SAC_STAGE_ALIGN * SAC_STAGE_ALIGN;
}

sac_status sac_stage_open(sac_stage **out, sac_gpu *gpu, sac_pool *pool,
                          const sac_stage_picture *shape, sac_error *err)
{
    *out = NULL;
    sac_stage *stage = sac_alloc(1, sizeof *stage);
    if (!stage)
        return sac_fail(err, SAC_E_NOMEM, "device: no memory for staging");
    stage->gpu = gpu;
    stage->pool = pool;
    stage->row = sac_stage_row(shape);
    int64_t rows = shape->n_planes * shape->h, fit = (int64_t)(PIECE / stage->row);
    fit = fit > 0 ? fit : 1;
    stage->piece_rows = rows < fit ? rows : fit;
    size_t bytes = (size_t)stage->piece_rows * stage->row;
    sac_status status = SAC_OK;
    for (int i = 0; i < 2 && status == SAC_OK; i++) {
        status = sac_gpu_alloc_pinned(gpu, &stage->up[i], bytes, err);
        if (status == SAC_OK)
            status = sac_gpu_alloc_pinned(gpu, &stage->down[i], bytes, err);
        if (status == SAC_OK && (sac_gpu_event_open_untimed(gpu, &stage->sent[i]) != SAC_OK ||
                                 sac_gpu_event_open_untimed(gpu, &stage->came[i]) != SAC_OK))
            status = sac_fail(err, SAC_E_DEVICE, "device: refused an event");
    }
    if (status)
        sac_stage_close(&stage);
    *out = stage;
    return status;
}

void sac_stage_close(sac_stage **stage)
{
    if (!stage || !*stage)
        return;
    for (int i = 0; i < 2; i++) {
        sac_gpu_event_close(&(*stage)->sent[i]);
        sac_gpu_event_close(&(*stage)->came[i]);
        sac_gpu_free_pinned((*stage)->gpu, (*stage)->up[i]);
        sac_gpu_free_pinned((*stage)->gpu, (*stage)->down[i]);
    }
    sac_free(*stage);
    *stage = NULL;
}

/* Whether a row's samples lie one behind the other, in order. */
static bool is_packed_row(const sac_stage_picture *p)
{
    return (p->n_channels == 1 || p->channel == p->size) &&
           (p->w == 1 || p->pixel == (ptrdiff_t)p->n_channels * p->size);
}

/* Whether the device can fetch or fill the picture by itself. */
static bool is_direct(const sac_stage_picture *p)
{
    ptrdiff_t width = (ptrdiff_t)row_bytes(p);
    if (!is_packed_row(p) || (p->h > 1 && p->row < width))
        return false;
    size_t bytes = (size_t)((p->h - 1) * p->row + width);
    for (int64_t i = 0; i < p->n_planes; i++)
        if (!sac_gpu_is_pinned(p->data + i * p->plane, bytes))
            return false;
    return true;
}

static void copy_samples(char *to, const char *from, const sac_stage_picture *p, bool unpack)
{
    ptrdiff_t size = p->size, packed = size * p->n_channels;
    for (int32_t c = 0; c < p->n_channels; c++) {
        char *t = to + c * (unpack ? p->channel : size);
        const char *f = from + c * (unpack ? size : p->channel);
        ptrdiff_t to_step = unpack ? p->pixel : packed, from_step = unpack ? packed : p->pixel;
        for (int64_t x = 0; x < p->w; x++)
            memcpy(t + x * to_step, f + x * from_step, (size_t)size);
    }
}

static void copy_rows(void *arg, int32_t task)
{
    const job *j = arg;
    const sac_stage_picture *p = &j->picture;
    size_t pitch = sac_stage_row(p), width = row_bytes(p);
    bool packed = is_packed_row(p);
    int64_t from = j->n_rows * task / j->n_tasks, to = j->n_rows * (task + 1) / j->n_tasks;
    for (int64_t i = from; i < to; i++) {
        int64_t r = j->first_row + i;
        char *host = p->data + r / p->h * p->plane + r % p->h * p->row;
        char *piece = j->piece + (size_t)i * pitch;
        char *target = j->unpack ? host : piece, *source = j->unpack ? piece : host;
        if (packed)
            memcpy(target, source, width);
        else
            copy_samples(target, source, p, j->unpack);
    }
}

/* Between the picture and a page-locked piece, by all threads. */
static void move(sac_stage *stage, const sac_stage_picture *picture, int64_t k, bool unpack)
{
    int64_t first = k * stage->piece_rows, left = picture->n_planes * picture->h - first;
    int32_t n_threads = sac_pool_threads(stage->pool);
    job *j = &stage->job;
    *j = (job){.picture = *picture, .first_row = first, .unpack = unpack};
    j->piece = unpack ? stage->down[k % 2] : stage->up[k % 2];
    j->n_rows = left < stage->piece_rows ? left : stage->piece_rows;
    j->n_tasks = j->n_rows < n_threads ? (int32_t)j->n_rows : n_threads;
    sac_pool_run(stage->pool, j->n_tasks, copy_rows, j);
}

static int64_t count_pieces(const sac_stage *stage, const sac_stage_picture *picture)
{
    return (picture->n_planes * picture->h + stage->piece_rows - 1) / stage->piece_rows;
}

/* Where piece k lies in a frame, and its bytes. */
static size_t piece_at(const sac_stage *stage, const sac_stage_picture *picture, int64_t k,
                       size_t *bytes)
{
    int64_t first = k * stage->piece_rows, left = picture->n_planes * picture->h - first;
    *bytes = (size_t)(left < stage->piece_rows ? left : stage->piece_rows) * stage->row;
    return (size_t)first * stage->row;
}

/* A page-locked picture, plane by plane. */
static sac_status copy_direct(const sac_stage *stage, const sac_stage_picture *p, char *frame,
                              bool down)
{
    size_t width = row_bytes(p), plane = (size_t)p->h * stage->row;
    ptrdiff_t row = p->h > 1 ? p->row : (ptrdiff_t)width, pitch = (ptrdiff_t)stage->row;
    sac_gpu_stream up = sac_gpu_copy_stream(stage->gpu), back = sac_gpu_back_stream(stage->gpu);
    sac_status status = SAC_OK;
    for (int64_t i = 0; i < p->n_planes && status == SAC_OK; i++) {
        char *host = p->data + i * p->plane, *device = frame + (size_t)i * plane;
        status = down ? sac_gpu_copy_rows(host, row, device, pitch, width, (size_t)p->h, back)
                      : sac_gpu_copy_rows(device, pitch, host, row, width, (size_t)p->h, up);
    }
    return status;
}

sac_status sac_stage_up(sac_stage *stage, void *frame, const sac_stage_picture *from)
{
    if (is_direct(from))
        return copy_direct(stage, from, frame, false);
    sac_gpu_stream stream = sac_gpu_copy_stream(stage->gpu);
    int64_t n = count_pieces(stage, from);
    sac_status status = SAC_OK;
    for (int64_t k = 0; k < n && status == SAC_OK; k++) {
        size_t bytes, at = piece_at(stage, from, k, &bytes);
        status = sac_gpu_event_sync(stage->sent[k % 2]);
        if (status)
            return status;
        move(stage, from, k, false);
        status = sac_gpu_copy((char *)frame + at, stage->up[k % 2], bytes, stream);
        if (status == SAC_OK)
            status = sac_gpu_event_record(stage->sent[k % 2], stream);
    }
    return status;
}

sac_status sac_stage_down(sac_stage *stage, const sac_stage_picture *to, const void *frame)
{
    if (is_direct(to))
        return copy_direct(stage, to, (char *)frame, true);
    sac_gpu_stream stream = sac_gpu_back_stream(stage->gpu);
    int64_t n = count_pieces(stage, to);
    for (int64_t k = 0; k <= n; k++) {
        if (k < n) {
            size_t bytes, at = piece_at(stage, to, k, &bytes);
            sac_status status =
                sac_gpu_copy(stage->down[k % 2], (const char *)frame + at, bytes, stream);
            if (status == SAC_OK)
                status = sac_gpu_event_record(stage->came[k % 2], stream);
            if (status)
                return status;
        }
        if (k > 0) {
            sac_status status = sac_gpu_event_sync(stage->came[(k - 1) % 2]);
            if (status)
                return status;
            move(stage, to, k - 1, true);
        }
    }
    return SAC_OK;
}
