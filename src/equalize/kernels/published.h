/*
 * Where Duong, "Programmation GPU" (2024), has the times of single steps from: for tables of
 * sac_check_published. Figs. 16 and 17 are of one picture whose size is not given, on a machine
 * with Windows: the text has the GeForce MX130 there, and 64 blocks of 32 threads without shared
 * memory, 8 of 256 with it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_PUBLISHED_H
#define SAC_EQUALIZE_PUBLISHED_H

#define SAC_DUONG_FIG_2                                                                            \
    .source = "Duong (2024), Fig. 2", .note = "GPU and picture not given", .grid = 8, .block = 8
#define SAC_DUONG_AT_16                                                                            \
    .device = "GeForce MX130", .grid = 64, .block = 32,                                            \
    .note = "GPU inferred, picture not given; its prompt shows 8 x 256"
#define SAC_DUONG_AT_17                                                                            \
    .device = "GeForce MX130", .grid = 8, .block = 256, .note = "GPU inferred, picture not given"
#define SAC_DUONG_FIG_16 .source = "Duong (2024), Fig. 16", SAC_DUONG_AT_16
#define SAC_DUONG_FIG_17 .source = "Duong (2024), Fig. 17", SAC_DUONG_AT_17

#endif
