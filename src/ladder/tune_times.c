/*
 * Times of all variants of a shape, in turn so that a busy moment harms none of them alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "ladder/tune.h"

#define SAMPLE_PS 40e6 /* shorter calls are timed in batches */
#define MIN_ROUNDS 5
#define MOST_ROUNDS 63 /* of those that are near the least */
#define NEAR 1.15
#define FIRST_SHARE 0.5 /* of the time, for rounds of all */
#define HOPELESS 3      /* times the least: one call says enough */
#define LONG_PS 250e9   /* such calls are slow enough to tell apart by one */

/* Of this thread's own, so that what else the machine does counts less. */
static int64_t clock_ns(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0
               ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec
               : sac_clock_ns();
}

static double time_calls(const sac_room_check *check, const sac_variant *v, const sac_check_case *c,
                         int64_t n)
{
    const int64_t start = clock_ns();
    for (int64_t i = 0; i < n; i++)
        check->call(v->fn, c);
    return fmax((double)(clock_ns() - start) * 1e3 / (double)n, 1);
}

/* A call of each, from the last of the table on, which is the fastest by its order; the least of
 * them. Where calls are long, what stands before a hopeless one is not tried: 0. */
static double time_once(double *ps, const sac_tune_times *t, const sac_room_check *check,
                        const sac_check_case *c)
{
    double least = INFINITY;
    bool goes_on = true;
    for (int32_t i = t->n; i-- > 0;) {
        ps[i] = 0;
        if (!goes_on)
            continue;
        ps[i] = time_calls(check, t->variant[i], c, 1);
        if (ps[i] < LONG_PS) /* the first call warmed up */
            ps[i] = time_calls(check, t->variant[i], c, 1);
        least = fmin(least, ps[i]);
        goes_on = ps[i] < LONG_PS || ps[i] <= HOPELESS * least;
    }
    return least;
}

static int64_t batch_of(double ps)
{
    return ps < SAMPLE_PS ? (int64_t)(SAMPLE_PS / fmax(ps, 1)) : 1;
}

/* Rounds of those that are not hopeless; the least time of each counts. */
static void time_all(double *ps, const sac_tune_times *t, const sac_room_check *check,
                     const sac_check_case *c, double least, int64_t end)
{
    for (int32_t round = 0; round < MIN_ROUNDS || clock_ns() < end; round++)
        for (int32_t i = 0; i < t->n; i++)
            if (ps[i] > 0 && ps[i] <= HOPELESS * least)
                ps[i] = fmin(ps[i], time_calls(check, t->variant[i], c, batch_of(ps[i])));
}

/* Sorts n values, few. */
static double median(double *values, int32_t n)
{
    for (int32_t i = 1; i < n; i++)
        for (int32_t k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const double swap = values[k];
            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

/*
 * Those near the least time, which one lucky moment may have given: more rounds of them alone, in
 * either order by turns. Each is then the least time as often as it takes that of the one that had
 * it, in the median of the rounds, in which both meet the same machine.
 */
static void time_near(double *ps, const sac_tune_times *t, const sac_room_check *check,
                      const sac_check_case *c, int64_t end)
{
    double took[SAC_TUNE_VARIANTS][MOST_ROUNDS];
    int32_t near[SAC_TUNE_VARIANTS], n = 0, first = 0, round = 0;
    for (int32_t i = 0; i < t->n; i++)
        first = ps[i] > 0 && (ps[first] == 0 || ps[i] < ps[first]) ? i : first;
    for (int32_t i = 0; i < t->n; i++)
        if (ps[i] > 0 && ps[i] <= NEAR * ps[first])
            near[n++] = i;
    for (; n > 1 && round < MOST_ROUNDS && (round < MIN_ROUNDS || clock_ns() < end); round++)
        for (int32_t k = 0; k < n; k++) {
            const int32_t i = near[round % 2 ? n - 1 - k : k];
            took[i][round] = time_calls(check, t->variant[i], c, batch_of(ps[i]));
        }
    for (int32_t k = 0; k < n && n > 1; k++) {
        double times[MOST_ROUNDS];
        for (int32_t r = 0; r < round; r++)
            times[r] = took[near[k]][r] / took[first][r];
        ps[near[k]] = ps[first] * (near[k] == first ? 1 : median(times, round));
    }
}

/* The times of a case: of what is hopeless, those of one call. */
static void time_case(double *ps, const sac_tune_times *t, const sac_room_check *check,
                      const sac_check_case *c, double seconds)
{
    const double least = time_once(ps, t, check, c);
    const int64_t start = clock_ns();
    if (least >= LONG_PS)
        return;
    time_all(ps, t, check, c, least, start + (int64_t)(FIRST_SHARE * seconds * 1e9));
    time_near(ps, t, check, c, start + (int64_t)(seconds * 1e9));
}

sac_status sac_tune_time(sac_tune_times *times, const sac_room_check *check,
                         const sac_tune_point *point, double seconds)
{
    static const sac_check_layout layout = {.poison = 0xA5};
    double logs[SAC_TUNE_VARIANTS] = {0}, ps[SAC_TUNE_VARIANTS];
    for (int32_t k = 0; k < point->n_cases; k++) {
        sac_check_case c = point->cases[k];
        const sac_status status = sac_check_case_open(&c, check, &layout);
        if (status != SAC_OK)
            return status;
        time_case(ps, times, check, &c, seconds);
        sac_check_case_close(&c, check);
        for (int32_t i = 0; i < times->n; i++)
            logs[i] += log(ps[i]) / point->n_cases; /* -infinite: it was not tried */
    }
    for (int32_t i = 0; i < times->n; i++)
        times->ps[i] = isfinite(logs[i]) ? fmax(exp(logs[i]), 1) : 0;
    return SAC_OK;
}
