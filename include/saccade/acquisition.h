/*
 * How ultrasound channel data was acquired: the probe's elements, the transmits, times; and the
 * grids of points that suit it. beamform.h includes this header.
 *
 * Threads: every function may be called from any thread. Functions that fill in a struct do nothing
 * if it is NULL.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_ACQUISITION_H
#define SACCADE_ACQUISITION_H

#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One element of the probe. x is along a linear array, y across it (elevation), z away from it
 * (depth).
 */
typedef struct sac_element {
    double position_m[3]; /* of its center */
    double normal[3]; /* unit vector of the direction that it faces; (0, 0, 1) on a flat array */
    double width_m, height_m; /* along x and y; 0: unknown. Delay-and-sum ignores them */
} sac_element;

/*
 * Since 0.2. What an element is: a small area, or a line, as a row-column array has them. A line's
 * echo comes from its nearest point: of a point p before it |p - e| without the part along the
 * line; beyond its ends, the distance to the end. A line faces (0, 0, 1).
 */
typedef enum sac_element_shape {
    SAC_SHAPE_AREA = 0,
    SAC_SHAPE_ROW,   /* along x, width_m long */
    SAC_SHAPE_COLUMN /* along y, height_m long */
} sac_element_shape;

/* Sets an element at the origin that faces (0, 0, 1), with unknown sizes. */
SAC_API void sac_element_init(sac_element *element);

typedef enum sac_transmit_kind {
    SAC_TRANSMIT_PLANE = 0,
    SAC_TRANSMIT_DIVERGING, /* from a virtual source behind the array */
    SAC_TRANSMIT_FOCUSED,   /* to a focus in front of the array */
    SAC_TRANSMIT_ELEMENT,   /* one element fires: synthetic aperture */
    SAC_TRANSMIT_DELAYS,    /* arbitrary delays: tau_tx is the first arrival over all elements that
                               fire */
    SAC_TRANSMIT_ARRIVALS   /* tau_tx is given for every point */
} sac_transmit_kind;

/*
 * One transmit. tau_tx(p), by kind:
 *
 *     plane      (p . d) / c;  d = (sin az cos el, sin el, cos az cos el)
 *     diverging  (|p - source| - |source|) / c
 *     focused    (|source| + |p - source|) / c    beyond the focus: (p - source) . source >= 0
 *                (|source| - |p - source|) / c    before it
 *     element    |p - e| / c
 *     delays     the least of delays_s[e] + |p - e| / c over the elements e that fire
 *     arrivals   arrivals_s[index of p]
 *
 * Where lines fire (sac_acquisition's shapes), p - source and p - e are without the part along the
 * lines, or what of it lies beyond their ends: such waves are cylindrical.
 *
 * A wave that comes more than 2^29 samples before or after t0_s counts as one that comes 2^29
 * samples before or after it: beyond the ends of every record.
 *
 * Initialize it with sac_transmit_init: a struct of zeros has weight 0.
 */
typedef struct sac_transmit {
    sac_transmit_kind kind;
    double azimuth_rad, elevation_rad; /* plane */
    double source_m[3];                /* diverging, focused; at most 1e8 m away */
    int32_t element;                   /* the number of the element, from 0 */
    const double *delays_s;            /* delays: (n_elements); NaN for elements that do not fire */
    const double *arrivals_s;          /* arrivals: (n_points), in the order of the grid */
    double t0_s;                       /* time of the first sample, on the clock of tau_tx */
    double weight;                     /* a(t), finite; at least one transmit's must not be 0 */
} sac_transmit;

/*
 * Sets a transmit of this kind: straight ahead from the origin, weight 1, t0 0, element 0, no
 * tables.
 */
SAC_API void sac_transmit_init(sac_transmit *transmit, sac_transmit_kind kind);

/* The time at which the phase of demodulated data is 0. */
typedef enum sac_phase_origin {
    SAC_PHASE_RECORD = 0, /* the first sample */
    SAC_PHASE_TRANSMIT    /* time 0 */
} sac_phase_origin;

/*
 * How the channel data was acquired. The caller owns the arrays and keeps them until open returns.
 */
typedef struct sac_acquisition {
    size_t struct_size;
    int32_t n_elements, n_transmits;
    const sac_element *elements;   /* (n_elements) */
    const sac_transmit *transmits; /* (n_transmits) */
    double fs_hz;                  /* sampling rate of the stored data */
    double fc_hz;                  /* center frequency of the pulse */
    double bandwidth;     /* of the pulse at -6 dB, as a fraction of fc, 0..2; 0: unknown, 0.7 is
                             used */
    double fd_hz;         /* demodulation frequency, of IQ and where RF is demodulated; 0: fc_hz */
    double c_m_s;         /* speed of sound, 100..20000 */
    double frame_rate_hz; /* 0: unknown */
    sac_phase_origin phase_origin;
    int32_t phase_sign; /* IQ = low-pass of RF exp(-j sign 2 pi fd t): 1 as usual, or -1 */

    /*
     * Since 0.2. (n_transmits, n_elements): the amplitude with which each element fires, as the
     * machine applied it; 0: it does not fire. NULL, the default: 1 for all. It shapes simulated
     * waves, is the middle from which a wave's axis leads (transmit apodization), and leaves
     * elements out of the first arrival of SAC_TRANSMIT_DELAYS. It does not move tau_tx otherwise.
     */
    const double *tx_apodization;

    /* Since 0.2. (n_elements): sac_element_shape of each; NULL, the default: all are areas. */
    const int32_t *shapes;

    /*
     * Since 0.2. (n_transmits, n_elements): 1 where an element records a transmit's echoes, 0 where
     * its samples count for nothing; at least one of each transmit. NULL, the default: all do.
     */
    const uint8_t *receives;

    /* Since 0.2. Apodization of lines, built into the array: the share of a line, 0..1, over which
     * its ends fall off (a Tukey window; 1 is Hann's). Simulated; delay-and-sum ignores it. */
    double line_taper;
} sac_acquisition;

/* Sets struct_size, c to 1540 m/s and phase_sign to 1; the rest is 0. */
SAC_API void sac_acquisition_init(sac_acquisition *acquisition);

/*
 * Checks all fields that delay-and-sum needs, except the number of given arrivals, which open
 * checks. SAC_E_INVALID: the text names the field.
 */
SAC_API SAC_NODISCARD sac_status sac_acquisition_check(const sac_acquisition *acquisition,
                                                       sac_error *err);

/* Fills in n elements along x, centered on the origin, facing z; sizes of 0 are unknown. */
SAC_API void sac_probe_linear(sac_element *elements, int32_t n, double pitch_m, double width_m,
                              double height_m);

/*
 * Since 0.2. Fills in n elements on an arc in the plane y = 0 around (0, 0, -radius_m): a convex
 * array. pitch_m is measured along the arc, so that neighbours are pitch_m / radius_m radians
 * apart. The array's middle touches the origin, the others lie behind it (z < 0); each element
 * faces away from the arc's center.
 */
SAC_API void sac_probe_curved(sac_element *elements, int32_t n, double radius_m, double pitch_m,
                              double width_m, double height_m);

/*
 * Fills in n_x x n_y elements in the plane z = 0, centered on the origin, facing z; x is the
 * fastest index. Their width and height are the pitches.
 */
SAC_API void sac_probe_matrix(sac_element *elements, int32_t n_x, int32_t n_y, double pitch_x_m,
                              double pitch_y_m);

/*
 * Since 0.2. Fills in a row-column array in the plane z = 0, centered on the origin: n_rows lines
 * along x, pitch_m apart along y, then n_columns lines along y, pitch_m apart along x. Lines are as
 * long as the others lie apart, n times the pitch, and width_m wide. `shapes` is the acquisition's,
 * (n_rows + n_columns).
 */
SAC_API void sac_probe_row_column(sac_element *elements, int32_t *shapes, int32_t n_rows,
                                  int32_t n_columns, double pitch_m, double width_m);

/*
 * Since 0.2. Makes the sequence of a row-column array: one axis sends, the other receives, both
 * ways. In: transmits of a linear array along x (sac_transmits_parse), first n_by_rows of one of
 * n_rows elements, then n_by_columns of one of n_columns. Out: the first turned to the rows, which
 * lie along y (azimuths become elevations), and elements numbered as sac_probe_row_column has them;
 * and the acquisition's tx_apodization and receives, (n_by_rows + n_by_columns, n_rows +
 * n_columns). Only the lines that send fire, with amplitude 1, and only the others receive.
 */
SAC_API void sac_transmits_row_column(sac_transmit *transmits, double *tx_apodization,
                                      uint8_t *receives, int32_t n_by_rows, int32_t n_by_columns,
                                      int32_t n_rows, int32_t n_columns);

/*
 * Since 0.2. Fills in an acquisition's tx_apodization, (n_transmits, n_elements), so that each
 * diverging or focused wave comes from part of the array: element e fires with the amplitude 1
 * where 2 F |e - m| <= |s - m|, else 0, with the source s and m the element nearest to it. Of other
 * transmits, or with f_number 0, all amplitudes are 1.
 */
SAC_API void sac_transmit_apertures(double *tx_apodization, const sac_transmit *transmits,
                                    int32_t n_transmits, const sac_element *elements,
                                    int32_t n_elements, double f_number);

/*
 * Points at equal steps from first to last, both included; with n of 1 the point is at first.
 * Points are numbered with x fastest, then y, then z.
 */
typedef struct sac_grid {
    double first_m[3], last_m[3]; /* x, y, z */
    int64_t n[3];                 /* x, y, z; at least 1 */
} sac_grid;

/* Sets a single point, the origin. */
SAC_API void sac_grid_init(sac_grid *grid);

/*
 * A grid with steps of a third of the wavelength over the field that the data covers: the width of
 * the array (for diverging waves, of the sector), and the depth range of the record, from a
 * wavelength on; y is 0, also for a matrix of elements. Of lines (since 0.2) it is a volume over
 * the array, in steps of half a wavelength along x and y. The steps along z suit IQ and demodulated
 * RF; the envelope of RF that stays RF needs finer ones (see SAC_DEMODULATE_NO). SAC_E_INVALID.
 */
SAC_API SAC_NODISCARD sac_status sac_grid_default(sac_grid *grid,
                                                  const sac_acquisition *acquisition,
                                                  int64_t n_samples, sac_error *err);

/* Since 0.2. What the axes of a grid are. */
typedef enum sac_grid_kind {
    SAC_GRID_CARTESIAN = 0,
    SAC_GRID_SECTOR /* polar: see sac_sector */
} sac_grid_kind;

/*
 * Since 0.2. A polar grid is a sac_grid of which x is the azimuth a and y the elevation e, both in
 * radians, and z the depth r in metres, counted from an arc (a sphere in 3-D) around an apex. Its
 * points are
 *
 *     apex + (radius + r) (sin a cos e, sin e, cos a cos e)
 *
 * in the order of a sac_grid: a fastest, then e, then r. Of a curved array the arc is the array; of
 * a phased one the apex is its middle, and the radius 0. |a| is at most pi, |e| less than pi / 2,
 * radius + r not negative.
 */
typedef struct sac_sector {
    double apex_m[3];
    double radius_m;
} sac_sector;

/* Since 0.2. Point (a, e, r) of a sector: p_m[3]. */
SAC_API void sac_sector_point(double p_m[3], const sac_sector *sector, double azimuth_rad,
                              double elevation_rad, double depth_m);

/*
 * Since 0.2. The grid that suits the probe: a sector where its elements lie on an arc, and where
 * they lie on a line, at most 0.6 wavelengths apart, so that they can be steered (a phased array);
 * else sac_grid_default's. *kind says which; *sector is set in any case, to the array's middle and
 * a radius of 0 where none suits better. Depths are those that the data covers, from a wavelength
 * on, in steps of a third of a wavelength. Angles are in steps of a third of a wavelength over the
 * array's width or the arc's radius, whichever is larger.
 *
 * Angles of a curved array are those of its elements. Of a phased array they are those that the
 * transmits reach (the edges of plane and focused waves at the largest depth, of diverging waves
 * from the source past the array's edges), at most 45 degrees to either side, and the lines begin
 * at the array: if all waves diverge from one depth, the apex is there; else it is the array's
 * middle. SAC_E_INVALID.
 */
SAC_API SAC_NODISCARD sac_status sac_grid_suit(sac_grid *grid, int32_t *kind, sac_sector *sector,
                                               const sac_acquisition *acquisition,
                                               int64_t n_samples, sac_error *err);

/*
 * Since 0.2. The cartesian grid around a polar one (of one elevation, or a volume): what shows all
 * of it, in steps that are those of its depths.
 */
SAC_API void sac_sector_picture(sac_grid *picture, const sac_grid *grid, const sac_sector *sector);

#ifdef __cplusplus
}
#endif
#endif
