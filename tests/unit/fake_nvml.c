/*
 * A library in NVML's place, for test_energy.c: the GPU takes 100 J between two looks, but one at
 * bus 02 has no counter, that at 03 a counter that fails after the first look, and that at 04 one
 * that stands still.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

/* Looks at each bus. */
static unsigned long long n_looks[8];
static int n_begun;

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);

int nvmlInit_v2(void)
{
    n_begun++;
    return 0;
}

int nvmlShutdown(void)
{
    return --n_begun < 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
    const int bus = strlen(pci) == 12 ? pci[6] - '0' : 0;
    *device = &n_looks[bus & 7];
    return n_begun == 0 || bus < 1 || bus > 4 ? 6 /* not found */ : 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    unsigned long long *looks = device;
    const long bus = looks - n_looks;
    *millijoules = bus == 4 ? 7 : 100000 * ++*looks;
    return bus == 2 || (bus == 3 && *looks > 1) ? 3 /* not supported */ : 0;
}
