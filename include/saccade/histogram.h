/*
 * A histogram of times in fixed memory, with the same relative resolution from a microsecond to a
 * minute. Use it for latencies. (For the histogram of a picture see saccade/measure.h and
 * sac_equalize_get_counts.)
 *
 *     sac_histogram_record(histogram, done_ns - start_ns);
 *     double median_ns = sac_histogram_get_quantile(histogram, 0.5);
 *
 * Threads: one thread at a time records or merges; any thread may read at the same time, while the
 * histogram is open. Only sac_histogram_close accepts NULL.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_HISTOGRAM_H
#define SACCADE_HISTOGRAM_H

#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bins are 1 ns wide below 256 ns; above that there are 128 bins of equal width per doubling, up
 * to 2^36 ns (69 s). Longer times count in the last bin. So no bin is wider than 1/128 of the
 * times in it.
 */
#define SAC_HISTOGRAM_BINS 3840

typedef struct sac_histogram sac_histogram;

/* Opens an empty histogram, of 30 KiB. The caller closes it. SAC_E_INVALID, SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_histogram_open(sac_histogram **out, sac_error *err);

/*
 * Counts one time; a negative time counts as 0. Takes constant time, without locks or system
 * calls.
 */
SAC_API void sac_histogram_record(sac_histogram *histogram, int64_t ns);

/* Adds all times of `from`, as if each had been recorded here. */
SAC_API void sac_histogram_merge(sac_histogram *histogram, const sac_histogram *from);

/* The number of times recorded. */
SAC_API int64_t sac_histogram_get_count(const sac_histogram *histogram);

/* The longest time, exact; 0 if there is none. */
SAC_API int64_t sac_histogram_get_max(const sac_histogram *histogram);

/* The mean of the times themselves, not of bins; 0 if there is none. */
SAC_API double sac_histogram_get_mean(const sac_histogram *histogram);

/*
 * The quantile of the times in ns, for a share 0..1: 0.5 is the median, 0.999 the time that one in
 * a thousand exceeds. Accurate within 1/256: the middle of its bin, or the longest time if that is
 * less. 0 if there is no time.
 */
SAC_API double sac_histogram_get_quantile(const sac_histogram *histogram, double share);

/* One bin: `count` times t with from_ns <= t < to_ns. */
typedef struct sac_histogram_bin {
    int64_t from_ns, to_ns, count;
} sac_histogram_bin;

/* Bin number `bin`, 0 .. SAC_HISTOGRAM_BINS - 1. */
SAC_API sac_histogram_bin sac_histogram_get_bin(const sac_histogram *histogram, int32_t bin);

/* Frees the histogram and sets *histogram to NULL. */
SAC_API void sac_histogram_close(sac_histogram **histogram);

#ifdef __cplusplus
}
#endif
#endif
