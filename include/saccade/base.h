/*
 * Basics that every saccade header uses: status, error text, version, log, tier.
 *
 * A call that can fail returns a sac_status and takes a sac_error for the text:
 *
 *     sac_error err = {0};
 *     if (sac_equalize_open(&plan, &desc, &err) != SAC_OK)
 *         fprintf(stderr, "%s: %s\n", sac_status_name(err.status), err.text);
 *
 * Threads: all functions here may be called from any thread at any time.
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
 * The result of a call. SAC_AGAIN, SAC_END and SAC_CANCELLED are control flow, not failures, and
 * each has one meaning; everything from SAC_E_INVALID on is a failure. The comment of a function
 * that returns a status names each status that it returns in addition to SAC_OK. SAC_E_INVALID also
 * stands for a NULL argument where NULL is not allowed: every call that returns a status checks for
 * it. A function without a status may be given NULL only where its comment or the head of its
 * header says so.
 */
typedef enum sac_status {
    SAC_OK = 0,
    SAC_AGAIN,         /* this call has no output; the next call may have some */
    SAC_END,           /* there is no more: the end of a file, or a stream that was asked to stop */
    SAC_CANCELLED,     /* the caller cancelled it, by its progress function or its stop_fd */
    SAC_E_INVALID,     /* an argument is out of its range, or contradicts another */
    SAC_E_SHAPE,       /* an array has the wrong shape, type or strides */
    SAC_E_FORMAT,      /* a file or packet does not have the expected format */
    SAC_E_NOMEM,       /* memory could not be allocated */
    SAC_E_DEVICE,      /* a device is missing or lost, or it failed */
    SAC_E_UNSUPPORTED, /* this build or this machine cannot do it */
    SAC_E_IO           /* the operating system refused a file or socket */
} sac_status;

/*
 * The explanation of a failure, in one line: the argument, what was expected, and what came. The
 * caller owns the struct; every function accepts NULL for it. It is written only where the call
 * fails or is cancelled.
 */
typedef struct sac_error {
    sac_status status;
    char text[240];
} sac_error;

/* The name of a status as written above ("SAC_E_SHAPE"); never NULL. The string is static. */
SAC_API const char *sac_status_name(sac_status status);

/*
 * Structs that begin with struct_size make it possible to run a program with an older or newer
 * library. Their _init function sets struct_size and every default; call it before you set any
 * field. For a struct that only the library fills in, write `= {.struct_size = sizeof x}`. A
 * struct_size of 0 is refused, or nothing is filled in. Fields that an older program's struct
 * lacks take their defaults; fields that the library does not know yet must be 0. New fields are
 * added at the end.
 */

/* How this library was built. All strings are static. */
typedef struct sac_build {
    size_t struct_size;
    const char *version; /* "0.2.0" */
    const char *commit;  /* short hash of the source, followed by "+" if the source was modified; or
                            "unknown" */
    const char *compiler; /* "gcc 12.2.0" */
    const char *options;  /* "Release, CUDA off" */
} sac_build;

/* Fills in the fields that struct_size has room for. */
SAC_API void sac_build_info(sac_build *build);

typedef enum sac_log_level {
    SAC_LOG_ERROR,
    SAC_LOG_WARNING,
    SAC_LOG_INFO,
    SAC_LOG_DEBUG
} sac_log_level;

/*
 * Receives lines from set-up calls (open), which tell what they chose. It is called in the thread
 * that calls open, and not after open returns; `line` is valid during the call, and has no line
 * end. The library itself never prints, and run calls never log.
 */
typedef struct sac_log {
    void (*write)(void *ctx, sac_log_level level, const char *line);
    void *ctx;
} sac_log;

/*
 * How exact a result must be. open takes the fastest variant (implementation) that is allowed in
 * the tier.
 */
typedef enum sac_tier {
    SAC_TIER_EXACT = 0, /* the same bytes as the reference; for floats an error bound close to
                           single precision's own */
    SAC_TIER_FP32,      /* single precision throughout, within a stated error bound */
    SAC_TIER_FAST /* half-precision storage and fast intrinsics, within its own stated error bound
                   */
} sac_tier;

/*
 * Progress of long work: `done` of `total` units. Return false to cancel; the call then returns
 * SAC_CANCELLED.
 */
typedef bool (*sac_progress_fn)(void *ctx, uint64_t done, uint64_t total);

#ifdef __cplusplus
}
#endif
#endif
