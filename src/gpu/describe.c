/*
 * Which GPUs this machine has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "base/struct.h"
#include "gpu/runtime.h"

/* How many GPUs, and what the runtime said where that is none. A machine without a driver is none.
 */
static int count_devices(cudaError_t *error)
{
    int n = 0;
    *error = cudaGetDeviceCount(&n);
    return sac_gpu_status(*error) == SAC_OK ? n : 0;
}

int32_t sac_gpu_count(void)
{
    cudaError_t error;
    return count_devices(&error);
}

sac_status sac_gpu_find(int32_t index, sac_error *err)
{
    cudaError_t error;
    int n = count_devices(&error), driver = 0;
    if (index >= 0 && index < n)
        return SAC_OK;
    if (n > 0)
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d: this machine has %d GPU%s", index, n,
                        n == 1 ? "" : "s");
    if (sac_gpu_status(cudaDriverGetVersion(&driver)) != SAC_OK || driver == 0)
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d: no NVIDIA driver on this machine",
                        index);
    return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d: %s", index, cudaGetErrorString(error));
}

/* "580.159.04", where the kernel's module tells; else "". */
static void read_driver(char *text, size_t size)
{
    text[0] = '\0';
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (!file)
        return;
    if (!fgets(text, (int)size, file))
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

static sac_status attribute(int64_t *value, enum cudaDeviceAttr which, int32_t index,
                            sac_error *err)
{
    int found = 0;
    sac_status status = SAC_CUDA_CALL(index, err, cudaDeviceGetAttribute, &found, which, index);
    *value = found;
    return status;
}

sac_status sac_gpu_describe(sac_gpu_info *out, int32_t index, sac_error *err)
{
    struct cudaDeviceProp p;
    int64_t core_khz = 0, memory_khz = 0;
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_status status = sac_gpu_find(index, err);
    if (status == SAC_OK)
        status = SAC_CUDA_CALL(index, err, cudaGetDeviceProperties, &p, index);
    if (status == SAC_OK)
        status = attribute(&core_khz, cudaDevAttrClockRate, index, err);
    if (status == SAC_OK)
        status = attribute(&memory_khz, cudaDevAttrMemoryClockRate, index, err);
    if (status)
        return status;
    sac_gpu_info info = {
        .struct_size = sizeof info,
        .index = index,
        .major = p.major,
        .minor = p.minor,
        .n_multiprocessors = p.multiProcessorCount,
        .clock_hz = core_khz * 1000,
        .memory_clock_hz = memory_khz * 1000,
        .memory_bus_bits = p.memoryBusWidth,
        .memory_bytes = p.totalGlobalMem,
        .l2_bytes = (uint64_t)p.l2CacheSize,
        .shared_bytes = p.sharedMemPerMultiprocessor,
        .is_integrated = p.integrated != 0,
        .n_threads = p.maxThreadsPerMultiProcessor,
        .registers = p.regsPerMultiprocessor,
        .block_registers = p.regsPerBlock,
    };
    snprintf(info.name, sizeof info.name, "%.*s", (int)sizeof info.name - 1, p.name);
    snprintf(info.pci, sizeof info.pci, "%04x:%02x:%02x.0", (unsigned)p.pciDomainID,
             (unsigned)p.pciBusID, (unsigned)p.pciDeviceID);
    read_driver(info.driver, sizeof info.driver);
    int driver = 0, runtime = 0;
    status = SAC_CUDA_CALL(index, err, cudaDriverGetVersion, &driver);
    if (status == SAC_OK)
        status = SAC_CUDA_CALL(index, err, cudaRuntimeGetVersion, &runtime);
    info.cuda_driver = driver;
    info.cuda_runtime = runtime;
    if (status == SAC_OK)
        sac_struct_give(out, &info);
    return status;
}
