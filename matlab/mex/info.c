/*
 * saccade_info: this build and this machine.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "face.h"

#include <saccade/io.h>

void mat_info(mat_call *call)
{
    static const char *names[] = {"version", "commit",   "compiler", "options", "libraries",
                                  "cpu",     "features", "n_cores",  "gpus"};
    sac_build build = {.struct_size = sizeof build};
    char cpu[128], features[64];
    mat_expect(call, 0, 1);
    sac_build_info(&build);
    const char *const texts[] = {build.version,
                                 build.commit,
                                 build.compiler,
                                 build.options,
                                 sac_io_parts(),
                                 sac_cpu_model(cpu, sizeof cpu),
                                 sac_cpu_names(sac_cpu_usable(), features, sizeof features)};
    const int32_t n_gpus = sac_gpu_count();
    mxArray *to = mxCreateStructMatrix(1, 1, sizeof names / sizeof *names, names);
    for (int i = 0; i < 7; i++)
        mxSetField(to, 0, names[i], mxCreateString(texts[i]));
    mxSetField(to, 0, "n_cores", mxCreateDoubleScalar(sac_cpu_count()));
    mxArray *gpus = mxCreateCellMatrix(1, n_gpus);
    for (int32_t i = 0; i < n_gpus; i++) {
        sac_gpu_info gpu = {.struct_size = sizeof gpu};
        sac_error err = {0};
        mat_check(sac_gpu_describe(&gpu, i, &err), &err);
        mxSetCell(gpus, i, mxCreateString(gpu.name));
    }
    mxSetField(to, 0, "gpus", gpus);
    call->out[0] = to;
}
