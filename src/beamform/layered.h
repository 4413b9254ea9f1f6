/*
 * A beamform plan through layers or a lens: what is known of its depths, and the das of points as
 * if there was one speed.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_LAYERED_H
#define SAC_BEAMFORM_LAYERED_H

#include "beamform/layers.h"
#include "beamform/plan.h"

/* A plane wave: along x and y, and at a depth its time from z = 0 straight ahead. */
typedef struct sac_layered_wave {
    double slowness_s_m[2], ahead_s;
} sac_layered_wave;

/* Memory in which a das is made. */
typedef struct sac_layered_memory {
    sac_element *elements;   /* (n_rx) */
    sac_transmit *transmits; /* (n_tx) */
    double *arrivals;        /* (n_tx, n) */
    double *places;          /* (n, 3): of a slab */
    sac_layered_wave *waves; /* (n_tx) */
    int64_t n;
} sac_layered_memory;

/*
 * Points that are worked on together, of depths so close that one slowness of the hyperbola and
 * one f-number suit them: each has a shift and a depth of its own. Points [first, first + n) of the
 * plan, in its order, none of which is deeper than to_m.
 */
typedef struct sac_beamform_slab {
    double to_m;
    double slowness_s_m;
    double widen; /* the f-number times this, as elements and points are moved */
    int64_t first, n;
} sac_beamform_slab;

struct sac_beamform_layered {
    sac_layers layers;
    double most_m;       /* across, from a point to an element */
    sac_hyperbola *rows; /* (n_z): of a cartesian grid on the CPU, else NULL */
    sac_beamform_slab *slabs;
    int32_t n_slabs;
    sac_layered_memory *scratch; /* (n_scratch): of a worker */
    int32_t n_scratch;
};

/* How far an aperture may reach across: as its f-number says, and not beyond the array. */
double sac_beamform_layered_reach_m(const sac_beamform *plan, double z_m);

/* Whether a hyperbola is close enough to times at z_m. SAC_E_UNSUPPORTED. */
SAC_NODISCARD sac_status sac_beamform_layered_close_enough(const sac_beamform *plan,
                                                           const sac_hyperbola *h, double error_s,
                                                           double z_m, sac_error *err);

/* tau_tx of a transmit at p, which lies n layers deep: of a plane wave, by its slowness along x and
 * y; of others, by the depth's hyperbola (NULL: none) where that reaches. `index`: the caller's. */
void sac_layered_slowness(double slowness_s_m[2], const sac_transmit *t, double c_m_s);
double sac_layered_arrival_s(const sac_beamform *plan, const sac_transmit *t,
                             sac_layer path[SAC_LAYERS_PATH], int32_t n, const sac_hyperbola *row,
                             const double p[3], int64_t index);

/* Slabs of all the plan's points; a list is sorted by them. SAC_E_NOMEM, SAC_E_UNSUPPORTED. */
SAC_NODISCARD sac_status sac_beamform_slabs_open(sac_beamform *plan, sac_error *err);

/* The memory of n points. false: there is none, and what there is has to be freed. */
bool sac_layered_allocate(sac_layered_memory *m, const sac_beamform *plan, int64_t n);
void sac_layered_free(sac_layered_memory *m);

/* Elements and linear array of `das` moved by that scale. */
void sac_layered_move(sac_das *das, sac_layered_memory *m, double scale);

/* The das, in m, of points [first, first + n) of a slab, as a list: n <= m->n. Of the transmits
 * that `das` has, which are some of the plan's. */
sac_das sac_beamform_slab_das(const sac_beamform *plan, const sac_das *das, sac_layered_memory *m,
                              const sac_beamform_slab *slab, int64_t first, int64_t n);

#endif
