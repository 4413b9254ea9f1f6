/*
 * The machine's own floor, measured by a thread that only looks at the clock.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/jitter.h>

#include "base/clock.h"
#include "base/param_rows.h"
#include "base/struct.h"
#include "stream/thread.h"

#define OFFSET(field) offsetof(sac_jitter_desc, field)

static const sac_param params[] = {
    {"seconds", SAC_PARAM_FLOAT, OFFSET(seconds), 1e-3, 1e6, 10, NULL, "s", "S",
     "duration of the measurement"},
    {"rate", SAC_PARAM_FLOAT, OFFSET(rate_hz), 1e-3, 1e7, 20000, NULL, "Hz", "HZ",
     "also wait for scheduled times at this rate"},
    SAC_ROW_CPU(sac_jitter_desc, ""),
    SAC_ROW_PRIORITY(sac_jitter_desc, ""),
};

SAC_PARAM_TABLE(sac_jitter_params, "jitter", sac_jitter_desc, params,
                "measure how steadily this machine runs a thread")

void sac_jitter_desc_init(sac_jitter_desc *desc)
{
    if (desc)
        sac_param_defaults(sac_jitter_params(), desc);
}

typedef struct job {
    const sac_jitter_desc *desc;
    sac_histogram *gaps, *wakes;
} job;

static void *look(void *arg)
{
    const job *j = arg;
    const double period_ns = 1e9 / j->desc->rate_hz;
    const int64_t begin = sac_clock_ns(), end = begin + (int64_t)(1e9 * j->desc->seconds);
    int64_t k = 1, due = begin + (int64_t)period_ns;
    for (int64_t before = begin, now; before < end; before = now) {
        now = sac_clock_ns();
        sac_histogram_record(j->gaps, now - before);
        while (due <= now && due < end) {
            sac_histogram_record(j->wakes, now - due);
            due = begin + (int64_t)((double)++k * period_ns);
        }
    }
    return NULL;
}

sac_status sac_jitter_run(sac_histogram *gaps, sac_histogram *wakes, const sac_jitter_desc *desc,
                          sac_error *err)
{
    sac_jitter_desc own;
    sac_jitter_desc_init(&own);
    job j = {.desc = &own};
    pthread_t thread;
    sac_status status = sac_desc_take(&own, sac_jitter_params(), desc, err);
    status = status ? status : sac_histogram_open(&j.gaps, err);
    status = status ? status : sac_histogram_open(&j.wakes, err);
    status = status ? status : sac_thread_start(&thread, own.cpu, own.priority, look, &j, err);
    if (status == SAC_OK) {
        (void)pthread_join(thread, NULL);
        if (gaps)
            sac_histogram_merge(gaps, j.gaps);
        if (wakes)
            sac_histogram_merge(wakes, j.wakes);
    }
    sac_histogram_close(&j.gaps);
    sac_histogram_close(&j.wakes);
    return status;
}
