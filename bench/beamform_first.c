/*
 * bench_beamform: what a program pays for its first picture on a GPU. Each time is of a new
 * process, which makes the device's context, then opens a plan and runs it; or ends at once, since
 * the end of a context takes long by itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "beamform_gpu.h"
#include "beamform_rows.h"

#define N_PROCESSES 7
#define CONFIGURATION "A-32"

typedef enum step { CONTEXT, OPEN, FIRST, SECOND, END, ALONE, N_TIMES } step;
enum { N_STEPS = ALONE };
static const char *const names[N_TIMES] = {"context alone",  "open after a context",
                                           "first run",      "second run",
                                           "close and exit", "exit of a context alone"};
static const char *const heads[] = {"<",          "context alone",  "open",          "first run",
                                    "second run", "close and exit", "context's exit"};

/* In a process of its own: when each step began. Without work it makes a context alone. */
static void take_steps(int64_t at[N_STEPS + 1], const bench_work *w, sac_device device)
{
    sac_error err = {0};
    sac_beamform *plan = NULL;
    at[CONTEXT] = sac_clock_ns();
    if (bench_make_context(device.index) != SAC_OK)
        exit(cli_fail("cuda:%d: no context", device.index));
    for (int k = OPEN; k <= END; k++)
        at[k] = sac_clock_ns();
    if (!w)
        return;
    sac_beamform_desc desc = w->desc;
    desc.device = device;
    desc.output = SAC_OUTPUT_BMODE;
    at[OPEN] = sac_clock_ns();
    bench_must(sac_beamform_open(&plan, &desc, &err), CONFIGURATION, &err);
    sac_array out = sac_beamform_get_output_array(plan);
    out.data = cli_grow(NULL, 0, (size_t)sac_array_count(&out), sac_dtype_size(out.dtype));
    for (int k = FIRST; k < END; k++) {
        at[k] = sac_clock_ns();
        bench_must(sac_beamform_run(plan, &out, &w->in, &err), CONFIGURATION, &err);
    }
    at[END] = sac_clock_ns();
    sac_beamform_close(&plan);
    free(out.data);
}

/* False: the process failed, and has said why. */
static bool time_process(int64_t ns[N_STEPS], const bench_work *w, sac_device device)
{
    int64_t at[N_STEPS + 1] = {0};
    int ends[2], status = 1;
    fflush(NULL);
    const pid_t child = pipe(ends) ? -1 : fork();
    if (child == 0) {
        take_steps(at, w, device);
        exit(write(ends[1], at, sizeof at) != sizeof at);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    at[N_STEPS] = sac_clock_ns();
    const bool came = status == 0 && read(ends[0], at, sizeof *at * N_STEPS) > 0;
    for (int i = 0; i < N_STEPS; i++)
        ns[i] = at[i + 1] - at[i];
    close(ends[0]);
    close(ends[1]);
    return came;
}

int bench_run_first(bench *b, sac_device device)
{
    int64_t ns[N_STEPS], all[N_TIMES][N_PROCESSES];
    cli_table table;
    bench_work w;
    const bench_case *c = bench_rows;
    while (strcmp(c->name, CONFIGURATION) != 0)
        c++;
    bench_open_geometry(&w, c);
    bench_open_data(&w);
    for (int i = 0; i < N_PROCESSES; i++) {
        if (!time_process(ns, &w, device))
            return CLI_FAILED;
        for (int k = 0; k < N_STEPS; k++)
            all[k][i] = ns[k];
        if (!time_process(ns, NULL, device))
            return CLI_FAILED;
        all[ALONE][i] = ns[END];
    }
    cli_json_open_rows(&b->json, 0, device); /* which asks the GPU its name */
    cli_table_open(&table, heads, sizeof heads / sizeof heads[0]);
    cli_table_row(&table);
    cli_table_cell(&table, 0, "%s, new processes", CONFIGURATION);
    for (int k = 0; k < N_TIMES; k++) {
        bench_row row = {.work = &w, .error = -1};
        bench_take_times(&row, all[k], N_PROCESSES);
        snprintf(row.device, sizeof row.device, "cuda:%d", device.index);
        snprintf(row.what, sizeof row.what, "first picture: %s", names[k]);
        cli_table_time(&table, 1 + k, row.median_ns);
        bench_put_json(&b->json, &row);
    }
    cli_table_print(&table, b->text);
    bench_close_work(&w);
    return cli_json_end(&b->json, b->options->json);
}
