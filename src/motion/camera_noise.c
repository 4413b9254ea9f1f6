/*
 * A camera's noise, frame by frame: sums over time of every sample, and over each pair of frames
 * that follow each other, by brightness. A pair's difference has no scene in it; its sum, which
 * says the brightness, does not depend on it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/camera_noise.h"

#include <string.h>

#include "base/alloc.h"
#include "base/struct.h"

#define MAX_SIDE 0x7fffffff

void sac_camera_noise_desc_init(sac_camera_noise_desc *desc)
{
    if (desc)
        *desc = (sac_camera_noise_desc){
            .struct_size = sizeof *desc, .n_channels = 1, .dtype = SAC_U8, .n_bins = 16};
}

static sac_status check(sac_camera_noise_desc *desc, sac_error *err)
{
    if (desc->w < 1 || desc->h < 1 || desc->w > MAX_SIDE || desc->h > MAX_SIDE)
        return sac_fail(err, SAC_E_SHAPE, "w and h: expected 1 to 2147483647, got %lld x %lld",
                        (long long)desc->w, (long long)desc->h);
    if (desc->n_channels < 1 || desc->n_channels > 4)
        return sac_fail(err, SAC_E_INVALID, "n_channels: expected 1 to 4, got %d",
                        desc->n_channels);
    if (desc->dtype != SAC_U8 && desc->dtype != SAC_U16)
        return sac_fail(err, SAC_E_INVALID, "dtype: expected u8 or u16, got %s",
                        sac_dtype_name(desc->dtype));
    const int32_t largest = desc->dtype == SAC_U8 ? 255 : 65535;
    desc->white = desc->white == 0 ? largest : desc->white;
    if (desc->white < 1 || desc->white > largest)
        return sac_fail(err, SAC_E_INVALID, "white: expected 0 to %d, got %d", largest,
                        desc->white);
    if (desc->n_bins < 1 || desc->n_bins > 256)
        return sac_fail(err, SAC_E_INVALID, "n_bins: expected 1 to 256, got %d", desc->n_bins);
    return SAC_OK;
}

static sac_status allocate(sac_camera_noise *m, sac_error *err)
{
    const sac_camera_noise_desc *d = &m->desc;
    const size_t bytes = d->dtype == SAC_U8 ? 1 : 2, classes = (size_t)d->n_bins + 1;
    /* below 2^64: 2^31 x 2^31 x 4 samples; sac_alloc checks the rest */
    const size_t n = (size_t)d->w * (size_t)d->h, all = n * (size_t)d->n_channels;
    const size_t sums = 2 * (size_t)d->white + 1;
    m->bin = sac_alloc(sums, 1);
    m->last = sac_alloc(all, bytes);
    m->sum = sac_alloc(all, sizeof *m->sum);
    m->squares = sac_alloc(all, sizeof *m->squares);
    m->sums = sac_alloc((size_t)d->n_channels * classes, sizeof *m->sums);
    m->columns = sac_alloc((size_t)d->w * classes, sizeof *m->columns);
    m->row = sac_alloc(classes, sizeof *m->row);
    m->pair = sac_alloc(classes, sizeof *m->pair);
    m->spread = sac_alloc(classes * SAC_NOISE_STEPS, sizeof *m->spread);
    if (!m->bin || !m->last || !m->sum || !m->squares || !m->sums || !m->columns || !m->row ||
        !m->pair || !m->spread)
        return sac_fail(err, SAC_E_NOMEM, "camera noise: no memory for the sums of %zu samples",
                        all);
    for (size_t i = 0; i < sums; i++)
        m->bin[i] = (uint8_t)(i * (size_t)d->n_bins / sums);
    return SAC_OK;
}

sac_status sac_camera_noise_open(sac_camera_noise **noise, const sac_camera_noise_desc *desc,
                                 sac_error *err)
{
    if (!noise)
        return sac_fail(err, SAC_E_INVALID, "noise: is NULL");
    *noise = NULL;
    sac_camera_noise_desc own;
    sac_camera_noise_desc_init(&own);
    sac_status st = sac_struct_take(&own, desc, "desc", err);
    st = st ? st : check(&own, err);
    if (st)
        return st;
    sac_camera_noise *m = sac_alloc(1, sizeof *m);
    if (!m)
        return sac_fail(err, SAC_E_NOMEM, "camera noise: no memory");
    m->desc = own;
    st = allocate(m, err);
    if (st)
        sac_camera_noise_close(&m);
    *noise = m;
    return st;
}

/* What came of one row of a class goes to its pair, and to the class of all. */
static void flush_row(sac_camera_noise *m)
{
    sac_noise_line all = {0};
    for (int32_t b = 0; b <= m->desc.n_bins; b++) {
        sac_noise_line *line = &m->row[b];
        if (b == m->desc.n_bins)
            *line = all;
        all.sum += line->sum;
        all.n += line->n;
        if (line->n) {
            const double n = (double)line->n, sum = (double)line->sum;
            m->pair[b].n += n;
            m->pair[b].sum += sum;
            m->pair[b].row_squares += sum * sum / n;
            m->pair[b].row_sizes += n * n;
            m->pair[b].n_rows++;
        }
        *line = (sac_noise_line){0};
    }
}

static void flush_columns(sac_camera_noise *m)
{
    const int32_t n_bins = m->desc.n_bins;
    for (int64_t x = 0; x < m->desc.w; x++) {
        sac_noise_line *lines = m->columns + x * (n_bins + 1), *all = lines + n_bins;
        for (int32_t b = 0; b <= n_bins; b++) {
            const double n = (double)lines[b].n, sum = (double)lines[b].sum;
            if (b < n_bins) {
                all->n += lines[b].n;
                all->sum += lines[b].sum;
            }
            if (n > 0) {
                m->pair[b].column_squares += sum * sum / n;
                m->pair[b].column_sizes += n * n;
                m->pair[b].n_columns++;
            }
        }
        memset(lines, 0, ((size_t)n_bins + 1) * sizeof *lines);
    }
}

/* Sums of squares about means, as an analysis of variance has them. */
static void flush_pair(sac_camera_noise *m, int32_t c)
{
    for (int32_t b = 0; b <= m->desc.n_bins; b++) {
        sac_noise_pair *p = &m->pair[b];
        sac_noise_sums *s = &m->sums[c * (m->desc.n_bins + 1) + b];
        if (p->n > 0) {
            const double mean = p->sum * p->sum / p->n;
            s->n += p->n;
            s->n_pairs++;
            s->brightness += p->brightness;
            s->clipped += p->clipped;
            s->square += p->square;
            s->mean += mean;
            s->total += p->square - mean;
            s->rows += p->row_squares - mean;
            s->columns += p->column_squares - mean;
            s->pixel_freedom += p->n - p->n_rows - p->n_columns + 1;
            s->row_freedom += p->n_rows - 1;
            s->column_freedom += p->n_columns - 1;
            s->row_weight += p->n - p->row_sizes / p->n;
            s->column_weight += p->n - p->column_sizes / p->n;
            s->row_share += p->row_sizes / p->n;
            s->column_share += p->column_sizes / p->n;
        }
        *p = (sac_noise_pair){0};
    }
}

static inline uint32_t load(const uint8_t *at, bool is_wide)
{
    uint16_t wide = 0;
    if (!is_wide)
        return *at;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* Values above white count as white. */
static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* A row of one channel: to the sums over time, and with the frame before to those of the pair. */
static inline void add_row(sac_camera_noise *m, const uint8_t *at, ptrdiff_t step, int64_t y,
                           int32_t c, bool is_wide)
{
    const int64_t w = m->desc.w, n = m->desc.n_channels, first = (c * m->desc.h + y) * w;
    const uint32_t white = (uint32_t)m->desc.white;
    const ptrdiff_t bytes = is_wide ? 2 : 1;
    uint8_t *last = m->last + (y * w * n + c) * bytes;
    for (int64_t x = 0; x < w; x++, at += step, last += n * bytes) {
        const uint32_t v = load(at, is_wide), before = load(last, is_wide);
        m->sum[first + x] += v;
        m->squares[first + x] += (uint64_t)v * v;
        memcpy(last, at, (size_t)bytes);
        if (!m->n_frames)
            continue;
        const int64_t d = (int64_t)v - before;
        const int32_t b = m->bin[least(v + before, 2 * white)];
        sac_noise_line *column = &m->columns[x * (m->desc.n_bins + 1) + b];
        column->sum += d;
        column->n++;
        m->row[b].sum += d;
        m->row[b].n++;
        m->pair[b].square += (double)(d * d);
        m->pair[b].brightness += 0.5 * (v + before);
        m->pair[b].clipped += v == 0 || v >= white;
    }
}

static void add_channel(sac_camera_noise *m, const sac_array *frame, int32_t c)
{
    sac_noise_pair *pair = m->pair, *all = pair + m->desc.n_bins;
    for (int64_t y = 0; y < m->desc.h; y++) {
        const uint8_t *at = (const uint8_t *)frame->data + y * frame->stride[0] +
                            (frame->n_dims == 3 ? c * frame->stride[2] : 0);
        if (m->desc.dtype == SAC_U8)
            add_row(m, at, frame->stride[1], y, c, false);
        else
            add_row(m, at, frame->stride[1], y, c, true);
        flush_row(m);
    }
    for (int32_t b = 0; b < m->desc.n_bins; b++) {
        all->square += pair[b].square;
        all->brightness += pair[b].brightness;
        all->clipped += pair[b].clipped;
    }
    flush_columns(m);
    flush_pair(m, c);
}

sac_status sac_camera_noise_add(sac_camera_noise *noise, const sac_array *frame, sac_error *err)
{
    if (!noise)
        return sac_fail(err, SAC_E_INVALID, "noise: is NULL");
    const sac_camera_noise_desc *d = &noise->desc;
    const int64_t shape[] = {d->h, d->w, d->n_channels};
    const int32_t n_dims = d->n_channels == 1 && frame && frame->n_dims == 2 ? 2 : 3;
    sac_status st = sac_array_expect(frame, "frame", d->dtype, n_dims, shape, err);
    st = st ? st : sac_array_expect_on(frame, "frame", SAC_CPU, err);
    for (int32_t c = 0; st == SAC_OK && c < d->n_channels; c++)
        add_channel(noise, frame, c);
    noise->n_frames += st == SAC_OK;
    return st;
}

void sac_camera_noise_close(sac_camera_noise **noise)
{
    if (!noise || !*noise)
        return;
    sac_camera_noise *m = *noise;
    sac_free(m->bin);
    sac_free(m->last);
    sac_free(m->sum);
    sac_free(m->squares);
    sac_free(m->sums);
    sac_free(m->columns);
    sac_free(m->row);
    sac_free(m->pair);
    sac_free(m->spread);
    sac_free(m);
    *noise = NULL;
}
