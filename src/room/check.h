/*
 * The harness: what a room tells of itself (sac_room_check), and what is done with it. A room says
 * how to make inputs, how to call a variant and what may differ; the harness owns memory, sizes,
 * faults and loops.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_ROOM_CHECK_H
#define SAC_ROOM_CHECK_H

#include <stdio.h>

#include <saccade/array.h>

#include "gpu/gpu.h"
#include "room/variant.h"

#define SAC_CHECK_MAX_ARGS 8

typedef enum sac_check_role {
    SAC_CHECK_IN,   /* filled; a variant must leave it as it is */
    SAC_CHECK_OUT,  /* poisoned; what the reference leaves alone, a variant leaves alone */
    SAC_CHECK_INOUT /* filled before every call, compared after it: work in place */
} sac_check_role;

/*
 * A kernel's argument that is memory: h rows of w elements. The room sets role, size, w and h; the
 * harness places it (guard bytes around and between rows, any alignment to the element, rows
 * forward or backward), poisons outputs, and sets the rest.
 */
typedef struct sac_check_arg {
    const char *name;
    sac_check_role role;
    size_t size;  /* bytes of an element */
    size_t align; /* bytes that its address is a multiple of; 0: as size */
    int64_t w, h;
    bool packed;     /* the contract asks for rows without gaps, first row first */
    uint8_t *data;   /* first row */
    ptrdiff_t row;   /* bytes from a row to the next; may be negative */
    uint8_t *memory; /* the harness's: all of it, guards included */
    size_t n_bytes;
} sac_check_arg;

typedef struct sac_check_case {
    int64_t w, h;           /* pixels, or n = w * h values for rooms without rows */
    int32_t mode;           /* index into the room's modes: layouts, options */
    int32_t content;        /* index into the room's contents */
    uint64_t seed;          /* of this case's random numbers */
    const sac_array *input; /* a real picture to take pixels from, or NULL */
    int32_t n_threads;      /* for whole-pipeline rungs */
    sac_gpu *gpu;           /* whose copies its memory is page-locked for; NULL: pageable memory */
    uint8_t poison;         /* what outputs hold before a call: the harness's */
    int32_t kind;           /* the room's, set by the harness */
    int32_t n_args;
    sac_check_arg arg[SAC_CHECK_MAX_ARGS];
    void *state; /* the room's own, from `open` to `close` */
    void *cuda;  /* the same on a GPU, from `open_cuda` to `close_cuda` */
} sac_check_case;

typedef struct sac_check_diff {
    uint64_t n_differ;  /* values that differ from the reference's */
    double error;       /* the largest difference */
    bool ok;            /* within the contract */
    int64_t arg, index; /* the first fault, or the largest error: argument, element (row-major) */
    double wanted, got;
    double error2, wanted2; /* sums of squares, for a relative L2 error */
} sac_check_diff;

/* One value of argument 0, by the reference and by a variant. */
typedef struct sac_check_pair {
    int64_t x, y, index; /* column, row, y w + x */
    double wanted, got;
} sac_check_pair;

/* Adds a pair to *d, with sac_check_value. */
typedef void (*sac_check_judge_fn)(sac_check_diff *d, const sac_check_case *want,
                                   const sac_variant *v, const sac_check_pair *p);

/* A case by name. */
typedef struct sac_check_task {
    const char *name;
    int64_t w, h; /* 0: as asked */
    int32_t mode, content;
    int32_t other_mode; /* of the rungs that do not support the first; 0: none */
    bool is_content;    /* it is of any size, and says what is in a picture: the room's shapes stand
                           with it, and those of the first task alone */
} sac_check_task;

/* A time from the literature. */
typedef struct sac_check_published {
    const char *rung;
    double ns; /* of the work alone, on a GPU its kernels */
    /* On a GPU, 0 where not given: copies in, copies back, and a frame from copy to copy. */
    double h2d_ns, d2h_ns, loop_ns;
    const char *device, *source; /* "RTX A6000", "Duong (2024), Table 6" */
    const char *of;              /* what took that time, where it is not the rung's whole call */
    const char *note;            /* what the source leaves open; NULL: nothing */
    uint32_t grid, block;        /* as launched, on one axis each; 0: not given */
    bool is_sweep; /* one of a table of launch shapes: shown for that shape, or as the fastest */
    bool is_cpu;   /* on a CPU; else on a GPU */
    bool a_point;  /* ns is of one of the points that the room counts, not of a call */
} sac_check_published;

/* What a rung does beside reading and writing its arguments; all 0: not counted. */
typedef struct sac_check_cost {
    uint64_t work;  /* operations: additions and counts */
    uint64_t steps; /* of them, those that wait for each other: with a thread a value, at worst */
    uint64_t extra; /* bytes beyond the arguments: second arrays, private tables */
} sac_check_cost;

/* What a room tells the harness. Functions marked optional may be NULL. */
typedef struct sac_room_check {
    const sac_room *room;
    int32_t kind;             /* which room of a family this is (a sac_dtype, say): c->kind */
    const sac_variant *rungs; /* that teach or lost: checked and timed, never chosen; ends with NULL
                                 name; may be NULL */
    const char *const *modes; /* NULL-terminated; the first is what the ladder times */
    const char *const *contents; /* NULL-terminated; the first is the most telling for speed */
    int64_t max_pixels;          /* largest case worth checking; 0: no limit of the room's */
    bool one_row;                /* h is always 1 */
    bool costly; /* open, fill or a call takes milliseconds at any size: each size and mode then
                    sees one content, in turn, and two layouts */

    void (*shape)(sac_check_case *c); /* sets n_args and each arg's role, size, w, h */
    /* Optional: after fill; tables, plans. Of the case's values, not of where they lie: the case's
     * layouts share it. */
    sac_status (*open)(sac_check_case *c);
    void (*close)(sac_check_case *c); /* optional; without it the state is given to sac_free */
    void (*fill)(sac_check_case *c);  /* writes the inputs: the same values wherever they lie */
    void (*call)(sac_any_fn fn, const sac_check_case *c); /* calls a variant on the case's memory */
    /* Optional, where a row of argument 0 depends on no other: `call` for n of its rows. The ladder
     * then has its reference work on all cores. */
    void (*call_rows)(sac_any_fn fn, const sac_check_case *c, int64_t first, int64_t n);
    /* Optional, one of both; without them every output byte must equal the reference's. `judge`
     * sees each value of argument 0 (sac_check_values). */
    sac_check_judge_fn judge;
    bool l2; /* `judge` aside, what is reported is the relative L2 error of all values */
    void (*compare)(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v);
    /* Optional: rungs that cover some modes, sizes or layouts only. Asked of a case in memory. */
    bool (*supports)(const sac_variant *v, const sac_check_case *c);
    /* Optional: whether each call of a rung in use is given argument `arg` anew, or with `back`
     * gives it back: what is copied to a GPU and back. Without it, all inputs and all outputs. An
     * output that a rung does not give back is not compared. */
    bool (*passes)(const sac_variant *v, const sac_check_case *c, int32_t arg, bool back);
    /* Optional: bytes that one call reads and writes; without it, those of all arguments. */
    uint64_t (*bytes)(const sac_check_case *c);

    /* What the ladder times, where that is no picture of any size: the first, unless one is asked
     * for. Ends with NULL name; may be NULL. */
    const sac_check_task *tasks;
    /* Optional: what a call works through, and how much of it counts: beamform's points. */
    void (*points)(const sac_check_case *c, uint64_t *all, uint64_t *active);
    const sac_check_published *published; /* ends with NULL rung; may be NULL */
    /* Optional: on a GPU in this launch shape, NULL there: the rung's own. */
    void (*cost)(sac_check_cost *cost, const sac_variant *v, const sac_check_case *c, bool on_gpu,
                 const sac_gpu_shape *shape);

    /* On a GPU, where the room has rungs there: else all NULL. */
    const sac_variant *cuda;       /* ends with NULL name; the reference is the CPU's */
    const sac_variant *cuda_rungs; /* that teach or lost and stand not among them; may be NULL */
    bool cuda_energy;              /* the ladder measures what a frame's energy is, too */
    bool cuda_by_calls; /* they ask the device, or are about launches: timed call by call, not as a
                           graph of calls */
    /* Optional: device memory of the room's own, into c->cuda. The case is in the CPU's memory, and
     * its state open. */
    sac_status (*open_cuda)(sac_check_case *c, sac_gpu *gpu);
    void (*close_cuda)(sac_check_case *c, sac_gpu *gpu);
    /* Enqueues a call whose args lie on the device; shape NULL: the rung's own. A rung that ships
     * is given no other. */
    sac_status (*call_cuda)(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape,
                            const sac_check_case *c);
} sac_room_check;

/* What every room has, by the names that it has in the room's file; and what many have. */
#define SAC_CHECK_CALLS(table) .room = &(table), .shape = shape, .fill = fill, .call = call
#define SAC_CHECK_ROOM(table) SAC_CHECK_CALLS(table), .modes = modes, .contents = contents
/* What a room with rungs that some cases only suit, and with published times, has, too. */
#define SAC_CHECK_RUNGS .rungs = rungs, .supports = supports, .published = published

/* What it has in a build with CUDA only. */
#if SAC_CUDA
#define SAC_CHECK_CUDA(...) __VA_ARGS__
#else
#define SAC_CHECK_CUDA(...) .cuda = NULL
#endif
#define SAC_CHECK_CUDA_ROOM(table)                                                                 \
    SAC_CHECK_CUDA(.cuda = table, .open_cuda = open_cuda, .close_cuda = close_cuda,                \
                   .call_cuda = call_cuda)

/* xorshift64*: a case's random numbers. */
static inline uint64_t sac_check_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* 0 <= u < 1, in steps of 2^-53. */
static inline double sac_check_uniform(uint64_t *state)
{
    return (double)(sac_check_random(state) >> 11) * 0x1p-53;
}

/* Calls run(ctx, first, n) for parts of [0, n_all) of `step` each, the last one of fewer: by all
 * cores where there are 64 parts or more, else in turn. */
SAC_INTERNAL void sac_check_share(void (*run)(void *ctx, int64_t first, int64_t n), void *ctx,
                                  int64_t n_all, int64_t step);

/* Row y of an argument. */
static inline void *sac_check_row(const sac_check_case *c, int i, int64_t y)
{
    return c->arg[i].data + y * c->arg[i].row;
}

static inline void *sac_check_data(const sac_check_case *c, int i)
{
    return c->arg[i].data;
}

typedef struct sac_check_options {
    uint64_t seed;
    int32_t rounds;   /* random sizes beside the fixed ones */
    bool only_random; /* no fixed sizes, no other threads: random sizes alone */
    bool sparse;      /* each size and mode sees one content, in turn, and two layouts; of a costly
                         room, each mode sees every sixth size, and few calls are made among
                         other threads: for sanitizers, beside a full run */
    bool thin;        /* one in nine of the fixed sizes, one content: for tools that slow it down */
    const char *only; /* "ROOM" or "ROOM:RUNG"; NULL: all */
    FILE *report;     /* a line a variant, and the first faults; may be NULL */
    sac_gpu *gpu;     /* its rungs instead of the CPU's; may be NULL */
} sac_check_options;

/* How a variant can fail. */
typedef enum sac_check_fault {
    SAC_FAULT_VALUE,   /* an output differs from the reference's */
    SAC_FAULT_BEFORE,  /* wrote before an argument's first byte */
    SAC_FAULT_AFTER,   /* wrote behind an argument's last byte */
    SAC_FAULT_GAP,     /* wrote between rows */
    SAC_FAULT_INPUT,   /* changed an input */
    SAC_FAULT_THREADS, /* differs only when other threads run it too: shared scratch */
    SAC_FAULT_UNTRIED, /* ships, runs on this CPU, and its room's check supports no call of it */
    SAC_FAULT_KINDS
} sac_check_fault;

/* "wrong value", "wrote between rows"... */
SAC_INTERNAL const char *sac_check_fault_name(sac_check_fault kind);

typedef struct sac_check_result {
    int64_t n_cases;               /* calls compared with the reference */
    int64_t n_faults;              /* that failed; a variant with many is not tried further */
    int64_t n_skipped;             /* variants that this CPU cannot run */
    int64_t n_of[SAC_FAULT_KINDS]; /* the faults by kind */
} sac_check_result;

/* Variants, then rungs; on a GPU rungs, then variants: the i-th of a room; NULL behind the last. */
SAC_INTERNAL const sac_variant *sac_check_variant(const sac_room_check *check, int32_t i);
SAC_INTERNAL const sac_variant *sac_check_variant_cuda(const sac_room_check *check, int32_t i);

/* Whether `only` ("ROOM", "ROOM:RUNG", or NULL for all) takes this rung; rung NULL: any of the
 * room's. */
SAC_INTERNAL bool sac_check_takes(const char *only, const char *room, const char *rung);

/* Runs every variant of a room through all the harness has. SAC_E_NOMEM, SAC_E_DEVICE; faults are
 * in the result. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_check_room(sac_check_result *result,
                                                     const sac_room_check *check,
                                                     const sac_check_options *options);

/* Every room of rooms.def, with its pipeline. */
typedef struct sac_room_entry {
    const char *pipeline;
    const sac_room_check *check;
} sac_room_entry;

SAC_INTERNAL extern const sac_room_entry sac_rooms[];
SAC_INTERNAL extern const int32_t sac_n_rooms;

typedef struct sac_check_layout {
    size_t offset;     /* elements that the first one lies behind a cache line's start */
    ptrdiff_t padding; /* elements between rows */
    bool backward;     /* last row first */
    uint8_t poison;    /* what outputs hold before a call */
} sac_check_layout;

/*
 * For the harness and the ladder: memory for a case whose w, h, mode, content, seed, input and
 * n_threads are set; inputs filled, outputs poisoned, the room's state open. SAC_E_NOMEM, or what
 * the room's open said; then there is nothing to close.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_check_case_open(sac_check_case *c,
                                                          const sac_room_check *check,
                                                          const sac_check_layout *layout);
SAC_INTERNAL void sac_check_case_close(sac_check_case *c, const sac_room_check *check);

/* Whether the room lets this variant have this case. */
static inline bool sac_check_supports(const sac_room_check *check, const sac_variant *v,
                                      const sac_check_case *c)
{
    return check->supports == NULL || check->supports(v, c);
}

/* For open_cuda and close_cuda: device memory of the room's own, into c->cuda, that begins as the
 * bytes at `from`. SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_check_keep_cuda(sac_check_case *c, sac_gpu *gpu,
                                                          const void *from, size_t bytes);
SAC_INTERNAL void sac_check_free_cuda(sac_check_case *c, sac_gpu *gpu);

/*
 * For a room's judge: one value more. `error` and `within` are in any one measure; a NaN is a
 * fault. sac_check_error: |got - wanted|, infinite where one of them alone is finite, 0 where
 * neither is.
 */
SAC_INTERNAL void sac_check_value(sac_check_diff *d, const sac_check_pair *p, double error,
                                  double within);
SAC_INTERNAL double sac_check_error(const sac_check_pair *p);

/* Judges every value of argument 0: uint8, uint16, or floats in elements of 4 or 8 bytes. */
SAC_INTERNAL void sac_check_values(sac_check_diff *d, const sac_check_case *want,
                                   const sac_check_case *got, const sac_variant *v,
                                   sac_check_judge_fn judge);

/* The error becomes the relative L2 error of all values, to a norm of `least` or more. */
SAC_INTERNAL void sac_check_l2(sac_check_diff *d, double least);

/* What one call reads and writes. */
SAC_INTERNAL uint64_t sac_check_bytes(const sac_room_check *check, const sac_check_case *c);

/* A part of one allocation of `*used` bytes so far; with memory NULL only its size is counted. */
static inline void *sac_check_take(uint8_t *memory, size_t *used, size_t bytes)
{
    uint8_t *part = memory != NULL ? memory + *used : NULL;
    *used += (bytes + 255) / 256 * 256;
    return part;
}

/* Whether a rung in use is given an argument anew for each call, or with `back` gives it back. */
SAC_INTERNAL bool sac_check_passes(const sac_room_check *check, const sac_variant *v,
                                   const sac_check_case *c, int32_t arg, bool back);

/* For a room's `compare`: adds all outputs, by their bytes. */
SAC_INTERNAL void sac_check_bytewise(sac_check_diff *d, const sac_room_check *check,
                                     const sac_check_case *want, const sac_check_case *got,
                                     const sac_variant *v);

/* Compares all outputs as the room asks, or by bytes. */
SAC_INTERNAL void sac_check_compare(sac_check_diff *d, const sac_room_check *check,
                                    const sac_check_case *want, const sac_check_case *got,
                                    const sac_variant *v);

#endif
