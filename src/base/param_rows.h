/*
 * Parameter tables: rows that several pipelines have, described once, and the table itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_PARAM_ROWS_H
#define SAC_BASE_PARAM_ROWS_H

#include <saccade/param.h>

/* `of`: "", or what they are for: ", for batches". */
#define SAC_ROW_THREADS(desc, of)                                                                  \
    {                                                                                              \
        .name = "threads", .type = SAC_PARAM_INT, .offset = offsetof(desc, n_threads),             \
        .max = 1024, .unit = "", .metavar = "N",                                                   \
        .doc = "threads on the CPU" of "; 0: one per core"                                         \
    }

/* `devices`: "cpu", or "cpu, cuda or cuda:N". */
#define SAC_ROW_DEVICE(desc, devices)                                                              \
    {                                                                                              \
        .name = "device", .type = SAC_PARAM_DEVICE, .offset = offsetof(desc, device), .unit = "",  \
        .metavar = "DEVICE", .doc = "where to work: " devices                                      \
    }

#define SAC_ROW_VARIANT_DOC                                                                        \
    "variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on this "      \
    "machine"
#define SAC_ROW_VARIANT(desc, text)                                                                \
    {                                                                                              \
        .name = "variant", .type = SAC_PARAM_STRING, .offset = offsetof(desc, variant),            \
        .unit = "", .metavar = "NAME", .doc = text                                                 \
    }

/* What most pipelines have. */
#define SAC_ROWS_PLAN(desc, devices, variant_doc)                                                  \
    SAC_ROW_THREADS(desc, ""), SAC_ROW_DEVICE(desc, devices), SAC_ROW_VARIANT(desc, variant_doc)

/* Of a thread's desc. `the`: "", or "the worker ". */
#define SAC_ROW_CPU(desc, the)                                                                     \
    {                                                                                              \
        .name = "cpu", .type = SAC_PARAM_INT, .offset = offsetof(desc, cpu), .min = -1,            \
        .max = 1023, .def = -1, .unit = "", .metavar = "N",                                        \
        .doc = "run " the "only on this CPU; -1: any"                                              \
    }

/* `of`: "", or "of the worker ". */
#define SAC_ROW_PRIORITY(desc, of)                                                                 \
    {                                                                                              \
        .name = "priority", .type = SAC_PARAM_INT, .offset = offsetof(desc, priority), .max = 99,  \
        .unit = "", .metavar = "P",                                                                \
        .doc = "real-time priority " of "(SCHED_FIFO), 1 to 99; 0: ordinary thread"                \
    }

/* The function that gives a pipeline's table. `rows`: the array above it. */
#define SAC_PARAM_TABLE(function, name, desc, rows, text)                                          \
    const sac_param_table *function(void)                                                          \
    {                                                                                              \
        static const sac_param_table table = {                                                     \
            .pipeline = name,                                                                      \
            .summary = text,                                                                       \
            .desc_size = sizeof(desc),                                                             \
            .params = rows,                                                                        \
            .n_params = sizeof rows / sizeof rows[0],                                              \
        };                                                                                         \
        return &table;                                                                             \
    }

#endif
