/*
 * Between the harness's files: a case's memory, and what became of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LADDER_CHECK_CASE_H
#define SAC_LADDER_CHECK_CASE_H

#include "room/check.h"

/* Where memory that is nobody's, or an input, is not as it was. */
typedef struct sac_check_damage {
    sac_check_fault kind;
    int32_t arg;
    int64_t at; /* bytes before the first, behind the last or behind a row's end; an input's element
                 */
    double wanted, got;
} sac_check_damage;

/* A case's memory alone: placed, filled, poisoned. Its state may be another layout's. SAC_E_NOMEM.
 */
SAC_NODISCARD sac_status sac_check_place(sac_check_case *c, const sac_room_check *check,
                                         const sac_check_layout *layout);
void sac_check_displace(sac_check_case *c);

/* Opens `want`, and places *got, the same case, as well: it has the state of `want`. SAC_E_NOMEM.
 */
SAC_NODISCARD sac_status sac_check_pair_open(sac_check_case *want, sac_check_case *got,
                                             const sac_room_check *check,
                                             const sac_check_layout *layout);
void sac_check_pair_close(sac_check_case *want, sac_check_case *got, const sac_room_check *check);

/* Makes a case ready for the next call: outputs poisoned, arguments in place filled again. */
void sac_check_reset(sac_check_case *c, const sac_room_check *check);

/* Calls the reference, by all cores where the room lets them. */
void sac_check_call_reference(const sac_check_case *c, const sac_room_check *check);

/* Calls a variant; under AddressSanitizer the guards may then not even be read. */
void sac_check_call(const sac_check_case *c, const sac_room_check *check, const sac_variant *v);

/* Device memory for one case at a time, grown as needed. */
typedef struct sac_check_arena {
    sac_gpu *gpu;
    uint8_t *memory;
    size_t n_bytes;
} sac_check_arena;

void sac_check_arena_close(sac_check_arena *arena);

/*
 * The case's arguments, guards and poison included, on the device: *device is the case with
 * pointers there, each as far from a 256-byte boundary as its own. SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_NODISCARD sac_status sac_check_upload(sac_check_case *device, sac_check_arena *arena,
                                          const sac_check_case *c);

/* Uploads, calls, downloads. SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_check_call_cuda(const sac_check_case *c, sac_check_arena *arena,
                                             const sac_room_check *check, const sac_variant *v,
                                             const sac_gpu_shape *shape);

/* Whether guard bytes and inputs are whole; else *damage says which is not. `want` has the inputs.
 */
bool sac_check_is_whole(sac_check_damage *damage, const sac_check_case *want,
                        const sac_check_case *got);

/* The first input element in which the two cases differ. */
bool sac_check_same_inputs(sac_check_damage *damage, const sac_check_case *want,
                           const sac_check_case *got);

/* A variant's run over a room, for reports. */
typedef struct sac_check_tally {
    const sac_variant *variant;
    bool on; /* still tried */
    int64_t n_cases, n_faults;
} sac_check_tally;

typedef struct sac_check_run {
    const sac_room_check *check;
    const sac_check_options *options;
    sac_check_result *result;
    const sac_variant *reference;
    sac_check_tally *tallies; /* (n_variants); reference first, but on a GPU */
    int32_t n_variants, n_modes, n_contents;
    sac_check_arena arena; /* of options->gpu */
    uint64_t n_shapes;     /* launch shapes tried so far: they take turns */
} sac_check_run;

/* Counts a fault of a variant and prints all that is needed to see it again. */
void sac_check_report(sac_check_run *run, sac_check_tally *tally, const sac_check_case *c,
                      const sac_check_layout *layout, const sac_check_damage *fault);

/* Every variant in several threads at once, each on its own memory. SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_check_threads(sac_check_run *run);

/* A number for each case, never 0. */
uint64_t sac_check_mix(uint64_t seed, uint64_t k);

#endif
