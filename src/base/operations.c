/*
 * The most operations a second of this machine, of numbers that stay in registers: the roof of
 * rungs that compute more than they move.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/device.h>
#include <saccade/measure.h>

#include <string.h>

#include "base/together.h"

#define N_ROUNDS 50000
#define RUN_NS 8000000
#define CELL_NS 100000
#define MOST_RUNS 3 /* while something else had a core in all of the time */
#define NEAR 0.8    /* of the fastest thread's pace all have so much at least, if nothing had */

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

typedef void loop_fn(float *out);

static void work(void *arg, int32_t thread, int64_t k)
{
    loop_fn *const *loop = arg;
    volatile float kept;
    float out = (float)(thread + 1);
    (void)k;
    (*loop)(&out);
    kept = out;
    (void)kept;
}

/* Operations a second of all threads at once. */
static sac_status measure(double *out, const loops *l, loop_fn *loop, int32_t n_threads,
                          sac_error *err)
{
    const sac_together together = {work, &loop, n_threads, RUN_NS, CELL_NS};
    double all_s = 0, one_s = 0;
    sac_status status = SAC_OK;
    for (int i = 0;
         i < MOST_RUNS && status == SAC_OK && (i == 0 || all_s < NEAR * one_s * (double)n_threads);
         i++) {
        sac_pace pace = {0};
        status = sac_together_measure(&pace, &together, err);
        all_s = pace.all_s > all_s ? pace.all_s : all_s;
        one_s = pace.one_s > one_s ? pace.one_s : one_s;
    }
    *out = all_s * l->lanes * N * N_ROUNDS;
    return status;
}

sac_status sac_measure_operations(sac_operations *out, uint32_t feature, int32_t n_threads,
                                  sac_error *err)
{
    char name[64];
    const loops *l = NULL;
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
    sac_status status = sac_together_count(&n_threads, err);
    status = status ? status : measure(&out->fma_s, l, l->fma, n_threads, err);
    status = status ? status : measure(&out->add_s, l, l->add, n_threads, err);
    out->fma_s *= 2;
    return status;
}
