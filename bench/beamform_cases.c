/*
 * bench_beamform: its configurations. Those that kernels were tuned for, and rows next to them.
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

#define A_WITH(frames) DATA_A, GRID_A, USUAL, .n_frames = (frames)
#define B_WITH(type, frames)                                                                       \
    DATA_B, GRID_B, USUAL, .dtype = (type), .n_frames = (frames), .lri = true
#define OF_C DATA_C, GRID_C
#define C_LIKE OF_C, FP32, .n_frames = 1, .n_samples = 2048

#define PHASED_ABOUT                                                                               \
    "IQ, 16 diverging waves x 64 x 1024, 8 frames, a sector of 400 x 400 points, all elements, "
#define MATRIX_ABOUT "IQ, 1 plane wave x 32 x 32 x 512, 96^3 points, "

/* A sector of +-45 degrees, 5 to 90 mm deep; delays are 45 to 960 samples of 1,024. */
#define PHASED                                                                                     \
    .dtype = SAC_C64, .n_frames = 8, .n_tx = 16, .n_rx = 64, .n_samples = 1024, .fs_hz = 8e6,      \
    .fc_hz = 3e6, .c_m_s = 1540, .pitch_m = 250e-6, .angle_rad = 30 * PI / 180,                    \
    .waves = BENCH_FAN, PLANE(45 * PI / 180, 5e-3, 90e-3, 400, 400), USUAL
#define MATRIX(frames)                                                                             \
    .dtype = SAC_C64, .n_frames = (frames), .n_tx = 1, .n_rx = 32 * 32, .n_samples = 512,          \
    .matrix = 32, .fs_hz = 10e6, .fc_hz = 3e6, .c_m_s = 1540, .pitch_m = 300e-6, .t0_s = 10e-6,    \
    USUAL,                                                                                         \
    .grid = {                                                                                      \
        .first_m = {-10e-3, -10e-3, 10e-3}, .last_m = {10e-3, 10e-3, 40e-3}, .n = {96, 96, 96}}
#define THIN(frames)                                                                               \
    DATA_A, USUAL,                                                                                 \
        .n_frames = (frames),                                                                      \
        .grid = {                                                                                  \
            .first_m = {0, -12.5e-3, 10e-3}, .last_m = {0, 12.5e-3, 35e-3}, .n = {1, 251, 251}}

/* 24 x 24 x 30 mm before 128 + 128 lines, 32 plane waves each way; delays are 200 to 840 samples.
 */
#define LINES_ABOUT "IQ, 32 + 32 plane waves x 128 + 128 lines x 1024, 128^3 points, f/1.75, "
#define ROW_COLUMN                                                                                 \
    .dtype = SAC_C64, .n_frames = 1, .n_tx = 64, .n_rx = 256, .rows = 128, .n_samples = 1024,      \
    .smooth = 2, .fs_hz = 16e6, .fc_hz = 4e6, .c_m_s = 1540, .pitch_m = 200e-6,                    \
    .angle_rad = 10 * PI / 180, .f_number = 1.75, LINEAR,                                          \
    .grid = {                                                                                      \
        .first_m = {-12e-3, -12e-3, 10e-3}, .last_m = {12e-3, 12e-3, 40e-3}, .n = {128, 128, 128}}

/* What is wanted is wanted of one H100. */
const bench_case bench_rows[] = {
    {"A-3", "A, 3 frames", A_WITH(3), .wanted_ms = 0.040},
    {"A-8", "A, 8 frames", A_WITH(8)},
    {"A-9", "A, 9 frames", A_WITH(9), .wanted = "1.2x A-8"},
    {"A-16", "A, 16 frames", A_WITH(16)},
    {"A-17", "A, 17 frames", A_WITH(17), .wanted = "1.2x A-16"},
    {"A-32", "A, 32 frames", A_WITH(32), .wanted_ms = 0.145},
    {"A-33", "A, 33 frames", A_WITH(33), .wanted_ms = 0.160},
    {"A-nearest", "A, nearest sample", DATA_A, GRID_A, FP32, .n_frames = 32,
     .interp = SAC_INTERP_NEAREST, .wanted_ms = 0.13},
    {"A-cubic", "A, cubic interpolation", DATA_A, GRID_A, FP32, .n_frames = 32,
     .interp = SAC_INTERP_CUBIC, .wanted_ms = 0.26},
    {"A-clamp", "A, end samples outside of records", A_WITH(32), .outside = SAC_OUTSIDE_CLAMP,
     .wanted_ms = 0.14},
    {"thin-8", "A's data on the plane x = 0 (1 x 251 x 251), 8 frames", THIN(8), .wanted_ms = 0.10},
    {"thin-32", "A's data on the plane x = 0 (1 x 251 x 251), 32 frames", THIN(32),
     .wanted_ms = 0.20},
    {"B-1", "B, 1 frame", B_WITH(SAC_F32, 1)},
    {"B-8", "B, 8 frames", B_WITH(SAC_F32, 8), .wanted_ms = 0.60},
    {"B-32", "B, 32 frames", B_WITH(SAC_F32, 32), .wanted_ms = 2.1},
    {"B-32-i16", "B, 32 frames of int16", B_WITH(SAC_I16, 32), .wanted_ms = 2.1},
    {"C-1", "C, 1 frame", C_LIKE, LINEAR},
    {"C-32", "C, 32 frames", OF_C, USUAL, .n_frames = 32, .n_samples = 2048, .wanted_ms = 32.5},
    {"C-32-fast", "C, 32 frames, tier fast", OF_C, LINEAR, .tier = SAC_TIER_FAST, .n_frames = 32,
     .n_samples = 2048, .wanted_ms = 20},
    {"C-nearest", "C, nearest sample", C_LIKE, .interp = SAC_INTERP_NEAREST, .wanted_ms = 1.4},
    {"C-cubic", "C, cubic interpolation", C_LIKE, .interp = SAC_INTERP_CUBIC, .wanted_ms = 2.7},
    {"C-tukey", "C, the default window", C_LIKE, LINEAR, .window = "tukey:0.25", .wanted_ms = 1.6},
    {"C-layers", "C-tukey, 8 mm of 1,450 m/s before 1,570", C_LIKE, LINEAR, .window = "tukey:0.25",
     .layers = "8:1450,1570"},
    {"C-lens", "C-tukey, behind a lens of 1 mm and 1,000 m/s", C_LIKE, LINEAR,
     .window = "tukey:0.25", .lens = "1:1000"},
    {"C-short", "C, records of 1,300 samples, which deep points leave", OF_C, USUAL, .n_frames = 1,
     .n_samples = 1300, .wanted_ms = 1.4},
    {"C-points", "C, its grid as a list of points", C_LIKE, LINEAR, .spots = BENCH_LIST,
     .wanted_ms = 1.5},
    {"C-cf", "C, coherence factor", C_LIKE, LINEAR, .reduction = "cf", .wanted_ms = 1.3 * 1.38},
    {"C-cf-all", "C, coherence factor of all signals", C_LIKE, LINEAR, .reduction = "cf",
     .over = SAC_OVER_ALL},
    {"C-gcf", "C, generalised coherence factor", C_LIKE, LINEAR, .reduction = "gcf"},
    {"C-scf", "C, sign coherence factor", C_LIKE, LINEAR, .reduction = "scf"},
    {"C-dmas", "C, delay-multiply-and-sum", C_LIKE, LINEAR, .reduction = "dmas"},
    {"C-slsc", "C, short-lag spatial coherence of compounded signals", C_LIKE, LINEAR,
     .reduction = "slsc", .over = SAC_OVER_COMPOUND},
    {"C-mv", "C, minimum variance, subarrays of 64", C_LIKE, LINEAR, .reduction = "mv:64",
     .wanted_ms = 500},
    {"C-mv-transmit", "C, minimum variance of each transmit", C_LIKE, LINEAR, .reduction = "mv:64",
     .over = SAC_OVER_TRANSMIT},
    {"phased-angle", PHASED_ABOUT "angles running fastest", PHASED, .spots = BENCH_ANGLES,
     .wanted_ms = 1.4},
    {"phased-range", PHASED_ABOUT "ranges running fastest", PHASED, .spots = BENCH_RANGES,
     .wanted_ms = 1.4},
    {"phased-f1", PHASED_ABOUT "but f/1", PHASED, .spots = BENCH_ANGLES, .f_number = 1,
     .window = "tukey:0.25"},
    {"phased-lens", PHASED_ABOUT "but f/1, behind a lens of 1 mm and 1,000 m/s", PHASED,
     .spots = BENCH_ANGLES, .f_number = 1, .window = "tukey:0.25", .lens = "1:1000"},
    {"matrix-16", MATRIX_ABOUT "16 frames, all elements", MATRIX(16), .wanted_ms = 11},
    {"matrix-16-f1", MATRIX_ABOUT "16 frames, f/1", MATRIX(16), .f_number = 1,
     .wanted_ms = 11 * 1.15, .wanted_by_share = true},
    {"matrix-1", MATRIX_ABOUT "1 frame, all elements", MATRIX(1), .wanted_ms = 1.3},
    {"lines", LINES_ABOUT "direct", ROW_COLUMN, FP32, .method = SAC_METHOD_DIRECT,
     .wanted_ms = 1000.0 / 48},
    {"lines-dual", LINES_ABOUT "dual-stage", ROW_COLUMN, FP32, .method = SAC_METHOD_DUAL_STAGE,
     .wanted = "0.1x lines"},
};
const int32_t bench_n_rows = sizeof bench_rows / sizeof bench_rows[0];
