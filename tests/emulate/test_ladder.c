/*
 * The rungs of meltpool's ladder, without a GPU: a few frames of every scene, called as the room's
 * check calls them. Records are the CPU's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/ladder/rungs.h"
#include "meltpool/ladder/check_cuda.h"

#include "meltpool_scene.h"

enum { MOST_FRAMES = 12, DEADLINE_S = 1800 };

/* Of each scene: how many frames, fewer where labels take many steps; those with the laser on, a
 * bit each; and a desc's other values. */
static const struct {
    int32_t n;
    uint32_t on;
    int32_t locate, roi, window;
    bool static_roi, scan;
} cases[] = {
    {4, 0x5, SAC_MELTPOOL_PREVIOUS, 40, 64, false, false},
    {1, 0x1, SAC_MELTPOOL_LASER, 37, 5, false, true},
    {4, 0xd, SAC_MELTPOOL_BRIGHTEST, 8, 1, false, false},
    {2, 0x2, SAC_MELTPOOL_PREVIOUS, 65, 100, false, true},
    {1, 0x1, SAC_MELTPOOL_LASER, 64, 64, true, false},
    {2, 0x3, SAC_MELTPOOL_FIXED, 16, 300, false, false},
    {12, 0x403, SAC_MELTPOOL_LASER, 40, 64, false, false}, /* off for longer than Pr looks ahead */
};

/* One that is not there under another name before, and no graph: what it launches is fused-7's. */
static bool is_tried(const sac_variant *rung)
{
    for (const sac_variant *v = sac_meltpool_cuda_rungs; v < rung; v++)
        if (v->fn == rung->fn)
            return false;
    return strcmp(rung->name, "graph") != 0;
}

/* Of more frames at once than there are: they take as many steps as those of 8, by more threads. */
static bool is_wide(const sac_variant *rung)
{
    const char *n = strrchr(rung->name, '-');
    return n && (strcmp(n, "-16") == 0 || strcmp(n, "-32") == 0);
}

static void run_rung(sac_gpu *gpu, const sac_check_case *c, const scene *s,
                     const sac_meltpool_model *model, const sac_variant *rung, const char *name)
{
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    const ptrdiff_t row = SAC_RUNG_VALUES * sizeof(float);
    const sac_check_arg frames = {.data = s->pixels, .row = SIDE};
    float *values = allocate((size_t)s->n, (size_t)row);
    const sac_check_arg out = {.data = (uint8_t *)values, .row = row};
    sac_meltpool_record got[MOST_FRAMES];
    char test[96];
    snprintf(test, sizeof test, "%s, %s", rung->name, name);
    must(sac_meltpool_check_call_cuda(rung->fn, stream, c, &out, &frames), test, NULL);
    must(sac_gpu_wait(stream), test, NULL);
    for (int32_t i = 0; i < s->n; i++) {
        const float *v = values + i * SAC_RUNG_VALUES;
        got[i] = s->want[i]; /* its signals */
        got[i].flags = (uint32_t)v[0];
        memcpy(got[i].features, v + SAC_RUNG_FLAGS, sizeof got[i].features);
        memcpy(got[i].prediction, v + SAC_RUNG_FLAGS + SAC_MELTPOOL_FEATURES,
               sizeof got[i].prediction);
    }
    compare(test, s, got, model);
    free(values);
}

static void run_case(sac_gpu *gpu, const sac_meltpool_scene_plan *of, int32_t k, bool thin)
{
    scene s = open_scene(cases[k].n, k);
    sac_check_case c = {.w = s.n};
    sac_meltpool_desc desc = of->desc;
    desc.locate = cases[k].locate;
    desc.roi = cases[k].roi;
    desc.window = cases[k].window;
    desc.static_roi = cases[k].static_roi;
    desc.scan_frame = cases[k].scan;
    desc.n_threads = 1;
    for (int32_t i = 0; i < s.n; i++)
        s.signals[i].laser_on = cases[k].on >> i & 1;
    s.signals[s.n - 1].counter += k == 5 ? 30 : 3; /* some were lost; once so many are a gap */
    run_on_cpu(&s, &desc);
    sac_meltpool *plan = open_plan(&desc);
    const sac_check_arg frames = {.data = s.pixels, .row = SIDE};
    must(sac_meltpool_check_open_cuda(&c, gpu, plan, &frames, s.signals), "case", NULL);
    for (const sac_variant *rung = sac_meltpool_cuda_rungs; rung->name; rung++)
        if (is_tried(rung) && !(thin && is_wide(rung)) &&
            !(thin && k > 0 && (rung - sac_meltpool_cuda_rungs + k) % 2))
            run_rung(gpu, &c, &s, desc.model, rung, sac_meltpool_scenes[k]);
    sac_meltpool_check_close_cuda(&c, gpu);
    sac_meltpool_close(&plan);
    close_scene(&s);
}

/* --thin: of all scenes but the first every second rung, the others in the next one; no wide ones.
 */
int main(int argc, char **argv)
{
    const bool thin = argc > 1 && strcmp(argv[1], "--thin") == 0;
    static sac_meltpool_scene_plan of;
    sac_gpu *gpu = NULL;
    limit_seconds(DEADLINE_S);
    sac_meltpool_scene_plan_init(&of);
    must(sac_gpu_open(&gpu, 0, NULL), "open", NULL);
    for (int32_t k = 0; sac_meltpool_scenes[k]; k++)
        run_case(gpu, &of, k, thin);
    sac_gpu_close(&gpu);
    printf("%lld records compared with the CPU's, %lld faults\n", (long long)n_compared,
           (long long)n_faults);
    return n_faults > 0;
}
