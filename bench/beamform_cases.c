/*
 * bench_beamform: its configurations.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform_bench.h"

#define PI 3.14159265358979323846

#define PLANE(x, z0, z1, w, h)                                                                     \
    .grid = {.first_m = {-(x), 0, (z0)}, .last_m = {(x), 0, (z1)}, .n = {(w), 1, (h)}}

/* Data alone, less what rows change: frames, samples or their type. */
#define DATA_A                                                                                     \
    .dtype = SAC_C64, .n_tx = 1, .n_rx = 128, .n_samples = 334, .n_together = 1, .f_number = 1,    \
    .fs_hz = 6.6667e6, .fc_hz = 5e6, .c_m_s = 1480, .pitch_m = 298e-6, .t0_s = 9.95e-6
#define DATA_B                                                                                     \
    .n_tx = 3, .n_rx = 128, .n_samples = 8192, .n_together = 3, .fs_hz = 62.5e6, .fc_hz = 5e6,     \
    .c_m_s = 1540, .pitch_m = 300e-6, .angle_rad = 10 * PI / 180
#define DATA_C                                                                                     \
    .dtype = SAC_C64, .n_tx = 75, .n_rx = 128, .n_together = 9, .f_number = 1.75,                  \
    .fs_hz = 20.832e6, .fc_hz = 5.208e6, .c_m_s = 1540, .pitch_m = 300e-6,                         \
    .angle_rad = 16 * PI / 180

#define GRID_A PLANE(12.5e-3, 10e-3, 35e-3, 251, 251)
#define GRID_B PLANE(19.05e-3, 5e-3, 95e-3, 256, 1024)
#define GRID_C PLANE(18e-3, 10e-3, 50e-3, 387, 609)

#define LINEAR .interp = SAC_INTERP_LINEAR
#define FP32 .tier = SAC_TIER_FP32
#define USUAL LINEAR, FP32

/* Steps are prime, so that blocks lie all over the picture. Published: mach 0.1.3 and ffdas 0.1.1,
 * best of single precision and of half-precision storage, on an H100 80GB HBM3; they compound. */
#define OF_B .dtype = SAC_F32, .n_frames = 1, DATA_B, GRID_B, USUAL, .step = 61, .thin = 1
#define PEERS_B .mach_ms = 0.877, .ffdas_ms = 0.214, .ffdas_half_ms = 0.203

const bench_case bench_cases[] = {
    {"A", "IQ, 1 plane wave x 128 x 334, 32 frames, 251 x 251 points, f/1", DATA_A, GRID_A, USUAL,
     .n_frames = 32, .step = 61, .thin = 1, .mach_ms = 0.328, .ffdas_ms = 0.294,
     .ffdas_half_ms = 0.220},
    {"B", "RF f32, 3 plane waves x 128 x 8192, 256 x 1024 points, all elements, LRIs kept",
     .lri = true, OF_B, PEERS_B},
    {"B-compounded", "B, its LRIs summed", OF_B, PEERS_B},
    {"C", "IQ, 75 plane waves x 128 x 2048, 387 x 609 points, f/1.75", DATA_C, GRID_C, USUAL,
     .n_frames = 1, .n_samples = 2048, .step = 61, .thin = 1, .mach_ms = 11.9, .ffdas_ms = 5.59,
     .ffdas_half_ms = 5.70},
    /* Delays are 150 to 830 samples. */
    {"V", "RF f32, 9 diverging waves x 32 x 32 elements x 1024, 128^3 points, all elements",
     .dtype = SAC_F32, .n_frames = 1, .n_tx = 9, .n_rx = 32 * 32, .n_samples = 1024,
     .n_together = 9, .matrix = 32, .waves = BENCH_SOURCES, USUAL, .fs_hz = 12e6, .fc_hz = 3e6,
     .c_m_s = 1540, .pitch_m = 300e-6,
     .grid = {.first_m = {-10e-3, -10e-3, 10e-3},
              .last_m = {10e-3, 10e-3, 50e-3},
              .n = {128, 128, 128}},
     .step = 613, .thin = 16},
};
const int32_t bench_n_cases = sizeof bench_cases / sizeof bench_cases[0];
