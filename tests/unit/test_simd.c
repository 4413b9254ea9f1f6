/*
 * src/simd: each set of instructions that this CPU has gives what plain.h gives, for random bytes
 * with many extremes and many equal pairs, at any address.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/device.h>

#include "room/variant.h"
#include "simd_ops.h"

#define ROUNDS 200
#define AROUND 64 /* bytes around an array, for offsets, and to see writes outside of it */

static uint8_t input[N_INPUTS][N_ALL + AROUND];
static uint8_t wanted[N_ALL + 2 * AROUND], got[N_ALL + 2 * AROUND];

static uint32_t random_of(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void fill(uint64_t *random)
{
    static const uint8_t extremes[] = {0, 1, 2, 126, 127, 128, 129, 254, 255};
    for (int k = 0; k < N_INPUTS; k++)
        for (size_t i = 0; i < sizeof input[k]; i++) {
            const uint32_t r = random_of(random);
            input[k][i] = r % 4 == 0            ? extremes[r / 4 % sizeof extremes]
                          : r % 4 == 1 && k > 0 ? input[k - 1][i]
                                                : (uint8_t)(r >> 8);
        }
}

static void compare(const simd_op *op, const simd_op *plain, const char *set, uint64_t seed)
{
    uint64_t random = seed;
    fill(&random);
    const size_t at = AROUND + random_of(&random) % AROUND / 2;
    const uint8_t *in[N_INPUTS];
    for (int k = 0; k < N_INPUTS; k++)
        in[k] = input[k] + random_of(&random) % AROUND;
    memset(wanted, 0, sizeof wanted);
    memset(got, 0, sizeof got);
    plain->run(wanted + at, in);
    op->run(got + at, in);
    for (size_t i = 0; i < sizeof got; i++)
        if (got[i] != wanted[i])
            fail_msg("%s of %s, seed %llu, byte %zd: wanted %d, got %d", op->name, set,
                     (unsigned long long)seed, (ptrdiff_t)i - (ptrdiff_t)at, wanted[i], got[i]);
}

static void compare_all(const simd_op *ops, uint32_t needs, const char *set)
{
    if (needs & ~sac_cpu_features())
        skip_test("this CPU lacks the set");
    const simd_op *plain = simd_ops_plain();
    for (; plain->name; plain++, ops++) {
        assert_string_equal(plain->name, ops->name);
        for (uint64_t seed = 1; seed <= ROUNDS; seed++)
            compare(ops, plain, set, seed);
    }
    assert_null(ops->name);
}

#if SAC_X86
static void avx2_gives_what_plain_gives(void **state)
{
    (void)state;
    compare_all(simd_ops_avx2(), SAC_CPU_V3, "avx2");
}

static void avx512_gives_what_plain_gives(void **state)
{
    (void)state;
    compare_all(simd_ops_avx512(), SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, "avx512");
}
#elif SAC_ARM
static void neon_gives_what_plain_gives(void **state)
{
    (void)state;
    compare_all(simd_ops_neon(), SAC_CPU_NEON, "neon");
}
#endif

/* No set may be alike because nothing is written. */
static void plain_writes_something(void **state)
{
    (void)state;
    for (const simd_op *op = simd_ops_plain(); op->name; op++) {
        uint64_t random = 1;
        fill(&random);
        const uint8_t *in[N_INPUTS] = {input[0], input[1], input[2], input[3]};
        memset(got, 0, sizeof got);
        memset(wanted, 0, sizeof wanted);
        op->run(got, in);
        if (!memcmp(got, wanted, sizeof got))
            fail_msg("%s wrote nothing", op->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_writes_something),
#if SAC_X86
        cmocka_unit_test(avx2_gives_what_plain_gives),
        cmocka_unit_test(avx512_gives_what_plain_gives),
#elif SAC_ARM
        cmocka_unit_test(neon_gives_what_plain_gives),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
