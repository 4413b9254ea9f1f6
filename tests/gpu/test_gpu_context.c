/*
 * A plan leaves the thread that used it as it was: with no context where it had none, and with none
 * made on another device. In a process of its own, which has used no GPU before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>
#include <cudaTypedefs.h>

#include <saccade/equalize.h>

#include "gpu/gpu.h"
#include "skip.h"

static int n_faults;

static void want(bool good, const char *what)
{
    if (!good)
        fprintf(stderr, "wanted: %s\n", what);
    n_faults += !good;
}

static void must(bool good, const char *what, const sac_error *err)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, err ? err->text : "refused");
    exit(1);
}

/* A driver's function in *function. */
static void find(const char *name, void *function)
{
    enum cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, function, cudaEnableDefault, &found);
#endif
    must(error == cudaSuccess && found == cudaDriverEntryPointSuccess, name, NULL);
}

static bool has_context(void)
{
    PFN_cuCtxGetCurrent_v4000 get = NULL;
    CUcontext context = NULL;
    find("cuCtxGetCurrent", &get);
    must(get(&context) == CUDA_SUCCESS, "cuCtxGetCurrent", NULL);
    return context != NULL;
}

static bool is_active(int device)
{
    PFN_cuDevicePrimaryCtxGetState_v7000 get = NULL;
    unsigned flags;
    int active = 0;
    find("cuDevicePrimaryCtxGetState", &get);
    must(get(device, &flags, &active) == CUDA_SUCCESS, "cuDevicePrimaryCtxGetState", NULL);
    return active != 0;
}

/* All that a plan does, on pictures in the CPU's memory, which need everything. */
static void use_plan(int32_t index, int32_t tiles)
{
    static uint8_t pixels[48 * 64 * 3];
    sac_equalize *plan = NULL;
    sac_equalize_desc desc;
    sac_error err = {0};
    sac_array picture;
    int32_t bins;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = 64;
    desc.h = 48;
    desc.clahe[0] = desc.clahe[1] = tiles;
    desc.device = (sac_device){SAC_DEVICE_CUDA, index};
    must(sac_array_view(&picture, pixels, SAC_U8, 3, (const int64_t[]){48, 64, 3}, &err) == SAC_OK,
         "view", &err);
    must(sac_equalize_open(&plan, &desc, &err) == SAC_OK, "open", &err);
    want(!has_context(), "no context after open");
    must(sac_equalize_run(plan, &picture, &picture, NULL) == SAC_OK, "run", NULL);
    want(!has_context(), "no context after run");
    must(sac_equalize_get_counts(plan, &bins) != NULL, "counts", NULL);
    want(!has_context(), "no context after counts");
    sac_equalize_close(&plan);
    want(!has_context(), "no context after close");
}

int main(void)
{
    const int32_t n = sac_gpu_count(), last = n - 1;
    int device = -1;
    if (n == 0)
        return skip_all("no GPU, or a build without CUDA");
    want(!has_context(), "no context at first");
    use_plan(last, 0);
    use_plan(last, 4);
    want(is_active(last), "the device's context stays for the next plan");
    must(cudaGetDevice(&device) == cudaSuccess, "cudaGetDevice", NULL);
    want(device == 0, "the thread's device as it was");
    for (int32_t i = 0; i < last; i++)
        want(!is_active(i), "no context on a device that nobody asked for");
    printf("%d GPUs, %d faults\n", (int)n, n_faults);
    return n_faults > 0;
}
