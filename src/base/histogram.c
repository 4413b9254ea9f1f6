/*
 * Times, counted in bins that are linear within a doubling. Every word has one writer, so plain
 * loads and stores do; all are relaxed, since a reader wants no other memory that they speak of.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/histogram.h>

#include <stdatomic.h>

#include "base/alloc.h"

#define SUB_BITS 7 /* of a bin's place within its doubling */
#define MAX_BITS 36
_Static_assert(((MAX_BITS - SUB_BITS) << SUB_BITS) + (1 << SUB_BITS) == SAC_HISTOGRAM_BINS,
               "the bins end at 2^36 ns");

struct sac_histogram {
    _Atomic int64_t sum_ns, max_ns;
    _Atomic int64_t count[SAC_HISTOGRAM_BINS];
};

sac_status sac_histogram_open(sac_histogram **out, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "histogram: is NULL");
    *out = sac_alloc(1, sizeof **out);
    return *out ? SAC_OK : sac_fail(err, SAC_E_NOMEM, "histogram: no memory for its bins");
}

void sac_histogram_close(sac_histogram **histogram)
{
    if (histogram) {
        sac_free(*histogram);
        *histogram = NULL;
    }
}

static int64_t load(const _Atomic int64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

/* Stays at its largest where it would overflow. */
static void add(_Atomic int64_t *word, int64_t n)
{
    int64_t sum;
    if (__builtin_add_overflow(load(word), n, &sum))
        sum = INT64_MAX;
    atomic_store_explicit(word, sum, memory_order_relaxed);
}

static int32_t bin_of(uint64_t ns)
{
    const int bits = 64 - __builtin_clzll(ns | 1);
    const int shift = bits > SUB_BITS + 1 ? bits - SUB_BITS - 1 : 0;
    return bits > MAX_BITS ? SAC_HISTOGRAM_BINS - 1
                           : (int32_t)(((uint64_t)shift << SUB_BITS) + (ns >> shift));
}

void sac_histogram_record(sac_histogram *h, int64_t ns)
{
    ns = ns > 0 ? ns : 0;
    add(&h->count[bin_of((uint64_t)ns)], 1);
    add(&h->sum_ns, ns);
    if (ns > load(&h->max_ns))
        atomic_store_explicit(&h->max_ns, ns, memory_order_relaxed);
}

void sac_histogram_merge(sac_histogram *h, const sac_histogram *from)
{
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++)
        if (load(&from->count[i]))
            add(&h->count[i], load(&from->count[i]));
    add(&h->sum_ns, load(&from->sum_ns));
    if (load(&from->max_ns) > load(&h->max_ns))
        atomic_store_explicit(&h->max_ns, load(&from->max_ns), memory_order_relaxed);
}

int64_t sac_histogram_get_count(const sac_histogram *h)
{
    int64_t n = 0;
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++)
        n += load(&h->count[i]);
    return n;
}

int64_t sac_histogram_get_max(const sac_histogram *h)
{
    return load(&h->max_ns);
}

double sac_histogram_get_mean(const sac_histogram *h)
{
    const int64_t n = sac_histogram_get_count(h);
    return n ? (double)load(&h->sum_ns) / (double)n : 0;
}

sac_histogram_bin sac_histogram_get_bin(const sac_histogram *h, int32_t bin)
{
    const int64_t i = bin;
    const int shift = i >> (SUB_BITS + 1) ? (int)(i >> SUB_BITS) - 1 : 0;
    const int64_t within = i - ((int64_t)shift << SUB_BITS);
    return (sac_histogram_bin){within << shift, (within + 1) << shift, load(&h->count[i])};
}

double sac_histogram_get_quantile(const sac_histogram *h, double share)
{
    const double wanted = share * (double)sac_histogram_get_count(h),
                 max = (double)load(&h->max_ns);
    double sum = 0;
    /* Counts only grow: were any added since, the sum gets there all the same. */
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS - 1; i++) {
        const sac_histogram_bin bin = sac_histogram_get_bin(h, i);
        sum += (double)bin.count;
        if (bin.count && sum >= wanted) {
            const double middle = 0.5 * (double)(bin.from_ns + bin.to_ns - 1);
            return middle < max ? middle : max;
        }
    }
    return max;
}
