/*
 * What the functions for MATLAB and Octave share: errors, memory, arrays, options.
 *
 * A function may end anywhere by an error, which leaves it at once (longjmp): what must be closed
 * is given to mat_keep before anything else can fail. Memory of mat_alloc is freed in any case.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MATLAB_FACE_H
#define SACCADE_MATLAB_FACE_H

#include <mex.h>

#include <saccade/array.h>
#include <saccade/param.h>

/* A call from MATLAB, its inputs without the name of the function. */
typedef struct mat_call {
    const char *name; /* "equalize", for saccade_equalize */
    int n_out;        /* that the caller takes; at least 1 */
    mxArray **out;
    int n_in;
    const mxArray **in;
} mat_call;

/* The functions, in the files of their names. */
void mat_equalize(mat_call *call);
void mat_heatmap(mat_call *call);
void mat_noise(mat_call *call);
void mat_denoise(mat_call *call);
void mat_adjust(mat_call *call);
void mat_beamform(mat_call *call);
void mat_flow(mat_call *call);
void mat_read_recording(mat_call *call);
void mat_write_recording(mat_call *call);
void mat_simulate_ultrasound(mat_call *call);
void mat_meltpool(mat_call *call);
void mat_read_frames(mat_call *call);
void mat_simulate_meltpool(mat_call *call);
void mat_info(mat_call *call);
void mat_options_list(mat_call *call);

/* Ends the call: error('saccade:invalid', ...) by the status. */
SAC_PRINTF(2, 3)
__attribute__((noreturn)) void mat_fail(sac_status status, const char *format, ...);

/* Ends the call unless the status is SAC_OK. */
void mat_check(sac_status status, const sac_error *err);

/* close(object) is called at the end of this call, however it ends. */
void *mat_keep(void *object, void (*close)(void *object));

/* Zeros, freed at the end of the call. Never NULL. */
void *mat_alloc(size_t n, size_t size);

/* The text of an argument, which `name` names in errors; valid until the end of the call. */
const char *mat_text(const mxArray *value, const char *name);

/* One real number of any type; sparse ones are refused. */
double mat_number(const mxArray *value, const char *name);

/*
 * Name-value pairs from argument `first` on, set by the table. Names may have _ for -. Numbers,
 * logicals, and two numbers where a table takes NxM become text. `own`, if it is not NULL, sees
 * each pair first, and returns true if it takes it; the table may be NULL if it takes all.
 */
typedef bool (*mat_option_fn)(void *ctx, const char *name, const mxArray *value);
void mat_options(const mat_call *call, int first, const sac_param_table *table, void *desc,
                 mat_option_fn own, void *ctx);

/* Refuses fewer than `least` arguments, and more outputs than `outputs`. */
void mat_expect(const mat_call *call, int least, int outputs);

/*
 * A view of the numbers: axes in MATLAB's order, the first axis is the fastest. Sparse, GPU and
 * other arrays are refused.
 */
sac_array mat_view(const mxArray *value, const char *name);

/* The same of pictures or video, with all of the axes (h, w, c, n), of which the last may be 1. */
sac_array mat_pictures(const mxArray *value, const char *name);

/* Pictures of a video that a plan is given at once: between them Ctrl-C is seen. */
#define MAT_BATCH 16

/* Picture i of (h, w, c, n): (h, w, c), or (h, w) where c is 1. */
sac_array mat_picture(const sac_array *all, int64_t i);

/* A new array of MATLAB, zeros, of the dtype; sizes in MATLAB's order. */
mxArray *mat_new(sac_dtype dtype, int n_dims, const int64_t *shape);

/* Columns of a picture as rows of ours: (h, w, ...) of MATLAB as (w, h, ...), first axes swapped.
 */
sac_array mat_swapped(const sac_array *array);

/* Ends the call, "saccade_NAME: interrupted", if Ctrl-C was pressed. */
void mat_interrupt(const mat_call *call);

/* False if Ctrl-C was pressed: a sac_progress_fn, which cancels. */
bool mat_go_on(void *ctx, uint64_t done, uint64_t total);

#endif
