/*
 * Times of whole pictures from Duong, "Programmation GPU" (2024), which gives neither their unit
 * nor the pictures. Milliseconds, since a run that his profiler times at 4.3 ms in all prints 5.97
 * (Fig. 16), about what Table 4 has for that many threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/ladder/check.h"

#define NOTE "unit inferred, picture not given"

/* Tables 3 to 6: a row, by threads in a block. */
#define CELL(name, table, g, b, ms)                                                                \
    {                                                                                              \
        "hsv-planes", (ms)*1e6, .device = (name), .source = "Duong (2024), Table " table,          \
                                .note = NOTE, .grid = (g), .block = (b), .is_sweep = true          \
    }
#define CELLS(name, table, g, ms_1, ms_4, ms_16, ms_64, ms_256)                                    \
    CELL(name, table, g, 1, ms_1), CELL(name, table, g, 4, ms_4), CELL(name, table, g, 16, ms_16), \
        CELL(name, table, g, 64, ms_64), CELL(name, table, g, 256, ms_256)
#define MEAN(name, ms)                                                                             \
    {                                                                                              \
        "hsv-planes", (ms)*1e6, .device = (name), .source = "Duong (2024), 4.2.1", .note = NOTE,   \
                                .is_cpu = true                                                     \
    }

const sac_check_published sac_equalize_published[] = {
    MEAN("Core i7-8700", 56.78),
    MEAN("Core i7-8565U", 191.93),
    MEAN("Xeon 2.00 GHz", 74.94),
    CELLS("Tesla A100", "6", 1, 763.85, 275.66, 86.30, 23.92, 7.40),
    CELLS("Tesla A100", "6", 4, 286.03, 88.73, 24.43, 7.16, 2.92),
    CELLS("Tesla A100", "6", 16, 90.35, 24.15, 7.46, 2.97, 1.82),
    CELLS("Tesla A100", "6", 64, 24.75, 7.17, 2.94, 1.82, 1.52),
    CELLS("Tesla A100", "6", 256, 7.40, 2.89, 1.84, 1.57, 1.49),
    CELLS("Tesla A100", "6", 1024, 3.23, 1.90, 1.59, 1.54, 1.50),
    CELLS("Quadro P620", "3", 1, 1921.28, 538.16, 142.68, 38.62, 12.69),
    CELLS("Quadro P620", "3", 4, 497.36, 138.78, 39.05, 10.23, 3.68),
    CELLS("Quadro P620", "3", 16, 137.35, 36.71, 10.79, 3.97, 2.93),
    CELLS("Quadro P620", "3", 64, 46.86, 13.24, 3.93, 3.19, 3.50),
    CELLS("Quadro P620", "3", 256, 36.59, 10.92, 3.74, 2.69, 2.42),
    CELLS("Quadro P620", "3", 1024, 37.28, 9.39, 4.18, 2.37, 2.89),
    CELLS("GeForce MX130", "4", 1, 1785.61, 509.38, 136.54, 39.18, 13.21),
    CELLS("GeForce MX130", "4", 4, 464.52, 134.97, 38.00, 12.18, 5.80),
    CELLS("GeForce MX130", "4", 16, 132.12, 36.56, 11.88, 5.67, 4.84),
    CELLS("GeForce MX130", "4", 64, 58.50, 17.75, 6.82, 4.90, 4.60),
    CELLS("GeForce MX130", "4", 256, 52.76, 15.54, 6.39, 4.78, 4.37),
    CELLS("GeForce MX130", "4", 1024, 53.20, 15.97, 6.18, 4.75, 4.51),
    CELLS("Tesla T4", "5", 1, 1182.08, 510.87, 199.363, 58.71, 22.81),
    CELLS("Tesla T4", "5", 4, 479.14, 190.88, 55.50, 16.09, 7.12),
    CELLS("Tesla T4", "5", 16, 187.47, 53.25, 15.32, 5.39, 3.30),
    CELLS("Tesla T4", "5", 64, 53.0, 14.91, 5.35, 3.22, 2.54),
    CELLS("Tesla T4", "5", 256, 20.24, 6.58, 3.05, 2.50, 2.33),
    CELLS("Tesla T4", "5", 1024, 17.36, 5.89, 2.94, 2.39, 2.39),
    {0},
};
