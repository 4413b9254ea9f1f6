/*
 * Row-column arrays on a GPU, and any transmit's own set of elements: directly as a sum in double,
 * in two stages as the CPU, whatever the way of handing over. `--thin`: a few.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit/row_column_random.h"

#include "beamform_buffers.h"

static uint64_t most = 300; /* random scenes */

static void random_arrays_agree_with_a_sum_in_double(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= most; seed++) {
        rc_scene s;
        rc_random(&s, seed);
        s.desc.device = on_gpu;
        rc_compare(&s, seed);
    }
}

/* What a plan makes of data in some place, packed. */
static char *run_from(const rc_scene *s, const sac_beamform_desc *d, char *data, place at,
                      size_t *bytes)
{
    const sac_acquisition *a = &s->acquisition;
    const int64_t n[] = {d->n_frames, a->n_transmits, a->n_elements, s->n_samples};
    const bool inner = d->layout == SAC_FRAMES_INNER;
    const int64_t shape[] = {n[inner], n[inner + 1], n[inner + 2], inner ? n[0] : n[3]};
    sac_error err = {0};
    sac_beamform *plan = NULL;
    sac_array in;
    assert_ok(sac_array_view(&in, NULL, d->dtype, 4, shape, &err), &err);
    assert_ok(sac_beamform_open(&plan, d, &err), &err);
    const sac_array out = sac_beamform_get_output_array(plan);
    buffer from = new_buffer(&in, at, PACKED), to = new_buffer(&out, at, PACKED);
    put(&from, data);
    if (to.device)
        copy(to.device, to.host, to.bytes);
    assert_ok(sac_beamform_run(plan, &to.array, &from.array, &err), &err);
    if (d->stream)
        must(sac_gpu_wait(d->stream), "wait", NULL);
    *bytes = (size_t)sac_array_count(&out) * sac_dtype_size(out.dtype);
    char *image = get(&to);
    sac_beamform_close(&plan);
    free_buffer(&from);
    free_buffer(&to);
    return image;
}

/* As many as a desc may leave: RF that is demodulated, of several frames, either way. */
static void volumes_are_the_same_wherever_arrays_lie(void **state)
{
    (void)state;
    for (int32_t k = 0; k < 8; k++) {
        rc_scene s;
        sac_beamform_desc d;
        size_t bytes = 0;
        rc_dual_scene(&s, &d, 0.1);
        d.dtype = k & 1 ? SAC_I16 : SAC_F32;
        d.demodulate = SAC_DEMODULATE_AUTO;
        d.layout = k & 2 ? SAC_FRAMES_INNER : SAC_FRAMES_OUTER;
        d.method = k & 4 ? SAC_METHOD_DUAL_STAGE : SAC_METHOD_DIRECT;
        d.output = k & 1 ? SAC_OUTPUT_GRAY : SAC_OUTPUT_IQ;
        d.n_frames = 3;
        d.device = on_gpu;
        s.desc = d;
        char *data = rc_noise(&s, 7), *image = run_from(&s, &d, data, HOST, &bytes);
        for (int32_t way = 0; way < 3; way++) {
            sac_beamform_desc other = d;
            other.memory_mb = way == 2 ? 1 : 0; /* frame by frame */
            other.stream = way == 1 ? sac_gpu_main_stream(gpu) : NULL;
            char *again = run_from(&s, &other, data, way == 1 ? DEVICE : (place)way, &bytes);
            if (memcmp(image, again, bytes) != 0)
                fail_msg("way %d of configuration %d: other bytes", way, k);
            free(again);
        }
        free(image);
        free(data);
    }
}

/* Relative L2 distance of a desc's volume on the GPU from another's. */
static double distance(const rc_scene *s, const sac_beamform_desc *d, const sac_beamform_desc *from,
                       uint64_t seed)
{
    void *data = rc_noise(s, seed);
    const char *word = d->method == SAC_METHOD_DUAL_STAGE ? "beamform:dual-stage" : NULL;
    int64_t n = 0;
    double off = 0, all = 0;
    float *got = rc_run(&n, s, d, data, word), *want = rc_run(&n, s, from, data, NULL);
    for (int64_t i = 0; i < n; i++) {
        off += pow((double)got[i] - (double)want[i], 2);
        all += pow((double)want[i], 2);
    }
    free(got);
    free(want);
    free(data);
    return sqrt(off / all);
}

/* The images' turns are taken away by the waves' mean: docs/numerics.md. */
static void dual_stage_is_that_of_the_cpu(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= most / 6; seed++) {
        rc_scene s;
        sac_beamform_desc d;
        rc_dual_scene(&s, &d, 0.3 * sac_random_uniform(seed, 1));
        d.demodulate = SAC_DEMODULATE_AUTO;
        d.interp = SAC_INTERP_CUBIC;
        d.f_number = rc_one_of(seed, 2, 4) ? 1 + 2 * sac_random_uniform(seed, 3) : 0;
        for (int axis = 0; axis < 3; axis++)
            d.grid.n[axis] = 1 + rc_one_of(seed, 4 + (uint64_t)axis, axis < 2 ? 40 : 60);
        d.n_frames = 1 + rc_one_of(seed, 7, 3);
        d.method = SAC_METHOD_DUAL_STAGE;
        d.tier = rc_one_of(seed, 8, 3);
        s.desc = d;
        sac_beamform_desc cpu = d;
        d.device = on_gpu;
        const double error = distance(&s, &d, &cpu, seed);
        if (!(error <= 1e-3))
            fail_msg("seed %llu: %.3g from the CPU's", (unsigned long long)seed, error);
    }
}

static void dual_stage_straight_ahead_is_direct(void **state)
{
    (void)state;
    rc_scene s;
    sac_beamform_desc d;
    rc_dual_scene(&s, &d, 0);
    d.demodulate = SAC_DEMODULATE_AUTO;
    d.interp = SAC_INTERP_CUBIC;
    d.device = on_gpu;
    d.method = SAC_METHOD_DUAL_STAGE;
    s.desc = d;
    sac_beamform_desc direct = d;
    direct.method = SAC_METHOD_DIRECT;
    assert_true(distance(&s, &d, &direct, 1) <= 3e-5); /* the bar is 1e-3 */
}

static void what_cannot_go_in_two_stages_is_refused(void **state)
{
    (void)state;
    rc_scene s;
    sac_beamform_desc d;
    sac_beamform *plan = NULL;
    sac_error err = {0};
    rc_dual_scene(&s, &d, 0.1);
    d.demodulate = SAC_DEMODULATE_AUTO;
    d.method = SAC_METHOD_DUAL_STAGE;
    d.device = on_gpu;
    d.lri = true;
    assert_failed(sac_beamform_open(&plan, &d, &err), SAC_E_UNSUPPORTED, &err, "image");
    d.method = SAC_METHOD_AUTO;
    d.tier = SAC_TIER_FAST;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    assert_null(strstr(sac_beamform_get_variant(plan), "dual-stage"));
    sac_beamform_close(&plan);
    d.lri = false;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    assert_non_null(strstr(sac_beamform_get_variant(plan), "dual-stage"));
    sac_beamform_close(&plan);
}

int main(int argc, char **argv)
{
    sac_error err = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arrays_agree_with_a_sum_in_double),
        cmocka_unit_test(volumes_are_the_same_wherever_arrays_lie),
        cmocka_unit_test(dual_stage_is_that_of_the_cpu),
        cmocka_unit_test(dual_stage_straight_ahead_is_direct),
        cmocka_unit_test(what_cannot_go_in_two_stages_is_refused),
    };
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    must(sac_gpu_open(&gpu, 0, &err), "gpu", &err);
    if (argc > 1 && !strcmp(argv[1], "--thin"))
        most = 60;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sac_gpu_close(&gpu);
    return failed;
}
