/*
 * flow's eigenvectors by cuSOLVER: who asks for it, where it is not there or does not work, and on
 * a GPU that is full or gets lost, at each call in turn. The plan says so with the right status and
 * one line, and nothing stays open. What it finds is in tests/gpu/test_flow_gpu.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/flow.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "emulated.h"
#include "skip.h"

enum { POINTS = 70, FRAMES = 6 };

static int n_faults;
static float samples[2 * FRAMES * POINTS], powers[POINTS];

static void want(bool is, const char *what, const char *got)
{
    if (!is && n_faults++ < 20)
        fprintf(stderr, "wanted %s, got: %s\n", what, got);
}

static sac_flow_desc desc_of(int64_t n, int32_t eigen)
{
    sac_flow_desc d;
    sac_flow_desc_init(&d);
    d.n_frames = n;
    d.shape[0] = POINTS;
    d.kind = SAC_FLOW_POWER;
    d.scale = SAC_FLOW_LINEAR;
    d.filter = "svd:2";
    d.eigen = eigen;
    d.device.kind = SAC_DEVICE_CUDA;
    return d;
}

/* A plan opens and says that; or, with `wanted`, fails with it and those words. */
static void opens(const sac_flow_desc *d, sac_status wanted, const char *words)
{
    sac_flow *plan = NULL;
    sac_error err = {0};
    const sac_status st = sac_flow_open(&plan, d, &err);
    const char *says = st ? err.text : sac_flow_get_variant(plan);
    want(st == wanted && strstr(says, words), words, says);
    sac_flow_close(&plan);
}

static sac_status run(sac_flow *plan, sac_error *err)
{
    const int64_t shape[] = {FRAMES, POINTS};
    sac_array in, out = sac_flow_get_output_array(plan);
    out.data = powers;
    const sac_status st = sac_array_view(&in, samples, SAC_C64, 2, shape, NULL);
    return st ? st : sac_flow_run(plan, &out, &in, err);
}

static void eigen_auto_takes_cusolver_of_many_frames(void)
{
    sac_flow_desc d = desc_of(SAC_FLOW_CUSOLVER_FROM, SAC_FLOW_EIGEN_AUTO);
    opens(&d, SAC_OK, "eigen_c128:cusolver mix");
    d.eigen = SAC_FLOW_EIGEN_JACOBI;
    opens(&d, SAC_OK, "eigen_c128:cuda mix");
    d.eigen = SAC_FLOW_EIGEN_AUTO;
    d.n_frames--;
    opens(&d, SAC_OK, "eigen_c128:cuda mix");
    d.eigen = SAC_FLOW_EIGEN_CUSOLVER;
    opens(&d, SAC_OK, "eigen_c128:cusolver mix");
    d.filter = "polynomial:1";
    opens(&d, SAC_OK, "mix_c64:cuda lag_c64:cuda");
}

/* Who must have it gets `status` and those words, who may have it Jacobi or, if there is no memory,
 * the same. */
static void is_refused(sac_status status, const char *words)
{
    sac_flow_desc d = desc_of(SAC_FLOW_CUSOLVER_FROM, SAC_FLOW_EIGEN_CUSOLVER);
    opens(&d, status, words);
    d.eigen = SAC_FLOW_EIGEN_AUTO;
    if (status == SAC_E_UNSUPPORTED)
        opens(&d, SAC_OK, "eigen_c128:cuda mix");
    else
        opens(&d, status, words);
}

static void cusolver_that_does_not_work_is_refused_at_open(void)
{
    is_refused(SAC_OK, "eigen_c128:cusolver");
    setenv("FAKE_CREATE", "1", 1);
    is_refused(SAC_E_UNSUPPORTED,
               "eigen: cuSOLVER does not work on this machine (its status is 1,");
    setenv("FAKE_CREATE", "2", 1);
    is_refused(SAC_E_NOMEM, "eigen: the GPU has no memory left for cuSOLVER");
    unsetenv("FAKE_CREATE");
    setenv("FAKE_INFO", "5", 1);
    is_refused(SAC_E_UNSUPPORTED, "not work on this machine (its status is 0, its info 5)");
    unsetenv("FAKE_INFO");
}

/* The plan is as good as before. */
static void cusolver_that_finds_none_fails_the_run(void)
{
    static const char *const ways[][3] = {{"FAKE_INFO", "3", "its status is 0, its info 3"},
                                          {"FAKE_STATUS", "6", "its status is 6, its info"}};
    const sac_flow_desc d = desc_of(FRAMES, SAC_FLOW_EIGEN_CUSOLVER);
    sac_flow *plan = NULL;
    sac_error err = {0};
    float first[POINTS];
    want(sac_flow_open(&plan, &d, &err) == SAC_OK, "a plan", err.text);
    want(run(plan, &err) == SAC_OK, "a run", err.text);
    memcpy(first, powers, sizeof first);
    for (int i = 0; i < 2; i++) {
        setenv(ways[i][0], ways[i][1], 1);
        want(run(plan, &err) == SAC_E_DEVICE && strstr(err.text, ways[i][2]), ways[i][2], err.text);
        unsetenv(ways[i][0]);
        memset(powers, 0, sizeof powers);
        want(run(plan, &err) == SAC_OK && !memcmp(first, powers, sizeof first), "the same again",
             err.text);
    }
    sac_flow_close(&plan);
}

/* Whether one of open and run failed, as it should, on such a GPU. */
static bool fails(emulated_fault how, int64_t at)
{
    const sac_flow_desc d = desc_of(FRAMES, SAC_FLOW_EIGEN_CUSOLVER);
    sac_flow *plan = NULL;
    sac_error err = {0};
    emulated_break(how, at);
    sac_status st = sac_flow_open(&plan, &d, &err);
    st = st ? st : run(plan, &err);
    const bool failed = emulated_mend();
    want(failed ? st == (how == EMULATED_FULL ? SAC_E_NOMEM : SAC_E_DEVICE) : st == SAC_OK,
         failed ? "a failure" : "success", err.text);
    want(st == SAC_OK || (err.text[0] && !strchr(err.text, '\n')), "one line", err.text);
    sac_flow_close(&plan);
    return failed;
}

static void cusolver_on_a_faulty_gpu_leaves_nothing_open(void)
{
    const int64_t before = emulated_open_things();
    for (emulated_fault how = EMULATED_FULL; how <= EMULATED_LOST; how++) {
        int64_t at = 0;
        while (at < 1000 && fails(how, at))
            at++;
        want(at > 10 && at < 1000, "an end of faults", "none");
    }
    want(emulated_open_things() == before, "all closed", "things that are open");
}

static void cusolver_that_is_missing_is_said_in_a_line(void)
{
    setenv("SAC_CUSOLVER", "/nothing/libcusolver.so", 1);
    is_refused(SAC_E_UNSUPPORTED, "eigen: this machine has no cuSOLVER (libcusolver.so.12");
}

int main(void)
{
    setenv("SAC_CUSOLVER", FAKE_CUSOLVER, 1);
    for (int64_t i = 0; i < 2 * FRAMES * POINTS; i++)
        samples[i] = (float)sac_random_normal(1, (uint64_t)i);
    eigen_auto_takes_cusolver_of_many_frames();
    cusolver_that_does_not_work_is_refused_at_open();
    cusolver_that_finds_none_fails_the_run();
    cusolver_on_a_faulty_gpu_leaves_nothing_open();
    cusolver_that_is_missing_is_said_in_a_line();
    printf("%d faults\n", n_faults);
    return n_faults != 0;
}
