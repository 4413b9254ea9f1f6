/*
 * The delay-and-sum rooms' modes: every option on small records (the .def files), and
 * configurations A, B and C for the ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/check_das.h"

#define SMALL .n_rx = 25, .n_samples = 61
#define FEW .n_rx = 9, .n_samples = 61
#define RECT(f) .apodization = {.f_number = (f)}
#define HANN(f) .apodization = {.f_number = (f), .window = SAC_WINDOW_HANN}
#define TUKEY(f) .apodization = {.f_number = (f), .window = SAC_WINDOW_TUKEY, .taper = 0.25}
#define STEEP(f, x) .apodization = {.f_number = (f), .window = SAC_WINDOW_TUKEY, .taper = (x)}
#define PLANE(how) .n_rx = 30, .n_samples = 61, .array = SAC_CHECK_##how
#define WIDE .n_rx = 150, .n_samples = 61, .array = SAC_CHECK_RAISED
#define FROM_PLANE .x_mm = 1.5, .z0_mm = SAC_CHECK_RAISED_MM, .z1_mm = 4, .angle_deg = 10
#define LINEAR .interp = SAC_INTERP_LINEAR
#define CUBIC .interp = SAC_INTERP_CUBIC
#define REDUCE(how, signals, x)                                                                    \
    .reduction = {                                                                                 \
        .kind = SAC_REDUCE_##how, .over = SAC_OVER_##signals, .amount = (x), .loading = 0.01}
#define CLAMP .outside = SAC_OUTSIDE_CLAMP

/* Configurations A and C of the issue of record: IQ of PWI_disk's geometry, and of PICMUS's. Their
 * sizes are 251 x 251 and 387 x 609 points. */
#define TASK_A                                                                                     \
    .n_frames = 32, .n_tx = 1, .n_rx = 128, .n_samples = 334, .interp = SAC_INTERP_LINEAR,         \
    .apodization = {.f_number = 1}, .x_mm = 12.5, .z0_mm = 10, .z1_mm = 35, .t0_us = 9.95,         \
    .pitch_mm = 0.298, .c_m_s = 1480, .fd_hz = 5e6
#define TASK_C .n_tx = 75, WAVES_C
#define WAVES_C                                                                                    \
    .n_frames = 1, .n_rx = 128, .n_samples = 2048, .interp = SAC_INTERP_LINEAR,                    \
    .apodization = {.f_number = 1.75}, .x_mm = 18, .z0_mm = 10, .z1_mm = 50, .angle_deg = 16,      \
    .fs_hz = 20.832e6, .pitch_mm = 0.3, .c_m_s = 1540, .fd_hz = 5.208e6

/* RF, 62.5 MHz: 3 plane waves, -10, 0 and 10 degrees, over the array's width. */
#define TASK_B                                                                                     \
    .n_frames = 1, .n_tx = 3, .n_rx = 128, .n_samples = 8192, LINEAR, .fs_hz = 62.5e6,             \
    .x_mm = 19.05, .z0_mm = 5, .z1_mm = 95, .angle_deg = 10, .pitch_mm = 0.3, .c_m_s = 1540

/* B demodulated, one of d samples kept. */
#define TASK_B_IQ(d)                                                                               \
    .n_frames = 1, .n_tx = 3, .n_rx = 128, .n_samples = 8192 / (d), LINEAR, .fs_hz = 62.5e6 / (d), \
    .x_mm = 19.05, .z0_mm = 5, .z1_mm = 95, .angle_deg = 10, .pitch_mm = 0.3, .c_m_s = 1540,       \
    .fd_hz = 5e6, .lri = true

/* The tasks follow the modes: as scenarios, and by name after the NULL, so that no case but the
 * ladder's has them. */
#define SCENARIO(name, ...) {__VA_ARGS__},
static const sac_check_scenario iq[] = {
#include "beamform/kernels/das/check_das_iq.def"
    {TASK_A}, {TASK_C}, {TASK_B_IQ(1)}, {TASK_B_IQ(2)}, {TASK_B_IQ(4)}, {TASK_B_IQ(8)},
};
static const sac_check_scenario rf[] = {
#include "beamform/kernels/das/check_das_rf.def"
    {TASK_B, .lri = true},
    {TASK_B},
};
/* C with 9 of its waves, as in C itself the reference would take minutes. */
#define TASK_C9 .n_tx = 9, WAVES_C
static const sac_check_scenario adapt[] = {
#include "beamform/kernels/das/check_das_adapt.def"
    {TASK_C9, REDUCE(CF, TRANSMIT, 0)},     {TASK_C9, REDUCE(GCF, TRANSMIT, 1)},
    {TASK_C9, REDUCE(SCF, TRANSMIT, 1)},    {TASK_C9, REDUCE(DMAS, TRANSMIT, 2)},
    {TASK_C9, REDUCE(SLSC, TRANSMIT, 0.3)}, {TASK_C9, REDUCE(MV, COMPOUND, 0.5)},
};
#undef SCENARIO
enum {
    IQ_MODES = sizeof iq / sizeof *iq - 6,
    RF_MODES = sizeof rf / sizeof *rf - 2,
    ADAPT_MODES = sizeof adapt / sizeof *adapt - 6
};

#define SCENARIO(name, ...) name,
const char *const sac_check_das_iq_modes[] = {
#include "beamform/kernels/das/check_das_iq.def"
    NULL, "A", "C", "B-iq", "B-iq-2", "B-iq-4", "B-iq-8"};
const char *const sac_check_das_rf_modes[] = {
#include "beamform/kernels/das/check_das_rf.def"
    NULL, "B", "B-compounded"};
const char *const sac_check_das_adapt_modes[] = {
#include "beamform/kernels/das/check_das_adapt.def"
    NULL, "C9-cf", "C9-gcf", "C9-scf", "C9-dmas", "C9-slsc", "C9-mv"};
#undef SCENARIO

const sac_check_task sac_check_das_iq_tasks[] = {{"A", 251, 251, .mode = IQ_MODES + 1},
                                                 {"C", 387, 609, .mode = IQ_MODES + 2},
                                                 {"B-iq", 256, 1024, .mode = IQ_MODES + 3},
                                                 {"B-iq-2", 256, 1024, .mode = IQ_MODES + 4},
                                                 {"B-iq-4", 256, 1024, .mode = IQ_MODES + 5},
                                                 {"B-iq-8", 256, 1024, .mode = IQ_MODES + 6},
                                                 {0}};
const sac_check_task sac_check_das_rf_tasks[] = {
    {"B", 256, 1024, .mode = RF_MODES + 1}, {"B-compounded", 256, 1024, .mode = RF_MODES + 2}, {0}};

const sac_check_task sac_check_das_adapt_tasks[] = {{"C9-cf", 96, 152, .mode = ADAPT_MODES + 1},
                                                    {"C9-gcf", 96, 152, .mode = ADAPT_MODES + 2},
                                                    {"C9-scf", 96, 152, .mode = ADAPT_MODES + 3},
                                                    {"C9-dmas", 96, 152, .mode = ADAPT_MODES + 4},
                                                    {"C9-slsc", 96, 152, .mode = ADAPT_MODES + 5},
                                                    {"C9-mv", 96, 152, .mode = ADAPT_MODES + 6},
                                                    {0}};

static int32_t n_modes_of(const sac_check_case *c)
{
    return c->kind == SAC_CHECK_ADAPT ? ADAPT_MODES : c->kind == SAC_C64 ? IQ_MODES : RF_MODES;
}

const sac_check_scenario *sac_check_das_scenario(const sac_check_case *c)
{
    const sac_check_scenario *table = c->kind == SAC_CHECK_ADAPT ? adapt
                                      : c->kind == SAC_C64       ? iq
                                                                 : rf;
    return table + (c->mode > n_modes_of(c) ? c->mode - 1 : c->mode);
}

bool sac_check_das_is_task(const sac_check_case *c)
{
    return c->mode >= n_modes_of(c);
}
