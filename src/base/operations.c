/*
 * The most operations a second of this machine, of numbers that stay in registers: the roof of
 * rungs that compute more than they move.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/device.h>
#include <saccade/measure.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"

#define N_ROUNDS 50000
#define N_RUNS 11         /* or more: as many as take .. */
#define LEAST_NS 20000000 /* and where something else had a core in each of them .. */
#define MOST_NS 300000000 /* as many as take this at most */
#define NEAR 1.25         /* a run takes at most so many times a part, if nothing had */
#define WAIT_NS 100000000 /* of the threads for each other */

/*
 * Loops over N vectors in registers, so many that no instruction waits for the one before it. The
 * compiler is not told what `held` does to a sum: nothing, so that it makes each addition.
 */
#define N 12
#define UNROLL _Pragma("GCC unroll 12")
#define LOOPS(name, target, floats, ints, set_float, set_int, fma, add, held)                      \
    target static void fma_##name(float *out)                                                      \
    {                                                                                              \
        floats v[N], times = set_float(0.5F), plus = set_float(*out);                              \
        UNROLL for (int k = 0; k < N; k++) v[k] = set_float((float)k);                             \
        for (int32_t i = 0; i < N_ROUNDS; i++) {                                                   \
            UNROLL for (int k = 0; k < N; k++) v[k] = fma(v[k], times, plus);                      \
        }                                                                                          \
        UNROLL for (int k = 1; k < N; k++) v[0] = fma(v[k], times, v[0]);                          \
        memcpy(out, v, sizeof *out);                                                               \
    }                                                                                              \
    target static void add_##name(float *out)                                                      \
    {                                                                                              \
        ints v[N], plus = set_int((int32_t)*out);                                                  \
        int32_t first;                                                                             \
        UNROLL for (int k = 0; k < N; k++) v[k] = set_int((int32_t)*out + k);                      \
        for (int32_t i = 0; i < N_ROUNDS; i++) {                                                   \
            UNROLL for (int k = 0; k < N; k++)                                                     \
            {                                                                                      \
                v[k] = add(v[k], plus);                                                            \
                __asm__("" : "+" held(v[k]));                                                      \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int k = 1; k < N; k++) v[0] = add(v[0], v[k]);                                 \
        memcpy(&first, v, sizeof first);                                                           \
        *out = (float)first;                                                                       \
    }

typedef struct loops {
    uint32_t features; /* that it needs */
    int32_t lanes;
    void (*fma)(float *out), (*add)(float *out);
} loops;

#if defined(__x86_64__)
#include <immintrin.h>

#define PLUS(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c) /* two instructions */
LOOPS(base, , __m128, __m128i, _mm_set1_ps, _mm_set1_epi32, PLUS, _mm_add_epi32, "x")
LOOPS(v3, __attribute__((target("avx2,fma"))), __m256, __m256i, _mm256_set1_ps, _mm256_set1_epi32,
      _mm256_fmadd_ps, _mm256_add_epi32, "x")
LOOPS(v4, __attribute__((target("avx512f"))), __m512, __m512i, _mm512_set1_ps, _mm512_set1_epi32,
      _mm512_fmadd_ps, _mm512_add_epi32, "v")

static const loops all[] = {
    {0, 4, fma_base, add_base}, {SAC_CPU_V3, 8, fma_v3, add_v3}, {SAC_CPU_V4, 16, fma_v4, add_v4}};
#elif defined(__aarch64__)
#include <arm_neon.h>

#define FMA(a, b, c) vfmaq_f32(c, a, b)
LOOPS(base, , float32x4_t, int32x4_t, vdupq_n_f32, vdupq_n_s32, FMA, vaddq_s32, "w")

static const loops all[] = {{0, 4, fma_base, add_base}, {SAC_CPU_NEON, 4, fma_base, add_base}};
#else
#define FLOAT(x) (x)
#define INT(x) ((uint32_t)(x))
#define FMA(a, b, c) ((a) * (b) + (c))
#define ADD(a, b) ((a) + (b))
LOOPS(base, , float, uint32_t, FLOAT, INT, FMA, ADD, "r")

static const loops all[] = {{0, 1, fma_base, add_base}};
#endif

typedef struct job {
    void (*loop)(float *out);
    _Atomic int64_t least_ns; /* of a part by itself */
} job;

static void work(void *arg, int32_t i)
{
    job *j = arg;
    volatile float kept;
    float out = (float)(i + 1);
    int64_t ns = sac_clock_ns(), least = atomic_load(&j->least_ns);
    j->loop(&out);
    ns = sac_clock_ns() - ns;
    while (ns < least && !atomic_compare_exchange_weak(&j->least_ns, &least, ns))
        continue;
    kept = out;
    (void)kept;
}

/* Operations a second of all threads at once: by the least time, since a roof is what nothing
 * exceeds. */
static double measure(sac_pool *pool, const loops *l, void (*loop)(float *out), int32_t each)
{
    job j = {loop, INT64_MAX};
    const int32_t n_parts = sac_pool_threads(pool);
    const int64_t start = sac_clock_ns();
    int64_t least = INT64_MAX, passed = 0;
    for (int32_t i = 0; i < N_RUNS || passed < LEAST_NS ||
                        (passed < MOST_NS && (double)least > NEAR * (double)j.least_ns);
         i++) {
        const int64_t ns = sac_pool_run_at_once(pool, WAIT_NS, work, &j);
        least = ns < least ? ns : least;
        passed = sac_clock_ns() - start;
    }
    const double alone = (double)n_parts * (double)j.least_ns; /* of one thread that does all */
    return 1e9 * each * l->lanes * N * N_ROUNDS * (double)n_parts / fmin((double)least, alone);
}

sac_status sac_measure_operations(sac_operations *out, uint32_t feature, int32_t n_threads,
                                  sac_error *err)
{
    char name[64];
    const loops *l = NULL;
    sac_pool *pool = NULL;
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *out = (sac_operations){0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].features == feature && !(feature & ~sac_cpu_usable()))
            l = &all[i];
    if (!l)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "feature: 0, or v3, v4 or neon where the CPU has it expected, got `%s`",
                        sac_cpu_names(feature, name, sizeof name));
    const sac_status status = sac_pool_open(&pool, n_threads, NULL, err);
    if (status != SAC_OK)
        return status;
    out->fma_s = measure(pool, l, l->fma, 2);
    out->add_s = measure(pool, l, l->add, 1);
    sac_pool_close(&pool);
    return SAC_OK;
}
