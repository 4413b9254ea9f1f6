/*
 * A picture above 2^32 pixels, in little memory: every row is the same row, in input and output.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <stdlib.h>

#include <saccade/equalize.h>

#include "room/check.h"

#define W 65536
#define H 65601 /* 2^32 pixels and some: one bin's count alone is above */

/* Mostly one level, for the largest count, and some of every other. */
static void fill(uint8_t *row)
{
    uint64_t random = 1;
    for (int x = 0; x < W; x++)
        row[x] = x < 20 ? (uint8_t)(sac_check_random(&random) >> 56) : 77;
}

static void run_above_4294967296_pixels_is_exact(void **state)
{
    (void)state;
    uint8_t *in = malloc(W), *out = malloc(W);
    uint64_t sums[256] = {0};
    assert_non_null(in);
    assert_non_null(out);
    fill(in);
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = W;
    desc.h = H;
    desc.n_channels = 1;
    desc.scale = SAC_SCALE_MAX;
    desc.n_threads = 1; /* rows are written over each other */
    sac_equalize *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_equalize_open(&plan, &desc, &err), &err);
    const sac_array from = {in, SAC_U8, 2, {H, W}, {0, 1}, {SAC_DEVICE_CPU, 0}};
    sac_array to = from;
    to.data = out;
    assert_int_equal(sac_equalize_run(plan, &to, &from, NULL), SAC_OK);

    for (int x = 0; x < W; x++)
        sums[in[x]] += H;
    assert_true(sums[77] > UINT32_MAX);
    assert_memory_equal(sac_equalize_get_counts(plan, NULL), sums, sizeof sums);
    for (int v = 1; v < 256; v++)
        sums[v] += sums[v - 1];
    for (int x = 0; x < W; x++)
        assert_int_equal(out[x], in[x] ? (2 * 255 * sums[in[x]] + sums[255]) / (2 * sums[255]) : 0);
    sac_equalize_close(&plan);
    free(in);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(run_above_4294967296_pixels_is_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
