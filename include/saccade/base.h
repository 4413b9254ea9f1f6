/*
 * What every saccade header stands on: export marks, status, error text, version, log.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_BASE_H
#define SACCADE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAC_VERSION_MAJOR 0
#define SAC_VERSION_MINOR 2
#define SAC_VERSION_PATCH 0

#if defined(__GNUC__) || defined(__clang__)
#define SAC_API __attribute__((visibility("default")))
#define SAC_NODISCARD __attribute__((warn_unused_result))
#define SAC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SAC_API
#define SAC_NODISCARD
#define SAC_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a call came to. SAC_AGAIN, SAC_END and SAC_CANCELLED are flow, and each means one thing;
 * everything from SAC_E_INVALID on is failure. A function that returns a status names those that it
 * returns besides SAC_OK; SAC_E_INVALID stands for NULL where none is allowed, too.
 */
typedef enum sac_status {
    SAC_OK = 0,
    SAC_AGAIN,         /* nothing came out this time; the next call may give something */
    SAC_END,           /* there is no more: a file's end, a stream that was asked to stop */
    SAC_CANCELLED,     /* the caller said so: its progress function, or its stop_fd */
    SAC_E_INVALID,     /* an argument is out of its range, or contradicts another */
    SAC_E_SHAPE,       /* an array has the wrong shape, type or strides */
    SAC_E_FORMAT,      /* a file or packet is not what it should be */
    SAC_E_NOMEM,       /* memory was refused */
    SAC_E_DEVICE,      /* a device is missing, lost, or refused the work */
    SAC_E_UNSUPPORTED, /* this build or this machine cannot do it */
    SAC_E_IO           /* the operating system refused a file or socket */
} sac_status;

/*
 * Where a call explains its failure, in one line that names the argument, what was expected and
 * what came. The caller owns it; NULL is welcome. Written only where the call fails.
 */
typedef struct sac_error {
    sac_status status;
    char text[240];
} sac_error;

/* The name of a status, as written above ("SAC_E_SHAPE"); never NULL. */
SAC_API const char *sac_status_name(sac_status status);

/*
 * Structs that begin with struct_size: a program may be older or newer than the library that it
 * runs with. Their _init sets it and every default; for one that is only filled by the library,
 * `= {.struct_size = sizeof x}` does. Fields that an older program's struct lacks take their
 * defaults; those that a newer one's has more must be 0. New fields are added at the end.
 */

/* How this library was built. All strings are static. */
typedef struct sac_build {
    size_t struct_size;
    const char *version; /* "0.2.0" */
    const char
        *commit; /* short hash of the source, "+" behind it where it was changed; or "unknown" */
    const char *compiler; /* "gcc 12.2.0" */
    const char *options;  /* "Release, CUDA off" */
} sac_build;

/* Fills in what struct_size has room for. Safe from any thread. */
SAC_API void sac_build_info(sac_build *build);

typedef enum sac_log_level {
    SAC_LOG_ERROR,
    SAC_LOG_WARNING,
    SAC_LOG_INFO,
    SAC_LOG_DEBUG
} sac_log_level;

/* Where set-up calls may say what they chose. The library itself never prints; run calls never log.
 */
typedef struct sac_log {
    void (*write)(void *ctx, sac_log_level level, const char *line);
    void *ctx;
} sac_log;

/* How exact a result must be; a planner takes the fastest variant within it. */
typedef enum sac_tier {
    SAC_TIER_EXACT = 0, /* the reference's bytes; of floats a bound near single precision's own */
    SAC_TIER_FP32,      /* single precision throughout, within a stated bound */
    SAC_TIER_FAST       /* half-precision storage, fast intrinsics: its own stated bound */
} sac_tier;

/* Progress of long work: `done` of `total` units. Return false to cancel. */
typedef bool (*sac_progress_fn)(void *ctx, uint64_t done, uint64_t total);

#ifdef __cplusplus
}
#endif
#endif
