/*
 * The energy that a GPU takes, by NVML. Its functions are declared here as its manual has them, so
 * that no header of it is needed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ladder/energy.h"

#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/library.h"

#define LOOK_NS 5000000              /* between two looks at the counter, which take time */
#define STILL_NS INT64_C(2000000000) /* a counter that has not moved for so long does not */

/* nvmlReturn_t is an int, 0 for success; nvmlDevice_t a pointer. */
typedef int nvml_fn(void);
typedef int nvml_find_fn(const char *pci, void **device);
typedef int nvml_count_fn(void *device, unsigned long long *millijoules);

struct sac_energy {
    void *library, *device;
    bool is_begun;
    nvml_fn *begin, *end;
    nvml_find_fn *find;
    nvml_count_fn *count;
};

/* Whether the counter of this GPU is there. */
static bool find(sac_energy *e, const char *library, const char *pci)
{
    unsigned long long millijoules;
    e->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (e->library == NULL || !sac_library_find(&e->begin, e->library, "nvmlInit_v2") ||
        !sac_library_find(&e->end, e->library, "nvmlShutdown") ||
        !sac_library_find(&e->find, e->library, "nvmlDeviceGetHandleByPciBusId_v2") ||
        !sac_library_find(&e->count, e->library, "nvmlDeviceGetTotalEnergyConsumption"))
        return false;
    e->is_begun = e->begin() == 0;
    return e->is_begun && e->find(pci, &e->device) == 0 && e->count(e->device, &millijoules) == 0;
}

sac_status sac_energy_open(sac_energy **energy, const char *library, const char *pci)
{
    sac_energy *e = *energy = sac_alloc(1, sizeof *e);
    if (e == NULL)
        return SAC_E_NOMEM;
    if (find(e, library, pci))
        return SAC_OK;
    sac_energy_close(energy);
    return SAC_E_UNSUPPORTED;
}

void sac_energy_close(sac_energy **energy)
{
    sac_energy *e = *energy;
    if (e != NULL && e->is_begun)
        (void)e->end();
    if (e != NULL && e->library != NULL)
        (void)dlclose(e->library);
    sac_free(e);
    *energy = NULL;
}

/* Calls, or nothing, until the next look at the counter. */
static sac_status pass_time(sac_energy_use *use, sac_energy_work_fn *work, void *ctx)
{
    const struct timespec nap = {.tv_nsec = LOOK_NS};
    const int64_t end = sac_clock_ns() + LOOK_NS;
    sac_status status = SAC_OK;
    if (work == NULL) {
        (void)nanosleep(&nap, NULL);
        return SAC_OK;
    }
    do {
        status = work(ctx);
        use->calls++;
    } while (status == SAC_OK && sac_clock_ns() < end);
    return status;
}

/* Until the counter has moved. */
static sac_status await_step(unsigned long long *millijoules, sac_energy_use *use,
                             const sac_energy *e, sac_energy_work_fn *work, void *ctx)
{
    const unsigned long long before = *millijoules;
    const int64_t begin = sac_clock_ns();
    while (*millijoules == before) {
        const bool is_still = sac_clock_ns() - begin > STILL_NS;
        const sac_status status = pass_time(use, work, ctx);
        if (status != SAC_OK)
            return status;
        if (e->count(e->device, millijoules) != 0 || (is_still && *millijoules == before))
            return SAC_E_UNSUPPORTED;
    }
    return SAC_OK;
}

sac_status sac_energy_measure(sac_energy_use *use, const sac_energy *energy,
                              sac_energy_work_fn *work, void *ctx, double seconds)
{
    unsigned long long now = 0;
    if (energy->count(energy->device, &now) != 0)
        return SAC_E_UNSUPPORTED;
    sac_status status = await_step(&now, use, energy, work, ctx);
    const unsigned long long from = now;
    const int64_t begin = sac_clock_ns();
    *use = (sac_energy_use){0};
    while (status == SAC_OK && use->seconds < seconds) {
        status = await_step(&now, use, energy, work, ctx);
        use->seconds = (double)(sac_clock_ns() - begin) * 1e-9;
    }
    use->joules = (double)(now - from) * 1e-3;
    return status;
}
