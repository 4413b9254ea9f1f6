/*
 * What the room `beamform` runs: configurations A, B, C and V of docs/beamform.md, and small ones
 * for its checks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/ladder/runs.h"

#define PI 3.14159265358979323846

/* Both sensors, and the first one's task. */
#define DISK .f_number = 1, .fs_hz = 6.6667e6, .fc_hz = 5e6, .c_m_s = 1480, .pitch_m = 298e-6
#define PHANTOM .fs_hz = 20e6, .fc_hz = 5e6, .c_m_s = 1540, .pitch_m = 300e-6
#define DISK_GRID .t0_s = 9.95e-6, .x_m = 12.5e-3, .z0_m = 10e-3, .z1_m = 35e-3

/* Configuration B, and its IQ form with one of D samples kept. */
#define RUN_B                                                                                      \
    SAC_F32, .n_frames = 1, .n_tx = 3, .n_rx = 128, .n_samples = 8192, .lri = true,                \
             .fs_hz = 62.5e6, .fc_hz = 5e6, .c_m_s = 1540, .pitch_m = 300e-6,                      \
             .angle_rad = 10 * PI / 180, .x_m = 19.05e-3, .z0_m = 5e-3, .z1_m = 95e-3
#define RUN_B_IQ(d) RUN_B, .demodulate = SAC_DEMODULATE_YES, .decimation = (d)

static const sac_beamform_ladder_run runs[] = {
    {SAC_C64, .n_frames = 32, .n_tx = 1, .n_rx = 128, .n_samples = 334, DISK, DISK_GRID},
    {RUN_B, .demodulate = SAC_DEMODULATE_NO},
    {SAC_C64, .n_frames = 1, .n_tx = 75, .n_rx = 128, .n_samples = 2048, .f_number = 1.75,
     .fs_hz = 20.832e6, .fc_hz = 5.208e6, .c_m_s = 1540, .pitch_m = 300e-6,
     .angle_rad = 16 * PI / 180, .x_m = 18e-3, .z0_m = 10e-3, .z1_m = 50e-3},
    {SAC_I16, .n_frames = 32, .n_tx = 1, .n_rx = 128, .n_samples = 334,
     .demodulate = SAC_DEMODULATE_YES, .output = SAC_OUTPUT_BMODE, DISK, DISK_GRID},
    {SAC_C64, .layout = SAC_FRAMES_INNER, .n_frames = 5, .n_tx = 2, .n_rx = 12, .n_samples = 90,
     .output = SAC_OUTPUT_ENVELOPE, .t0_s = 1e-6, .angle_rad = 0.2, .x_m = 2e-3, .z0_m = 2e-3,
     .z1_m = 9e-3, DISK},
    {SAC_I16, .n_frames = 3, .n_tx = 2, .n_rx = 12, .n_samples = 300,
     .demodulate = SAC_DEMODULATE_NO, .lri = true, .f_number = 1.5, .t0_s = 1e-6, .angle_rad = 0.2,
     .x_m = 2e-3, .z0_m = 2e-3, .z1_m = 10e-3, PHANTOM},
    {SAC_F32, .layout = SAC_FRAMES_INNER, .n_frames = 33, .n_tx = 1, .n_rx = 12, .n_samples = 150,
     .demodulate = SAC_DEMODULATE_YES, .f_number = 1, .t0_s = 1e-6, .x_m = 2e-3, .z0_m = 1e-3,
     .z1_m = 5e-3, PHANTOM},
    {SAC_F32, .n_frames = 2, .n_tx = 3, .n_rx = 16, .n_samples = 150, .side = 4, .n_y = 3,
     .demodulate = SAC_DEMODULATE_NO, .t0_s = 1e-6, .x_m = 2e-3, .z0_m = 1e-3, .z1_m = 5e-3,
     PHANTOM},
    {RUN_B_IQ(1)},
    {RUN_B_IQ(2)},
    {RUN_B_IQ(4)},
    {RUN_B_IQ(8)},
    {SAC_F32, .n_frames = 1, .n_tx = 9, .n_rx = 1024, .n_samples = 1024, .side = 32, .n_y = 128,
     .demodulate = SAC_DEMODULATE_NO, .fs_hz = 12e6, .fc_hz = 3e6, .c_m_s = 1540, .pitch_m = 300e-6,
     .x_m = 10e-3, .z0_m = 10e-3, .z1_m = 50e-3},
};

/* The checks leave the first tasks' large records to the ladder, and know nothing of the others,
 * which come by name after the NULL. */
enum { N_FIRST_TASKS = 4, N_MODES = 8 };
const char *const sac_beamform_ladder_modes[] = {
    "A",      "B",  "C",    "A-rf-to-bmode", "inner-5", "rf-lri", "rf-inner",
    "volume", NULL, "B-iq", "B-iq-2",        "B-iq-4",  "B-iq-8", "V"};
const sac_check_task sac_beamform_ladder_tasks[] = {{"A", 251, 251, .mode = 0},
                                                    {"B", 256, 1024, .mode = 1},
                                                    {"C", 387, 609, .mode = 2},
                                                    {"A-rf-to-bmode", 251, 251, .mode = 3},
                                                    {"B-iq", 256, 1024, .mode = N_MODES + 1},
                                                    {"B-iq-2", 256, 1024, .mode = N_MODES + 2},
                                                    {"B-iq-4", 256, 1024, .mode = N_MODES + 3},
                                                    {"B-iq-8", 256, 1024, .mode = N_MODES + 4},
                                                    {"V", 128, 128 * 128, .mode = N_MODES + 5},
                                                    {"V-thin", 128, 8 * 128, .mode = N_MODES + 5},
                                                    {0}};

static bool is_task(const sac_check_case *c)
{
    const sac_check_task *tasks = sac_beamform_ladder_tasks;
    if (c->mode >= N_MODES)
        return true;
    return c->mode < N_FIRST_TASKS && c->w == tasks[c->mode].w && c->h == tasks[c->mode].h;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

sac_beamform_ladder_run sac_beamform_ladder_run_of(const sac_check_case *c)
{
    sac_beamform_ladder_run run = runs[c->mode > N_MODES ? c->mode - 1 : c->mode];
    if (!is_task(c)) {
        run.n_tx = least(run.n_tx, 3);
        run.n_rx = least(run.n_rx, 16);
    }
    if (run.n_y == 0 || c->h % run.n_y != 0)
        run.n_y = 1;
    run.decimation = run.decimation ? run.decimation : 1;
    run.n_images = run.lri ? run.n_tx : 1;
    run.is_complex = run.output == SAC_OUTPUT_IQ && run.demodulate != SAC_DEMODULATE_NO;
    run.is_compounded = !run.lri && run.n_tx > 1 && run.output == SAC_OUTPUT_IQ;
    return run;
}
