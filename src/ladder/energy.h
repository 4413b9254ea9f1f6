/*
 * The energy that a GPU takes, by the counter of NVIDIA's management library (NVML), which is
 * looked for at run time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LADDER_ENERGY_H
#define SAC_LADDER_ENERGY_H

#include "base/error.h"

#define SAC_ENERGY_NVML "libnvidia-ml.so.1"

typedef struct sac_energy sac_energy;

/*
 * Counts the energy of the GPU at a PCI address ("0000:0a:00.0"). SAC_E_UNSUPPORTED: there is no
 * such library, or it does not know this GPU or has no counter for it; SAC_E_NOMEM.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_energy_open(sac_energy **energy, const char *library,
                                                      const char *pci);
SAC_INTERNAL void sac_energy_close(sac_energy **energy);

typedef struct sac_energy_use {
    double joules, seconds;
    int64_t calls;
} sac_energy_use;

/* One call of what is measured, done when it returns. */
typedef sac_status sac_energy_work_fn(void *ctx);

/*
 * What the GPU takes while work(ctx) is called again and again, or, with work NULL, while nothing
 * is done: for `seconds` or a little more, from one step of the counter, which moves some times a
 * second, to another. SAC_E_UNSUPPORTED: the counter does not move; or what work said.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_energy_measure(sac_energy_use *use,
                                                         const sac_energy *energy,
                                                         sac_energy_work_fn *work, void *ctx,
                                                         double seconds);

#endif
