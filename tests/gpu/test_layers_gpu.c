/*
 * Layers and a lens on a GPU: grids, sectors and lists against a sum in double at Fermat's delays,
 * and what comes before and behind delay-and-sum as on the CPU. `--thin`: a few.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit/layered_random.h"

#include "beamform_buffers.h"

static uint64_t most = 300; /* random scenes */

/* Bounds as on the CPU, of apertures within 1e-3. */
static void random_layers_agree_with_a_sum_at_fermat_s_delays(void **state)
{
    (void)state;
    uint64_t n_known = 0;
    for (uint64_t seed = 1; seed <= most; seed++) {
        layered_random r;
        layered_by_chance(&r, seed, false);
        r.desc.device = on_gpu;
        const double error = layered_error(&r, seed);
        n_known += error >= 0;
        if (!(error <= (r.desc.f_number > 0 ? 3e-3 : 0.3)))
            fail_msg("seed %llu: error %.3g", (unsigned long long)seed, error);
    }
    assert_true(10 * n_known >= 9 * most);
}

/* What a plan on a device makes of the data; *n floats. NULL where delays are not known. */
static float *run_on(int64_t *n, sac_beamform_desc d, sac_device device, const sac_array *in)
{
    sac_error err = {0};
    sac_beamform *plan = NULL;
    d.device = device;
    const sac_status status = sac_beamform_open(&plan, &d, &err);
    if (status == SAC_E_UNSUPPORTED && strstr(err.text, "a sixteenth of a period"))
        return NULL;
    assert_ok(status, &err);
    sac_array out = output_of(plan);
    assert_ok(sac_beamform_run(plan, &out, in, &err), &err);
    sac_beamform_close(&plan);
    *n = sac_array_count(&out) * (int64_t)sac_dtype_size(out.dtype) / 4;
    return out.data;
}

/* Samples of any kind, demodulated or not, of many frames, by adaptive weights, in halves. */
static void add_options(layered_random *r, uint64_t seed)
{
    static const int64_t frames[] = {1, 3, 20, 37};
    static const char *const reductions[] = {"sum", "sum", "sum", "cf", "mv:6"};
    sac_beamform_desc *d = &r->desc;
    r->s.n_frames = d->n_frames = frames[lr_one_of(seed, 60, 4)];
    d->dtype = lr_one_of(seed, 61, 2) ? SAC_F32 : d->dtype;
    d->demodulate = lr_one_of(seed, 62, 2) ? SAC_DEMODULATE_AUTO : SAC_DEMODULATE_NO;
    const bool iq = d->dtype == SAC_C64 || d->demodulate == SAC_DEMODULATE_AUTO;
    const bool line = r->s.elements[0].position_m[1] == 0;
    d->reduction = iq ? reductions[lr_one_of(seed, 63, line ? 5 : 4)] : "sum";
    if (strcmp(d->reduction, "sum") != 0)
        d->reduction_over = SAC_OVER_TRANSMIT;
    d->tier = lr_one_of(seed, 64, 3);
    d->memory_mb = lr_one_of(seed, 65, 3) ? 0 : 1;
    d->output = iq && lr_one_of(seed, 66, 3) == 0 ? SAC_OUTPUT_ENVELOPE : SAC_OUTPUT_IQ;
    if (d->output == SAC_OUTPUT_ENVELOPE && d->grid_kind == SAC_GRID_SECTOR && d->grid.n[0] > 1 &&
        d->grid.n[1] == 1)
        sac_sector_picture(&d->picture, &d->grid, &d->sector);
}

static void pictures_through_layers_are_those_of_the_cpu(void **state)
{
    (void)state;
    const sac_device cpu = {SAC_DEVICE_CPU, 0};
    for (uint64_t seed = 1; seed <= most / 2; seed++) {
        layered_random r;
        layered_by_chance(&r, 1000 + seed, false);
        add_options(&r, seed);
        float *data = lr_noise(&r, seed);
        const sac_array in = channel_array(&r.s, r.desc.dtype, data);
        int64_t n = 0;
        float *expected = run_on(&n, r.desc, cpu, &in), *image = run_on(&n, r.desc, on_gpu, &in);
        double off = 0, all = 0;
        assert_true(!expected == !image);
        for (int64_t i = 0; i < n && image; i++) {
            off += pow((double)image[i] - (double)expected[i], 2);
            all += pow((double)expected[i], 2);
        }
        const double bound = strcmp(r.desc.reduction, "sum") == 0 ? 5e-3 : 2e-2;
        if (!(sqrt(off) <= bound * sqrt(all)))
            fail_msg("seed %llu, %s: error %.3g", (unsigned long long)seed, r.desc.reduction,
                     sqrt(off / all));
        free(expected);
        free(image);
        free(data);
    }
}

int main(int argc, char **argv)
{
    sac_error err = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layers_agree_with_a_sum_at_fermat_s_delays),
        cmocka_unit_test(pictures_through_layers_are_those_of_the_cpu),
    };
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    must(sac_gpu_open(&gpu, 0, &err), "gpu", &err);
    if (argc > 1 && !strcmp(argv[1], "--thin"))
        most = 24;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sac_gpu_close(&gpu);
    return failed;
}
