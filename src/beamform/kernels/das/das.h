/*
 * What the delay-and-sum rooms share: the geometry of a run, and its definition in double
 * precision, which references, arrivals and exports use as it is.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_H
#define SAC_BEAMFORM_DAS_H

#include <math.h>

#include <saccade/beamform.h>

#include "base/error.h"
#include "base/host_device.h"
#include "beamform/kernels/das/reduction.h"

typedef enum sac_window { SAC_WINDOW_RECT = 0, SAC_WINDOW_HANN, SAC_WINDOW_TUKEY } sac_window;

/* Receive apodization: f_number 0 weighs all elements 1, whatever the window. */
typedef struct sac_apodization {
    double f_number;
    sac_window window;
    double taper; /* tukey: the share of u that the cosine edge takes, 0..1 */
} sac_apodization;

/* Elements as lines, side by side: of one shape, with one middle and length. Of SAC_SHAPE_AREA they
 * are none. */
typedef struct sac_das_line {
    int32_t shape;           /* sac_element_shape */
    double middle_m, half_m; /* along it */
} sac_das_line;

/*
 * A run. Everything is the plan's. Channel data is packed: sample s of record (t, r), frame f, lies
 * at
 *
 *     data + t * tx + r * rx + s * sample + f       scalars of the room's type (RF)
 *     data + t * tx + r * rx + s * sample + f       real parts, and `imag` scalars further the
 *                                                   imaginary ones (IQ)
 *
 * with n_packed >= n_frames places a sample, those from n_frames on zero: a multiple of 16 where
 * there are several frames, but SAC_DAS_FEW of IQ with so many or fewer, and 1 where there is one.
 * IQ of several frames has sample = 2 n_packed and imag = n_packed; of one frame the planes lie
 * apart, sample = 1. Behind the last sample of each record (IQ: of each plane) there are
 * SAC_DAS_GAP samples of zeros: what lies outside can be read there. sac_das_layout makes it so,
 * the pack rooms fill it. Memory is readable for one cache line after the last sample.
 */
#define SAC_DAS_GAP 2
#define SAC_DAS_FEW 8
typedef struct sac_das {
    const void *data;
    ptrdiff_t tx, rx, sample, imag; /* in scalars */
    int32_t n_tx, n_rx, n_samples, n_frames, n_packed;

    const sac_element *elements;   /* (n_rx) */
    const sac_transmit *transmits; /* (n_tx) */
    const float *tx_weight;        /* (n_tx): a(t) */
    double fs_hz, c_m_s;
    double fd_hz;        /* IQ: the rotation's; 0 for none */
    int32_t phase_sign;  /* 1 or -1 */
    bool phase_transmit; /* SAC_PHASE_TRANSMIT */

    sac_grid grid;          /* where points is NULL */
    const double *points_m; /* (n_points, 3) */
    int64_t n_points;

    sac_apodization apodization;
    sac_interp interp;
    sac_outside outside;
    bool lri; /* keep each transmit's sum, without a(t) */

    /* Linear arrays: the elements lie at x0 + i * pitch on y = z = 0 and face z; else pitch is 0.
     */
    double x0_m, pitch_m;

    /*
     * Lines. What `line` says of the receiving elements: points are received as if they lay at
     * sac_das_received, and `elements` and the linear array are as seen from there, at (x, 0, z).
     * Elements that fire are others then: firing, NULL: `elements`. tx_lines: (n_tx), as what each
     * transmit's wave is sent; NULL: no lines.
     */
    sac_das_line line;
    const sac_element *firing; /* (n_firing) */
    int32_t n_firing;
    const sac_das_line *tx_lines;

    /* Points of a grid are numbered tile by tile, of so many rows and columns (those at the ends
     * may be smaller), and row by row in each; 0: row by row in the grid. On a CPU only. */
    int32_t tile_rows, tile_columns;

    /* Of adapt_iq_f32 alone: what becomes of a point's element signals, and memory for one call at
     * a time, aligned to a cache line: sac_adapt_scratch floats. */
    const sac_reduction *reduction;
    float *scratch;
} sac_das;

/*
 * Every room's function: beamforms points [first, first + n_points), n_points <= SAC_DAS_BLOCK,
 * into
 *
 *     out (n_points, lri ? n_tx : 1, n_frames)   f32 for RF, c64 (interleaved) for IQ
 *
 * contiguous, overwritten whole. Allocates nothing. Called by several threads at once on one
 * sac_das. Within its bound, a point's bytes may depend on the points that it is called with: cut
 * the same blocks whatever the number of threads.
 */
#define SAC_DAS_BLOCK 512

/* Of a variant on the CPU (sac_variant's kind): with one frame its vectors hold neighbouring
 * points, and not what frames there are. Kinds of a GPU's are more than 0. */
#define SAC_DAS_BY_POINTS (-1)
typedef void sac_das_function(float *out, const sac_das *das, int64_t first, int32_t n_points);
typedef sac_das_function *sac_das_fn;

/* Every room's reference, in double precision: samples are real (n_parts 1) or complex (2). */
SAC_INTERNAL void sac_das_ref(float *out, const sac_das *das, int64_t first, int32_t n_points,
                              sac_dtype dtype, int32_t n_parts);

/*
 * Sets n_packed and the strides from n_tx, n_rx, n_samples and n_frames; n_parts is 2 for IQ, else
 * 1. Returns the scalars to allocate, aligned to a cache line and zeroed; 0 if they are too many to
 * count.
 */
SAC_INTERNAL size_t sac_das_layout(sac_das *das, int32_t n_parts, size_t scalar_size);

SAC_HOST_DEVICE static inline int32_t sac_das_images(const sac_das *das)
{
    return das->lri ? das->n_tx : 1;
}

SAC_HOST_DEVICE static inline double sac_distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* How far `d` lies beyond the ends of what reaches `reach` to either side; 0 between them. */
SAC_HOST_DEVICE static inline double sac_das_beyond(double d, double reach)
{
    return d > reach ? d - reach : d < -reach ? d + reach : 0;
}

/*
 * Where lines receive a point from, their length along the second axis: across them, what lies
 * beyond their ends, and the depth. The nearest point of a line at (x, 0, z) is x away across it.
 */
SAC_HOST_DEVICE static inline void sac_das_receive_at(double *x, double *y,
                                                      const sac_das_line *line)
{
    if (line->shape == SAC_SHAPE_AREA)
        return;
    const bool row = line->shape == SAC_SHAPE_ROW;
    const double across = row ? *y : *x, along = row ? *x : *y;
    *x = across;
    *y = sac_das_beyond(along - line->middle_m, line->half_m);
}

/* How a wave of lines meets a point along x and y: as if it lay at `at` and what lies beyond the
 * lines' ends. Of other waves, where it lies. */
typedef struct sac_das_meeting {
    double at[2], middle[2], half[2];
} sac_das_meeting;

SAC_HOST_DEVICE static inline double sac_das_meet(const sac_das_meeting *m, int axis, double x)
{
    return m->at[axis] + sac_das_beyond(x - m->middle[axis], m->half[axis]);
}

/* Where a point is in its grid, its row in the tile or grid: how long that is, and from it on. */
typedef struct sac_das_spot {
    int64_t index, row, left;
} sac_das_spot;

SAC_HOST_DEVICE static inline sac_das_spot sac_das_spot_of(const sac_das *das, int64_t index)
{
    const int64_t n = das->grid.n[0], columns = das->tile_columns, rows = das->tile_rows;
    if (das->points_m)
        return (sac_das_spot){index, das->n_points, das->n_points - index};
    if (rows == 0)
        return (sac_das_spot){index, n, n - index % n};
    /* Strips of rows, tiles of a strip, rows of a tile. */
    const int64_t strip = index / (rows * n), in_strip = index % (rows * n);
    const int64_t rows_left = das->n_points / n - strip * rows,
                  h = rows < rows_left ? rows : rows_left;
    const int64_t tile = in_strip / (columns * h), in_tile = in_strip % (columns * h);
    const int64_t columns_left = n - tile * columns,
                  w = columns < columns_left ? columns : columns_left;
    const int64_t row = strip * rows + in_tile / w, column = tile * columns + in_tile % w;
    return (sac_das_spot){row * n + column, w, w - in_tile % w};
}

/* The place of point `index`. */
SAC_HOST_DEVICE static inline void sac_das_point(double p[3], const sac_das *das, int64_t index)
{
    if (das->points_m) {
        for (int i = 0; i < 3; i++)
            p[i] = das->points_m[3 * index + i];
        return;
    }
#ifndef __CUDA_ARCH__
    if (das->tile_rows)
        index = sac_das_spot_of(das, index).index;
#endif
    for (int i = 0; i < 3; i++) {
        int64_t n = das->grid.n[i], at = index % n;
        index /= n;
        double a = das->grid.first_m[i], b = das->grid.last_m[i];
        p[i] = n > 1 ? a + (b - a) * ((double)at / (double)(n - 1)) : a;
    }
}

/*
 * How the points of a list lie that has rows, along any axes: as many in each, and farther from its
 * last point to the next row than from point to point. n_across of them lie side by side before the
 * array, `across` apart in the list; n_deep behind each other, `deep` apart. n_across is 0 of a
 * list without rows.
 */
typedef struct sac_das_list {
    int64_t n_across, n_deep, across, deep;
} sac_das_list;

SAC_INTERNAL sac_das_list sac_das_list_of(const double *points_m, int64_t n,
                                          const sac_element *elements, int32_t n_elements);

/* An order for n points anywhere in which those that follow each other lie close together.
 * SAC_E_NOMEM. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_das_list_order(int32_t *order, const double *points_m,
                                                         int64_t n);

/*
 * tau_tx as every room takes it: at most so many samples before or after the record's start, which
 * is far outside of every record (a plan's are shorter): with clamp, what rotates the first or the
 * last sample is finite. What is no number is before the record.
 */
#define SAC_DAS_FAR 536870912.0
SAC_HOST_DEVICE static inline double sac_das_hold(double tau, double t0_s, double far_s)
{
    const double since = tau - t0_s;
    return since > -far_s ? since < far_s ? tau : t0_s + far_s : t0_s - far_s;
}

/* tau_tx(t, p) in seconds; `index` is the point's, for given arrivals. */
SAC_INTERNAL double sac_das_arrival_s(const sac_transmit *transmit, const sac_element *elements,
                                      int32_t n_elements, double c_m_s, const double p[3],
                                      int64_t index);

/* The same of the run's transmit t, whose wave may be that of lines; and held by sac_das_hold. */
SAC_INTERNAL double sac_das_wave_of(const sac_das *das, int32_t t, const double p[3],
                                    int64_t index);
SAC_INTERNAL double sac_das_arrival_of(const sac_das *das, int32_t t, const double p[3],
                                       int64_t index);

/*
 * What the fused kernels start from, for points [first, first + n): offset[i * n_tx + t] =
 * (tau_tx - t0) fs in samples, and turns[...] = the rotation's part that does not depend on the
 * element, phase_sign fd (tau_tx [- t0]) in turns less its nearest integer. turns may be NULL.
 */
SAC_INTERNAL void sac_das_arrivals(double *offset, double *turns, const sac_das *das, int64_t first,
                                   int32_t n);

/*
 * The samples that a delay of `s` samples touches: *first and those after it, each with its
 * coefficient. Returns how many: 0 outside of the record; a delay that is no number is outside, or
 * clamped to the first sample.
 */
SAC_HOST_DEVICE static inline int32_t sac_das_taps(double coefficient[4], int32_t *first, double s,
                                                   int32_t n_samples, sac_interp interp,
                                                   sac_outside outside)
{
    double last = (double)(n_samples - 1);
    coefficient[0] = 1;
    if (!(s >= 0 && s <= last)) {
        *first = s > last ? n_samples - 1 : 0;
        return outside == SAC_OUTSIDE_CLAMP ? 1 : 0;
    }
    double whole = interp == SAC_INTERP_NEAREST ? floor(s + 0.5) : floor(s), a = s - whole;
    *first = (int32_t)whole;
    if (interp == SAC_INTERP_NEAREST || *first == n_samples - 1)
        return 1;
    coefficient[0] = 1 - a;
    coefficient[1] = a;
    if (interp == SAC_INTERP_LINEAR || *first == 0 || *first == n_samples - 2)
        return 2;
    --*first;
    coefficient[0] = a * (-0.5 + a * (1 - 0.5 * a));
    coefficient[1] = 1 + a * a * (-2.5 + 1.5 * a);
    coefficient[2] = a * (0.5 + a * (2 - 1.5 * a));
    coefficient[3] = a * a * (-0.5 + 0.5 * a);
    return 4;
}

/* Whether the element is in the point's aperture, and u^2 = (2 F l / d)^2 (0 without an f-number).
 */
SAC_HOST_DEVICE static inline bool sac_das_in_aperture(double *u2,
                                                       const sac_apodization *apodization,
                                                       const sac_element *e, const double p[3])
{
    *u2 = 0;
    if (apodization->f_number <= 0)
        return true;
    double x = p[0] - e->position_m[0], y = p[1] - e->position_m[1], z = p[2] - e->position_m[2];
    double depth = x * e->normal[0] + y * e->normal[1] + z * e->normal[2];
    double lateral2 = x * x + y * y + z * z - depth * depth;
    if (lateral2 < 0)
        lateral2 = 0;
    double scaled = 4 * apodization->f_number * apodization->f_number * lateral2;
    if (!(depth > 0) || scaled > depth * depth)
        return false;
    *u2 = scaled / (depth * depth);
    return true;
}

/* w(r, p). */
SAC_INTERNAL double sac_das_weight(const sac_apodization *apodization, const sac_element *e,
                                   const double p[3]);

/*
 * Elements [*begin, *end) outside of which none is in p's aperture. On a linear array exactly those
 * that sac_das_in_aperture takes; else it may hold others.
 */
SAC_INTERNAL void sac_das_aperture(int32_t *begin, int32_t *end, const sac_das *das,
                                   const double p[3]);

/* (point, element, transmit, frame) quadruples of points [first, first + n) in the aperture. */
SAC_INTERNAL uint64_t sac_das_active(const sac_das *das, int64_t first, int64_t n);

#endif
