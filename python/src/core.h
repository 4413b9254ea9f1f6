/*
 * What the files of the extension module saccade._core share. It sees the public headers alone, and
 * Python's stable ABI of 3.11.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PY_CORE_H
#define PY_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <saccade/delta.h>
#include <saccade/saccade.h>

/* Objects of Python that the module holds, made by py_core_init. */
typedef struct py_state {
    PyObject *errors[SAC_E_IO + 1];                       /* exception classes, by status */
    PyObject *ndarray, *empty, *dtype;                    /* of numpy */
    PyObject *dtypes[SAC_C128 + 1];                       /* numpy.dtype objects, by sac_dtype */
    PyObject *asarray;                                    /* numpy.asarray */
    PyObject *grid, *sector;                              /* of saccade._grid */
    PyObject *record_dtype, *signals_dtype, *truth_dtype; /* of structs of the melt pool */
    PyObject *packet;                                     /* saccade._delta.Packet */
    PyObject *plan_type;                                  /* saccade.Plan */
    PyObject *make_alike;                                 /* saccade._arrays.make_alike */
    PyObject *unknown_option;                             /* saccade._errors.unknown_option */
} py_state;
extern py_state py;

/* errors.c. All return NULL, so that a caller can return what they return. */
void *py_fail(sac_status status, const sac_error *err, const char *in_name);
void *py_refuse(sac_status status, const char *format, ...);

/*
 * arrays.c: a view of a caller's array, by the buffer protocol or by DLPack. It holds a reference,
 * so that the memory stays.
 */
typedef struct py_array {
    sac_array array;
    Py_buffer buffer;  /* buffer.obj is NULL where the view is not of a buffer */
    PyObject *capsule; /* of DLPack, or NULL */
} py_array;

#define PY_NO_STREAM 0
/*
 * Views `object`; errors call it `name`. `stream` is what work on a GPU's memory is ordered after
 * (a cudaStream_t as the array API standard counts them). False: an exception is set.
 */
bool py_array_view(py_array *view, PyObject *object, const char *name, bool for_writing,
                   uintptr_t stream);
void py_array_release(py_array *view);
/* A new array of `format`'s type and shape, of the kind that `like` is, viewed for writing. */
PyObject *py_array_make(py_array *view, const sac_array *format, PyObject *like, uintptr_t stream);
/* Contiguous C structs of `size` bytes, in view->buffer.buf; signals are rows of 4 int32, too. */
bool py_structs_view(py_array *view, PyObject *object, const char *name, size_t size,
                     bool for_writing, int64_t *n);
/* Whether `out` and `in`, called `name`, are apart or the same view; otherwise an exception is set.
 */
bool py_arrays_apart(const sac_array *out, const sac_array *in, const char *name);
PyObject *py_structs_make(py_array *view, PyObject *dtype, size_t size, int64_t n);
/* A NumPy array over memory that `owner` keeps. */
PyObject *py_array_of_memory(const sac_array *array, PyObject *owner, bool read_only);
PyObject *py_array_describe(PyObject *module, PyObject *array);
/* "uint8", anything that numpy.dtype takes. False: an exception is set. */
bool py_dtype_parse(sac_dtype *out, PyObject *value, const char *name);
const char *py_dtype_name(sac_dtype dtype);

/* params.c */
/* Sets `name` (with _ for -) from a value of Python. 1: done, 0: no such option, -1: exception. */
int py_param_set(const sac_param_table *table, void *desc, const char *name, PyObject *value,
                 PyObject *keep);
/* UTF-8 of a string without a character 0, which errors call `name`. NULL: an exception is set. */
const char *py_text(PyObject *text, const char *name);
/* A converter for O&: an integer of 0 to 2^64 - 1, also of NumPy, into a uint64_t. */
int py_u64(PyObject *value, void *out);
/* An index into names, which end with NULL; -1: an exception is set. */
int py_choice(PyObject *value, const char *name, const char *const *names);
PyObject *py_param_list(const sac_param_table *table);

/*
 * plan.c: what plans of every pipeline share. A plan opens at its first call, which tells the
 * format, or when it is made, if `shape` is given.
 */
typedef struct py_plan py_plan;
typedef struct py_pipeline {
    const sac_param_table *(*params)(void);
    const char *const *positional; /* names of arguments without a keyword; end with NULL */
    void (*init)(py_plan *self);
    /* Keywords that are not in the table: 1 done, 0 unknown, -1 exception. */
    int (*option)(py_plan *self, const char *name, PyObject *value);
    bool (*format)(py_plan *self, const sac_array *in); /* sets the desc's; false: exception */
    sac_status (*open)(py_plan *self, sac_error *err);
    void (*close)(py_plan *self);
    const char *(*variant)(const py_plan *self);
    size_t device; /* offset of the sac_device in the desc */
    size_t stream; /* offset of the void *stream in the desc; 0: it has none */

    /* For py_plan_call. */
    char *const
        *names; /* of the call's arguments: "picture", "out" or "frame", "previous", "out" */
    bool (*output)(py_plan *self, const sac_array *in, sac_array *format); /* type and shape */
    sac_status (*run)(py_plan *self, const sac_array *out, const sac_array *in,
                      const sac_array *previous, sac_error *err);
} py_pipeline;

/* What a run that takes long needs to look after signals. */
typedef struct py_work {
    PyThreadState *thread; /* NULL while the GIL is held */
    PyObject *progress;    /* called with (done, total); NULL: none */
    int64_t next_ns;
} py_work;

typedef union py_desc {
    size_t struct_size;
    sac_equalize_desc equalize;
    sac_heatmap_desc heatmap;
    sac_noise_desc noise;
    sac_denoise_desc denoise;
    sac_adjust_desc adjust;
    sac_beamform_desc beamform;
    sac_flow_desc flow;
    sac_meltpool_desc meltpool;
    sac_delta_encode_desc encode;
    sac_delta_decode_desc decode;
} py_desc;

struct py_plan {
    PyObject_HEAD const py_pipeline *pipeline;
    void *plan;            /* the library's; NULL until it is opened */
    long opened_by;        /* a process; a fork of it has not the plan's threads */
    bool busy;             /* a thread is using it */
    bool is_closed;        /* by close() */
    bool has_device;       /* the caller named one */
    bool has_previous;     /* the call that opens it gives the previous frame */
    bool chose_previous;   /* the caller said whether it keeps the previous frame */
    uintptr_t stream;      /* the caller's, as the array API standard counts them; 0: none */
    PyObject *keep;        /* a list of what the desc points into */
    sac_delta_frame frame; /* of DeltaDecoder: the last one */
    bool has_grid;         /* of Beamform: given, or known from the data */
    bool shows_sector;     /* of Beamform: its picture is to show all of it */
    int64_t n_arrivals;    /* of Beamform: py_acquisition_arrivals */
    sac_array shape;       /* given when it was made; n_dims 0: not given */
    py_work work;
    py_desc desc;
};

/* Sets the members of `self`, a new plan, from its arguments, and opens it if the format is given.
 */
int py_plan_init(py_plan *self, const py_pipeline *pipeline, PyObject *args, PyObject *kwargs);
/* The option `progress`: 1 done, -1 exception. */
int py_set_progress(py_plan *self, PyObject *value);
/* Makes the plan this thread's until py_plan_leave. False: an exception is set. */
bool py_plan_enter(py_plan *self);
void py_plan_leave(py_plan *self);
/* Opens it for arrays like `in`, if it is not open. */
bool py_plan_open_for(py_plan *self, const sac_array *in);
/* What work on arrays in a GPU's memory is ordered after. */
uintptr_t py_plan_stream(const py_plan *self);
/* The array to write: `out`, or if that is None a new one like `in`; *result owns a reference. */
bool py_plan_out(py_plan *self, py_array *view, PyObject **result, PyObject *out,
                 const sac_array *format, PyObject *in);
/* The call of plans that make an array of one or two: picture, or frame and previous; then out. */
PyObject *py_plan_call(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *py_plan_time(PyObject *module, PyObject *args);
/* Adds a type of plans to the module. */
int py_plan_type(PyObject *module, const char *name, const char *qualified, initproc init,
                 ternaryfunc call, PyMethodDef *methods, PyGetSetDef *getters);

/* work: lets go of the GIL, and takes it back. */
void py_work_begin(py_work *work);
void py_work_end(py_work *work);
/* A sac_progress_fn whose ctx is a py_work: calls the progress function, and cancels on Ctrl-C. */
bool py_work_progress(void *ctx, uint64_t done, uint64_t total);

/* handle.c: an object of the library that one thread at a time uses. It is closed by `close`. */
typedef sac_status (*py_close_fn)(void **object, sac_error *err);
PyObject *py_handle_new(void *object, py_close_fn close);  /* on failure it is closed */
void *py_handle_take(PyObject *handle, py_close_fn close); /* NULL: an exception is set */
void py_handle_give(PyObject *handle);

/* motion.c: w, h and channels of a frame (h, w) or (h, w, channels) of u8. */
bool py_frame_format(int64_t *w, int64_t *h, int32_t *n_channels, const sac_array *in);
/* "unknown", "rgb" or "bgr". 1 done, -1 exception. */
int py_order(sac_pixel_order *order, PyObject *value);

/* meltpool.c */
#define PY_MODEL_CAPSULE "saccade.model"
bool py_calibration_read(double m[2][3], PyObject *value);

/*
 * A member of the module saccade, by its file; NULL: an exception is set. For what is needed
 * rarely.
 */
PyObject *py_attribute(const char *module, const char *name);

/* A new saccade._delta.Packet of this one's bytes. */
PyObject *py_packet(const sac_delta_packet *packet);

/* Whether frames are contiguous uint8 (n, h, w) on the CPU; false: an exception calls them `name`.
 */
bool py_is_frames(const sac_array *frames, int64_t n, const char *name);

/* One per file: adds its types and functions to the module. -1: an exception is set. */
int py_add_adjust(PyObject *module);
int py_add_equalize(PyObject *module);
int py_add_probes(PyObject *module);
int py_add_beamform(PyObject *module);
int py_add_flow(PyObject *module);
int py_add_delta(PyObject *module);
int py_add_sdv(PyObject *module);
int py_add_ladder(PyObject *module);
int py_add_measure(PyObject *module);
int py_add_stream(PyObject *module);
int py_add_video(PyObject *module);
int py_add_handle(PyObject *module);
int py_add_meltpool(PyObject *module);
int py_add_meltpool_files(PyObject *module);
int py_add_memory(PyObject *module);
int py_add_motion(PyObject *module);
int py_add_recording(PyObject *module);
int py_add_simulate(PyObject *module);
int py_add_simulate_meltpool(PyObject *module);

#endif
