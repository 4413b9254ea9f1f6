/*
 * Page-locked staging: packing, copying, unpacking, piece by piece.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/stage.h"

#include <string.h>

#include "base/alloc.h"
#include "gpu/open.h"

/* Bytes of a piece: long against the 10 us of a copy's start, short against a 1080p frame of 6 MB.
 */
#define PIECE ((size_t)1 << 20)
#define PART ((size_t)1 << 16) /* bytes of a row that a thread copies at a time, at most */

/* An array's rows in the CPU's memory. Axes over which rows follow evenly are one. */
typedef struct rows {
    char *data;
    int32_t n_axes;
    int64_t n[SAC_MAX_DIMS];
    ptrdiff_t stride[SAC_MAX_DIMS];
    int64_t n_rows, w; /* of all axes; pixels of a row */
    int32_t n_channels;
    ptrdiff_t size, pixel, channel; /* bytes of a sample; strides */
    size_t width, pitch;            /* bytes of a row, and from row to row on the device */
    int64_t part, n_parts;          /* pixels of a part of a row; parts of a row */
} rows;

/* Parts of rows on their way, for the pool. */
typedef struct job {
    rows rows;
    char *piece;
    int64_t first, n; /* parts */
    int32_t n_tasks;
    bool unpack;
} job;

struct sac_stage {
    sac_gpu *gpu;
    sac_pool *pool;
    size_t bytes;                   /* of a buffer */
    char *up[2], *down[2];          /* page-locked, one piece of memory, which up[0] begins */
    sac_gpu_event sent[2], came[2]; /* that the device is done with up[i], with down[i] */
    job job;
};

sac_status sac_stage_open(sac_stage **out, sac_gpu *gpu, sac_pool *pool, size_t bytes,
                          sac_error *err)
{
    *out = NULL;
    sac_stage *stage = sac_alloc(1, sizeof *stage);
    if (!stage)
        return sac_fail(err, SAC_E_NOMEM, "device: no memory for staging");
    stage->gpu = gpu;
    stage->pool = pool;
    stage->bytes = bytes < PIECE ? (bytes + SAC_ALIGNMENT) / SAC_ALIGNMENT * SAC_ALIGNMENT : PIECE;
    sac_status status = sac_gpu_alloc_pinned(gpu, (void **)&stage->up[0], 4 * stage->bytes, err);
    for (int i = 0; i < 2 && status == SAC_OK; i++) {
        stage->up[i] = stage->up[0] + (size_t)i * stage->bytes;
        stage->down[i] = stage->up[i] + 2 * stage->bytes;
        sac_gpu_event *const events[] = {&stage->sent[i], &stage->came[i]};
        status = sac_gpu_events_open_untimed(gpu, events, 2, err);
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
    }
    sac_gpu_free_pinned((*stage)->gpu, (*stage)->up[0]);
    sac_free(*stage);
    *stage = NULL;
}

/* An axis outside of those that are there: as one with the next, where rows then follow evenly. */
static void add_axis(rows *r, int64_t n, ptrdiff_t stride)
{
    ptrdiff_t inner = r->n_axes ? r->stride[r->n_axes - 1] : 0;
    r->n_rows *= n;
    if (n == 1)
        return;
    if (r->n_axes && stride == (ptrdiff_t)r->n[r->n_axes - 1] * inner) {
        r->n[r->n_axes - 1] *= n;
        return;
    }
    r->n[r->n_axes] = n;
    r->stride[r->n_axes++] = stride;
}

static rows rows_of(const sac_array *a, int32_t row_axes, size_t pitch)
{
    int32_t x = a->n_dims - row_axes, last = a->n_dims - 1;
    rows r = {.data = a->data, .n_rows = 1, .w = a->shape[x], .pixel = a->stride[x]};
    r.size = (ptrdiff_t)sac_dtype_size(a->dtype);
    r.n_channels = row_axes > 1 ? (int32_t)a->shape[last] : 1;
    r.channel = row_axes > 1 ? a->stride[last] : 0;
    ptrdiff_t pixel = r.n_channels * r.size;
    r.width = (size_t)(r.w * pixel);
    r.pitch = pitch;
    for (int32_t i = x - 1; i >= 0; i--) /* the innermost first */
        add_axis(&r, a->shape[i], a->stride[i]);
    int64_t most = (int64_t)(PART - SAC_STAGE_ALIGN) / pixel;
    r.part = r.w < most ? r.w : most;
    r.n_parts = (r.w + r.part - 1) / r.part;
    return r;
}

/* Whether a row's samples lie one behind the other, in order. */
static bool is_packed_row(const rows *r)
{
    return (r->n_channels == 1 || r->channel == r->size) &&
           (r->w == 1 || r->pixel == (ptrdiff_t)r->n_channels * r->size);
}

static char *row_at(const rows *r, int64_t i, int32_t first_axis)
{
    char *at = r->data;
    for (int32_t k = first_axis; k < r->n_axes; k++) {
        at += i % r->n[k] * r->stride[k];
        i /= r->n[k];
    }
    return at;
}

/* Whether the device can fetch or fill the array by itself. */
static bool is_direct(const rows *r)
{
    ptrdiff_t width = (ptrdiff_t)r->width;
    if (!is_packed_row(r) || (r->n_axes && (r->stride[0] < width || r->stride[0] > INT32_MAX)))
        return false;
    ptrdiff_t low = 0, high = width;
    for (int32_t k = 0; k < r->n_axes; k++) {
        ptrdiff_t reach = (ptrdiff_t)(r->n[k] - 1) * r->stride[k];
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    return sac_gpu_is_pinned(r->data + low, (size_t)(high - low));
}

static void copy_samples(char *to, const char *from, const rows *r, int64_t n, bool unpack)
{
    ptrdiff_t size = r->size, packed = size * r->n_channels;
    for (int32_t c = 0; c < r->n_channels; c++) {
        char *t = to + c * (unpack ? r->channel : size);
        const char *f = from + c * (unpack ? size : r->channel);
        ptrdiff_t to_step = unpack ? r->pixel : packed, from_step = unpack ? packed : r->pixel;
        for (int64_t x = 0; x < n; x++)
            memcpy(t + x * to_step, f + x * from_step, (size_t)size);
    }
}

/* Where part i lies on the device; the end of all is where part n_rows n_parts would. */
static size_t part_at(const rows *r, int64_t i)
{
    return (size_t)(i / r->n_parts) * r->pitch +
           (size_t)(i % r->n_parts * r->part * r->n_channels * r->size);
}

static void copy_parts(void *arg, int32_t task)
{
    const job *j = arg;
    const rows *r = &j->rows;
    bool packed = is_packed_row(r);
    ptrdiff_t pixel = r->n_channels * r->size;
    int64_t end = j->first + j->n * (task + 1) / j->n_tasks;
    for (int64_t i = j->first + j->n * task / j->n_tasks; i < end; i++) {
        int64_t x = i % r->n_parts * r->part, n = r->part < r->w - x ? r->part : r->w - x;
        char *host = row_at(r, i / r->n_parts, 0) + x * r->pixel;
        char *piece = j->piece + (part_at(r, i) - part_at(r, j->first));
        char *target = j->unpack ? host : piece, *source = j->unpack ? piece : host;
        if (packed)
            memcpy(target, source, (size_t)(n * pixel));
        else
            copy_samples(target, source, r, n, j->unpack);
    }
}

/* A transfer's pieces: whole parts, as many as a buffer holds. */
typedef struct pieces {
    int64_t parts, n; /* parts of a piece; pieces */
} pieces;

static pieces cut(const sac_stage *stage, const rows *r)
{
    int64_t fit = (int64_t)(stage->bytes / (r->n_parts > 1 ? PART : r->pitch));
    pieces p = {.parts = fit > 0 ? fit : 1};
    p.n = (r->n_rows * r->n_parts + p.parts - 1) / p.parts;
    return p;
}

/* Where piece k lies on the device, and its bytes. */
static size_t piece_at(const rows *r, const pieces *p, int64_t k, size_t *bytes)
{
    int64_t first = k * p->parts, all = r->n_rows * r->n_parts;
    size_t at = part_at(r, first);
    /* Behind the last row nothing is written, padding or not. */
    *bytes = (k == p->n - 1 ? (size_t)(r->n_rows - 1) * r->pitch + r->width
                            : part_at(r, first + p->parts < all ? first + p->parts : all)) -
             at;
    return at;
}

/* Between the array and a page-locked piece, by all threads. */
static void move(sac_stage *stage, const rows *r, const pieces *p, int64_t k, bool unpack)
{
    int64_t first = k * p->parts, left = r->n_rows * r->n_parts - first;
    int32_t n_threads = sac_pool_threads(stage->pool);
    job *j = &stage->job;
    *j = (job){.rows = *r, .first = first, .unpack = unpack};
    j->piece = unpack ? stage->down[k % 2] : stage->up[k % 2];
    j->n = left < p->parts ? left : p->parts;
    j->n_tasks = j->n < n_threads ? (int32_t)j->n : n_threads;
    sac_pool_run(stage->pool, j->n_tasks, copy_parts, j);
}

/* A page-locked array: a copy for all rows along the innermost axis. */
static sac_status copy_direct(const sac_stage *stage, const rows *r, char *device, bool down)
{
    int64_t n = r->n_axes ? r->n[0] : 1, n_copies = r->n_rows / n;
    ptrdiff_t row = r->n_axes ? r->stride[0] : (ptrdiff_t)r->pitch, pitch = (ptrdiff_t)r->pitch;
    sac_gpu_stream up = sac_gpu_copy_stream(stage->gpu), back = sac_gpu_back_stream(stage->gpu);
    sac_status status = SAC_OK;
    for (int64_t i = 0; i < n_copies && status == SAC_OK; i++) {
        char *host = row_at(r, i, 1), *there = device + (size_t)(i * n) * r->pitch;
        status = down ? sac_gpu_copy_rows(host, row, there, pitch, r->width, (size_t)n, back)
                      : sac_gpu_copy_rows(there, pitch, host, row, r->width, (size_t)n, up);
    }
    return status;
}

sac_status sac_stage_up(sac_stage *stage, void *device, size_t pitch, const sac_array *from,
                        int32_t row_axes)
{
    const rows r = rows_of(from, row_axes, pitch);
    if (is_direct(&r))
        return copy_direct(stage, &r, device, false);
    const pieces p = cut(stage, &r);
    sac_gpu_stream stream = sac_gpu_copy_stream(stage->gpu);
    sac_status status = SAC_OK;
    for (int64_t k = 0; k < p.n && status == SAC_OK; k++) {
        size_t bytes, at = piece_at(&r, &p, k, &bytes);
        status = sac_gpu_event_sync(stage->sent[k % 2]);
        if (status)
            return status;
        move(stage, &r, &p, k, false);
        status = sac_gpu_copy((char *)device + at, stage->up[k % 2], bytes, stream);
        if (status == SAC_OK)
            status = sac_gpu_event_record(stage->sent[k % 2], stream);
    }
    return status;
}

sac_status sac_stage_down(sac_stage *stage, const sac_array *to, int32_t row_axes,
                          const void *device, size_t pitch)
{
    const rows r = rows_of(to, row_axes, pitch);
    if (is_direct(&r))
        return copy_direct(stage, &r, (char *)device, true);
    const pieces p = cut(stage, &r);
    sac_gpu_stream stream = sac_gpu_back_stream(stage->gpu);
    for (int64_t k = 0; k <= p.n; k++) {
        if (k < p.n) {
            size_t bytes, at = piece_at(&r, &p, k, &bytes);
            sac_status status =
                sac_gpu_copy(stage->down[k % 2], (const char *)device + at, bytes, stream);
            if (status == SAC_OK)
                status = sac_gpu_event_record(stage->came[k % 2], stream);
            if (status)
                return status;
        }
        if (k > 0) {
            sac_status status = sac_gpu_event_sync(stage->came[(k - 1) % 2]);
            if (status)
                return status;
            move(stage, &r, &p, k - 1, true);
        }
    }
    return SAC_OK;
}
