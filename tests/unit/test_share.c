/*
 * Inputs over several workers, each of which would have a GPU: what is said, and what becomes of
 * inputs whose GPU fails.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "ranks/ranks.h"
#include "share.h"
#include "videos.h"

enum { N = 40, WORKERS = 3 };

typedef struct job {
    int lose;              /* workers that are lost, each in its second input */
    int fails_at, ends_at; /* an input that is bad; one with which Ctrl-C comes; -1: none */
    int breaks_at;         /* one whose work can go on no GPU; -1: none */
    int last_at;           /* one that is lost when the next one is written; -1: none */
    atomic_int n_lost, n_open;
    atomic_int written[N]; /* how often */
} job;

static atomic_bool is_interrupted;

bool cli_interrupted(void)
{
    return atomic_load(&is_interrupted);
}

int32_t cli_rank(void)
{
    return 0;
}

int32_t cli_ranks(void)
{
    return 1;
}

bool cli_ranks_stopped(void)
{
    return false;
}

sac_device cli_ranks_device(sac_device device)
{
    return device;
}

/* As if there were so many. */
static int32_t n_gpus = 1;

sac_status sac_device_list(sac_device out[SAC_MAX_DEVICES], int32_t *n, sac_device device,
                           sac_error *err)
{
    (void)device;
    (void)err;
    for (*n = 0; *n < n_gpus; ++*n) {
        out[*n] = (sac_device){SAC_DEVICE_CUDA, *n};
    }
    return SAC_OK;
}

static int fail_launch(const char *why)
{
    sac_error err = {.status = SAC_E_DEVICE};
    snprintf(err.text, sizeof err.text, "%s", why);
    return cli_error(&err);
}

/* Whether input i of this job is one that never is done, once its time has come. */
static bool is_lost(job *j, int i)
{
    while (i == j->last_at && atomic_load(&j->written[i + 1]) == 0) {
        sched_yield();
    }
    return i == j->last_at;
}

static int one(void *ctx, void **own, sac_device device, int i, cli_json *rows)
{
    job *j = ctx;
    int *n = *own;
    (void)device;
    if (!n) {
        *own = n = calloc(1, sizeof *n);
        atomic_fetch_add(&j->n_open, 1);
    }
    cli_note("input %d", i);
    fprintf(cli_out(), "begun %d\n", i);
    cli_json_object(rows, NULL);
    cli_json_int(rows, "input", i);
    if (i == j->breaks_at) {
        return fail_launch("a launch of no threads");
    }
    if (is_lost(j, i) || (++*n == 2 && atomic_fetch_add(&j->n_lost, 1) < j->lose)) {
        return fail_launch("fell off the bus");
    }
    cli_json_end_object(rows);
    atomic_fetch_add(&j->written[i], 1);
    if (i == j->ends_at) {
        atomic_store(&is_interrupted, true);
    }
    return i == j->fails_at ? cli_fail("`%d`: is bad", i) : CLI_DONE;
}

static void close_one(void *ctx, void *own)
{
    job *j = ctx;
    free(own);
    atomic_fetch_sub(&j->n_open, 1);
}

/* What a run left on standard error and output, and its rows. */
typedef struct told {
    char said[1 << 14], printed[1 << 12], rows[1 << 14];
    int status, n_left;
} told;

static void read_all(char *text, size_t size, FILE *file)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void run(told *t, job *j)
{
    FILE *file[2] = {tmpfile(), tmpfile()};
    const int kept[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    const cli_share share = {.n_workers = WORKERS,
                             .n = N,
                             .what = "inputs",
                             .json = &(cli_json){0},
                             .ctx = j,
                             .one = one,
                             .close = close_one};
    memset(t, 0, sizeof *t);
    atomic_store(&is_interrupted, false);
    cli_json_open(share.json);
    cli_json_array(share.json, NULL);
    fflush(stdout);
    dup2(fileno(file[0]), STDOUT_FILENO);
    dup2(fileno(file[1]), STDERR_FILENO);
    t->status = cli_share_run(&share, &t->n_left);
    fflush(stdout);
    dup2(kept[0], STDOUT_FILENO);
    dup2(kept[1], STDERR_FILENO);
    close(kept[0]);
    close(kept[1]);
    cli_json_end_array(share.json);
    fflush(share.json->file);
    snprintf(t->rows, sizeof t->rows, "%s", share.json->text);
    cli_json_discard(share.json);
    read_all(t->printed, sizeof t->printed, file[0]);
    read_all(t->said, sizeof t->said, file[1]);
    assert_int_equal(atomic_load(&j->n_open), 0);
}

/* Each of the first n numbers once, in its order. */
static void assert_in_order(const char *text, const char *before, const char *after, int n)
{
    for (int i = 0; i < n; i++) {
        char line[32];
        snprintf(line, sizeof line, "%s%d%s", before, i, after);
        const char *at = strstr(text, line);
        assert_non_null(at);
        text = at + strlen(line);
        assert_null(strstr(text, line));
    }
}

static job job_of(int lose)
{
    return (job){.lose = lose, .fails_at = -1, .ends_at = -1, .breaks_at = -1, .last_at = -1};
}

static void share_inputs_are_done_once_and_told_in_order(void **state)
{
    job j = job_of(0);
    told t;
    (void)state;
    run(&t, &j);
    assert_int_equal(t.status, CLI_DONE);
    assert_int_equal(t.n_left, 0);
    for (int i = 0; i < N; i++) {
        assert_int_equal(j.written[i], 1);
    }
    assert_in_order(t.said, "saccade: input ", "\n", N);
    assert_in_order(t.printed, "begun ", "\n", N);
    assert_in_order(t.rows, "\"input\": ", "\n", N);
    assert_int_equal(t.rows[1 + strspn(t.rows + 1, " \n")], '{'); /* and no comma */
}

static void share_bad_input_spares_the_others(void **state)
{
    job j = job_of(0);
    told t;
    (void)state;
    j.fails_at = 7;
    run(&t, &j);
    assert_int_equal(t.status, CLI_FAILED);
    assert_in_order(t.said, "saccade: input ", "\n", N);
    assert_non_null(strstr(t.said, "saccade: input 7\nsaccade: `7`: is bad\nsaccade: input 8\n"));
}

/* Of each that is lost nothing is heard but that it is, and its input is done once. */
static void share_inputs_of_lost_gpus_are_done_by_the_others(void **state)
{
    told t;
    (void)state;
    for (int lose = 1; lose < WORKERS; lose++) {
        job j = job_of(lose);
        run(&t, &j);
        assert_int_equal(t.status, CLI_DONE);
        for (int i = 0; i < N; i++) {
            assert_int_equal(j.written[i], 1);
        }
        assert_in_order(t.said, "saccade: input ", "\n", N);
        assert_in_order(t.rows, "\"input\": ", "\n", N);
        assert_null(strstr(t.said, "bus"));
    }
}

static void share_without_any_gpu_left_says_what_was_not_done(void **state)
{
    job j = job_of(WORKERS);
    told t;
    (void)state;
    run(&t, &j);
    assert_int_equal(t.status, CLI_FAILED);
    assert_non_null(strstr(t.said, "saccade: fell off the bus\n"));
    assert_non_null(strstr(t.said, " of 40 inputs were not done\n"));
    assert_int_equal(j.written[N - 1], 0);
}

/* Input 3 is lost by each worker, when input 4 was written: which is told of. */
static void share_without_any_gpu_left_tells_what_was_done(void **state)
{
    job j = job_of(0);
    told t;
    char line[80];
    int n = 0;
    (void)state;
    j.last_at = 3;
    run(&t, &j);
    for (int i = 0; i < N; i++) {
        n += j.written[i];
        snprintf(line, sizeof line, "begun %d\n", i);
        assert_int_equal(strstr(t.printed, line) != NULL, j.written[i]);
        snprintf(line, sizeof line, "\"input\": %d\n", i);
        assert_int_equal(strstr(t.rows, line) != NULL, j.written[i]);
    }
    assert_int_equal(j.written[4], 1);
    assert_int_equal(t.status, CLI_FAILED);
    snprintf(line, sizeof line, "saccade: fell off the bus\nsaccade: %d of 40 inputs were", N - n);
    assert_non_null(strstr(t.said, line));
    assert_non_null(strstr(strstr(t.said, "saccade: input 4\n"), line));
}

static void share_input_that_no_gpu_takes_spares_the_others(void **state)
{
    told t;
    (void)state;
    for (n_gpus = 2; n_gpus <= 3; n_gpus++) {
        job j = job_of(0);
        j.breaks_at = 7;
        run(&t, &j);
        assert_int_equal(t.status, CLI_FAILED);
        for (int i = 0; i < N; i++) {
            assert_int_equal(j.written[i], i != 7);
        }
        assert_in_order(t.said, "saccade: input ", "\n", N);
        assert_non_null(
            strstr(t.said, "input 7\nsaccade: a launch of no threads\nsaccade: input 8\n"));
        assert_null(strstr(t.said, "not done"));
    }
    n_gpus = 1;
}

static void share_interrupted_leaves_the_rest(void **state)
{
    job j = job_of(0);
    told t;
    (void)state;
    j.ends_at = 5;
    run(&t, &j);
    assert_int_equal(t.status, CLI_FAILED);
    int n = 0;
    for (int i = 0; i < N; i++) {
        n += j.written[i];
    }
    assert_int_equal(t.n_left, N - n);
    assert_true(t.n_left > 0);
}

static void share_is_refused_where_there_is_nothing_to_share(void **state)
{
    static const cli_command command = {.name = "heatmap"};
    (void)state;
    assert_int_equal(
        cli_share_refuse(&command, (sac_device){SAC_DEVICE_CUDA_SET, -1}, "there is one"),
        CLI_USAGE);
    assert_int_equal(cli_share_refuse(&command, (sac_device){SAC_DEVICE_CUDA, 1}, "there is one"),
                     CLI_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(share_inputs_are_done_once_and_told_in_order),
        cmocka_unit_test(share_bad_input_spares_the_others),
        cmocka_unit_test(share_inputs_of_lost_gpus_are_done_by_the_others),
        cmocka_unit_test(share_without_any_gpu_left_says_what_was_not_done),
        cmocka_unit_test(share_without_any_gpu_left_tells_what_was_done),
        cmocka_unit_test(share_input_that_no_gpu_takes_spares_the_others),
        cmocka_unit_test(share_interrupted_leaves_the_rest),
        cmocka_unit_test(share_is_refused_where_there_is_nothing_to_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
