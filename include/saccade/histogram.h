/*
 * Times, counted: a histogram of fixed memory, linear within each doubling, as fine at a
 * microsecond as at a second. One thread records, any thread reads meanwhile.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_HISTOGRAM_H
#define SACCADE_HISTOGRAM_H

#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * 1 ns wide below 256 ns, then 128 bins to a doubling, up to 2^36 ns (69 s); what is longer falls
 * into the last. So no bin is wider than 1/128 of the times in it.
 */
#define SAC_HISTOGRAM_BINS 3840

typedef struct sac_histogram sac_histogram;

/* An empty one, of 30 KiB. SAC_E_INVALID, SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_histogram_open(sac_histogram **out, sac_error *err);

/* Counts a time; a negative one as 0. One thread at a time. No lock, no call, always as fast. */
SAC_API void sac_histogram_record(sac_histogram *histogram, int64_t ns);

/* Adds all that `from` has: as if each of its times were recorded here. */
SAC_API void sac_histogram_merge(sac_histogram *histogram, const sac_histogram *from);

SAC_API int64_t sac_histogram_get_count(const sac_histogram *histogram);

/* The longest time, exactly; 0 without any. */
SAC_API int64_t sac_histogram_get_max(const sac_histogram *histogram);

/* The mean of the times themselves, not of bins; 0 without any. */
SAC_API double sac_histogram_get_mean(const sac_histogram *histogram);

/*
 * The time that a share of all, 0..1, does not exceed: 0.5 is the median, 0.999 what one in a
 * thousand is beyond. Within 1/256 of it: the middle of its bin, or the longest time where that is
 * less. 0 without any.
 */
SAC_API double sac_histogram_get_quantile(const sac_histogram *histogram, double share);

/* One bin, 0 .. SAC_HISTOGRAM_BINS - 1: times of at least from_ns, below to_ns. */
typedef struct sac_histogram_bin {
    int64_t from_ns, to_ns, count;
} sac_histogram_bin;

SAC_API sac_histogram_bin sac_histogram_get_bin(const sac_histogram *histogram, int32_t bin);

/* Frees and NULLs *histogram. */
SAC_API void sac_histogram_close(sac_histogram **histogram);

#ifdef __cplusplus
}
#endif
#endif
