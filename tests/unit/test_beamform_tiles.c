/*
 * Which points a GPU's warps and blocks take: rows along the axis that has most in common, and so
 * many shares that multiprocessors have work; whatever they are, all points are some warp's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "unit.h"

#include "base/alloc.h"
#include "beamform/kernels/das/cuda/das_tiles_cuda.h"

enum { SIDE = 8, N_RX = SIDE * SIDE, WARPS = 8 };

static const sac_transmit plane = {.kind = SAC_TRANSMIT_PLANE};

/* A matrix of 0.3 mm, a plane wave, 10 samples a microsecond. */
static sac_das matrix(sac_element elements[N_RX])
{
    for (int r = 0; r < N_RX; r++)
        elements[r] =
            (sac_element){.position_m = {0.3e-3 * (r % SIDE - 3.5), 0.3e-3 * (r / SIDE - 3.5)},
                          .normal = {0, 0, 1}};
    return (sac_das){.elements = elements,
                     .n_rx = N_RX,
                     .transmits = &plane,
                     .n_tx = 1,
                     .n_frames = 1,
                     .n_samples = 512,
                     .fs_hz = 10e6,
                     .c_m_s = 1540};
}

static sac_das_cuda run_of(const sac_das *das, const int64_t n[3], const int32_t *order)
{
    sac_das_cuda run = {.das = *das, .order = order, .n_multiprocessors = 132};
    int64_t stride = 1;
    for (int i = 0; i < 3; i++) {
        run.n[i] = n[i];
        run.stride[i] = stride;
        stride *= n[i];
    }
    sac_das_tiles_measure(&run, das, order);
    return run;
}

static sac_das_cuda volume(sac_das *das, int64_t x, int64_t y, int64_t z)
{
    das->grid = (sac_grid){{-5e-3, -5e-3, 10e-3}, {5e-3, 5e-3, 30e-3}, {x, y, z}};
    das->n_points = x * y * z;
    return run_of(das, das->grid.n, NULL);
}

/* Every point is in one warp's part, as the kernels find it (das_cuda.cuh). */
static void assert_all_are_taken(const sac_das_tiles *t, int64_t n_points)
{
    bool *seen = calloc((size_t)n_points, sizeof *seen);
    int64_t n = 0;
    assert_int_equal(t->warps_x * t->warps_y * t->shares, WARPS);
    for (int64_t s = 0; s < t->slices; s++)
        for (int64_t y = 0; y < t->h; y++)
            for (int64_t x = 0; x < t->w; x++) {
                const int64_t at = s * t->slice + y * t->down + x * t->across;
                assert_in_range(at, 0, n_points - 1);
                assert_false(seen[at]);
                seen[at] = true;
                n++;
            }
    assert_int_equal(n, n_points);
    assert_true((int64_t)t->n_x * t->warps_x * t->warp_w >= t->w);
    assert_true((int64_t)t->n_y * t->warps_y * t->warp_h >= t->h);
    assert_int_equal(t->n, t->n_x * t->n_y * t->slices);
    free(seen);
}

static void rows_lie_along_the_axis_of_fewest_samples(void **state)
{
    (void)state;
    sac_element elements[N_RX];
    sac_das das = matrix(elements);
    /* Along y 64 points, along x 8: neighbours along y are the nearer. */
    const sac_das_cuda wide = volume(&das, 8, 64, 32), square = volume(&das, 64, 64, 8);
    assert_true(wide.spread[1].samples < wide.spread[0].samples);
    const sac_das_tiles a = sac_das_tiles_of(&wide, 4, 1, WARPS);
    assert_int_equal(a.across, 8);
    assert_all_are_taken(&a, wide.das.n_points);
    const sac_das_tiles b = sac_das_tiles_of(&square, 4, 1, WARPS);
    assert_int_equal(b.across, 1); /* nothing speaks for another */
    assert_all_are_taken(&b, square.das.n_points);
}

static void rows_of_a_plane_lie_behind_each_other_in_a_block(void **state)
{
    (void)state;
    sac_element elements[N_RX];
    sac_das das = matrix(elements);
    const int64_t sizes[][3] = {{64, 1, 50}, {1, 64, 50}, {64, 50, 1}};
    for (int i = 0; i < 3; i++) {
        const sac_das_cuda run = volume(&das, sizes[i][0], sizes[i][1], sizes[i][2]);
        const sac_das_tiles t = sac_das_tiles_of(&run, 4, 1, WARPS);
        assert_int_equal(t.warps_y, 4);
        assert_int_equal(t.slices, 1);
        assert_all_are_taken(&t, das.n_points);
    }
}

static void rows_of_a_list_lie_behind_each_other_in_a_block(void **state)
{
    (void)state;
    enum { W = 40, H = 30 };
    static double points[W * H][3];
    sac_element elements[N_RX];
    sac_das das = matrix(elements);
    for (int i = 0; i < W * H; i++) {
        points[i][0] = 0.1e-3 * (i % W - 20);
        points[i][2] = 10e-3 + 0.3e-3 * (i / W);
    }
    das.points_m = points[0];
    das.n_points = W * H;
    sac_das_cuda run = {.das = das, .n = {W, 1, H}, .stride = {1, W * H, W}};
    sac_das_tiles_measure(&run, &das, NULL);
    const sac_das_tiles t = sac_das_tiles_of(&run, 4, 1, WARPS);
    assert_int_equal(t.warps_y, 4);
    assert_all_are_taken(&t, W * H);
}

static void a_scattered_list_is_taken_in_its_order(void **state)
{
    (void)state;
    enum { N = 1000 };
    static double points[N][3];
    static int32_t order[N];
    sac_element elements[N_RX];
    sac_das das = matrix(elements);
    for (int i = 0; i < N; i++) { /* to and fro along a line, which the order undoes */
        points[i][0] = 1e-5 * (i * 379 % N);
        points[i][2] = 20e-3;
        order[i * 379 % N] = i;
    }
    das.points_m = points[0];
    for (int i = 0; i < 2; i++) {
        const int64_t n[3] = {das.n_points = i ? 1 : N, 1, 1};
        const sac_das_cuda run = run_of(&das, n, order);
        const sac_das_tiles t = sac_das_tiles_of(&run, 4, 1, WARPS);
        assert_int_equal(t.order == order, i == 0);
        assert_all_are_taken(&t, n[0]);
    }
}

static sac_das_tiles shared(const sac_das_cuda *run, bool are_points, int32_t most, double pairs)
{
    const sac_das_load load = {WARPS, 1, most, most, 16, pairs, are_points};
    sac_das_tiles t = sac_das_tiles_of(run, 8, 4, WARPS);
    sac_das_tiles_share(&t, run, &load);
    assert_all_are_taken(&t, run->das.n_points);
    return t;
}

static void assert_small_are_shared_large_not(bool are_points)
{
    sac_element elements[N_RX];
    sac_das das = matrix(elements);
    const sac_das_cuda few = volume(&das, 16, 16, 1), large = volume(&das, 512, 512, 4);
    assert_int_equal(shared(&large, are_points, 64, 64).shares, 1);
    const sac_das_tiles by_transmits = shared(&few, are_points, 64, 64),
                        by_both = shared(&few, are_points, 2, 64),
                        by_elements = shared(&few, are_points, 1, 8);
    assert_int_equal(by_transmits.shares, 8);
    assert_int_equal(by_transmits.part_bits, 0);
    assert_int_equal(by_both.shares >> by_both.part_bits, 2);
    assert_int_equal(by_elements.shares >> by_elements.part_bits, 1);
    /* 270 blocks where 264 are resident leave most multiprocessors idle in the end. */
    const sac_das_cuda more = volume(&das, 8 * 60, 4 * 36, 1);
    assert_true(shared(&more, are_points, 64, 640).shares > 1);
}

static void small_pictures_are_shared_large_ones_not(void **state)
{
    (void)state;
    assert_small_are_shared_large_not(false);
    assert_small_are_shared_large_not(true);
}

static void parts_have_eight_elements_or_more(void **state)
{
    (void)state;
    sac_element elements[N_RX];
    sac_das das = matrix(elements);
    for (int32_t n = 1; n <= N_RX; n++) {
        das.n_rx = n;
        const sac_das_cuda run = volume(&das, 16, 16, 1);
        for (int points = 0; points < 2; points++)
            assert_true(n >> shared(&run, points, 1, 1000).part_bits >= (n < 8 ? n : 8));
    }
}

static void delays_that_are_no_numbers_leave_the_axes_as_they_are(void **state)
{
    (void)state;
    sac_element elements[N_RX];
    sac_das das = matrix(elements);
    static double arrivals[16 * 16 * 4];
    const sac_transmit given = {.kind = SAC_TRANSMIT_ARRIVALS, .arrivals_s = arrivals};
    for (size_t i = 0; i < sizeof arrivals / sizeof arrivals[0]; i++)
        arrivals[i] = NAN;
    das.transmits = &given;
    const sac_das_cuda run = volume(&das, 16, 16, 4);
    for (int i = 0; i < SAC_DAS_AXES; i++)
        assert_true(run.spread[i].samples == 0);
    const sac_das_tiles t = sac_das_tiles_of(&run, 4, 1, WARPS);
    assert_int_equal(t.across, 1);
    assert_all_are_taken(&t, das.n_points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_lie_along_the_axis_of_fewest_samples),
        cmocka_unit_test(rows_of_a_plane_lie_behind_each_other_in_a_block),
        cmocka_unit_test(rows_of_a_list_lie_behind_each_other_in_a_block),
        cmocka_unit_test(a_scattered_list_is_taken_in_its_order),
        cmocka_unit_test(small_pictures_are_shared_large_ones_not),
        cmocka_unit_test(parts_have_eight_elements_or_more),
        cmocka_unit_test(delays_that_are_no_numbers_leave_the_axes_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
