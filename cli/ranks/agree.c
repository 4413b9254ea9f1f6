/*
 * What goes between ranks. In each round all others tell rank 0 how they have ended, and it tells
 * them the outcome; where one has failed, at once, so that nobody works on in vain. Where inputs
 * are shared nobody does, unless a signal has come.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/agree.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "videos.h"

#define NAP_NS 200000                          /* between two looks, while there is nothing to do */
#define AWAKE_NS INT64_C(20000000)             /* MPI moves data only while it is polled */
#define PATIENCE_NS INT64_C(400000000)         /* with ranks that may be dead: after a signal */
#define OTHERS_PATIENCE_NS INT64_C(5000000000) /* with rank 0, which may have to wait itself */
#define CHUNK (INT32_C(1) << 22)               /* values that are sent at once */

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

/* The run ends: all that wait, or work, are told. */
static void condemn(int32_t rank, int32_t status)
{
    if (cli_ranks_run.is_over) {
        return;
    }
    cli_ranks_run.is_over = true;
    cli_ranks_run.at_fault = rank;
    cli_ranks_run.word.status = status;
    cli_ranks_run.word.is_over = true;
    for (int32_t i = 1; i < cli_ranks_run.n; i++) {
        cli_ranks_run.mpi->tell(&cli_ranks_run.word, (int32_t)sizeof cli_ranks_run.word, i);
    }
}

static bool ends_all(const cli_ranks_record *record)
{
    return record->status != CLI_DONE && (!cli_ranks_run.is_apart || record->is_interrupted);
}

/* Of rank 0: whether all others have come to the end of this round. */
static bool hear_records(void)
{
    int32_t n = 1;
    for (int32_t i = 1; i < cli_ranks_run.n; i++) {
        cli_ranks_other *other = &cli_ranks_run.others[i];
        if (!other->has_come && cli_ranks_run.mpi->is_done(&other->request)) {
            other->has_come = true;
            if (ends_all(&other->record)) {
                condemn(i, other->record.status);
            }
        }
        n += other->has_come;
    }
    return n == cli_ranks_run.n;
}

/* Of the others: whether rank 0 has spoken. */
static bool hear_word(void)
{
    if (!cli_ranks_run.has_word && cli_ranks_run.mpi->is_done(&cli_ranks_run.request)) {
        cli_ranks_run.has_word = true;
        cli_ranks_run.is_over = cli_ranks_run.word.is_over;
    }
    return cli_ranks_run.has_word;
}

static bool hear(void)
{
    return cli_ranks_run.rank == 0 ? hear_records() : hear_word();
}

static void *expect(void *data, size_t bytes, int32_t from)
{
    void *request = cli_ranks_run.mpi->receive(data, (int32_t)bytes, from, true);
    if (!request) {
        exit(cli_fail("out of memory"));
    }
    return request;
}

/* What comes in the next round. */
static void listen(void)
{
    if (cli_ranks_run.rank > 0) {
        cli_ranks_run.has_word = false;
        cli_ranks_run.request = expect(&cli_ranks_run.word, sizeof cli_ranks_run.word, 0);
        return;
    }
    for (int32_t i = 1; i < cli_ranks_run.n; i++) {
        cli_ranks_other *other = &cli_ranks_run.others[i];
        other->has_come = false;
        other->request = expect(&other->record, sizeof other->record, i);
    }
}

void cli_ranks_begin(void)
{
    cli_ranks_run.others = cli_grow(NULL, 0, (size_t)cli_ranks_run.n, sizeof *cli_ranks_run.others);
    listen();
}

/* After a signal the launcher ends all soon, and some may be dead already. */
static bool has_patience(void)
{
    const int64_t most = cli_ranks_run.rank == 0 ? PATIENCE_NS : OTHERS_PATIENCE_NS;
    if (!cli_interrupted()) {
        return true;
    }
    cli_ranks_run.interrupted_ns =
        cli_ranks_run.interrupted_ns ? cli_ranks_run.interrupted_ns : cli_clock_ns();
    return cli_clock_ns() - cli_ranks_run.interrupted_ns < most;
}

bool cli_ranks_stopped(void)
{
    if (!cli_ranks_run.mpi) {
        return false;
    }
    pthread_mutex_lock(&cli_ranks_run.lock);
    if (!cli_ranks_run.is_settled) {
        hear();
    }
    const bool is_over = cli_ranks_run.is_over;
    pthread_mutex_unlock(&cli_ranks_run.lock);
    return is_over;
}

/* Until `done` says so. False: those that it waits for seem to be dead. */
static bool wait_until(bool (*done)(void))
{
    bool is_done = false;
    while (!is_done && has_patience()) {
        pthread_mutex_lock(&cli_ranks_run.lock);
        is_done = done();
        pthread_mutex_unlock(&cli_ranks_run.lock);
        if (!is_done) {
            nap();
        }
    }
    return is_done;
}

static void tell_outcome(void)
{
    for (int32_t i = 1; i < cli_ranks_run.n; i++) {
        const int32_t status = cli_ranks_run.others[i].record.status;
        cli_ranks_run.word.status =
            status > cli_ranks_run.word.status ? status : cli_ranks_run.word.status;
    }
    for (int32_t i = 1; i < cli_ranks_run.n; i++) {
        cli_ranks_run.mpi->tell(&cli_ranks_run.word, (int32_t)sizeof cli_ranks_run.word, i);
    }
}

/* All are there: whoever is at something else must not go on. */
static void compare(const char *what)
{
    for (int32_t i = 1; i < cli_ranks_run.n && !cli_ranks_run.is_over; i++) {
        cli_ranks_record *other = &cli_ranks_run.others[i].record;
        if (strncmp(other->what, what, sizeof other->what - 1) != 0) {
            snprintf(other->text, sizeof other->text, "rank %d is at %.63s, rank 0 at %.63s",
                     (int)i, other->what, what);
            condemn(i, CLI_FAILED);
        }
    }
}

static void add_up(int64_t *sums, int n)
{
    for (int32_t i = 1; i < cli_ranks_run.n; i++) {
        for (int k = 0; k < n && cli_ranks_run.others[i].has_come; k++) {
            sums[k] += cli_ranks_run.others[i].record.sums[k];
        }
    }
    cli_ranks_run.word = (cli_ranks_word){.status = cli_ranks_run.word.status};
    for (int k = 0; k < n; k++) {
        cli_ranks_run.word.sums[k] = sums[k];
    }
}

static bool lead(const char *what, int64_t *sums, int n)
{
    const int32_t status = cli_ranks_run.own.status;
    if (ends_all(&cli_ranks_run.own)) {
        pthread_mutex_lock(&cli_ranks_run.lock);
        condemn(0, status);
        pthread_mutex_unlock(&cli_ranks_run.lock);
    }
    if (!wait_until(hear)) {
        cli_ranks_run.is_torn = true;
        condemn(0, CLI_FAILED);
    }
    compare(what);
    add_up(sums, n);
    if (!cli_ranks_run.is_over) {
        cli_ranks_run.word.status = status;
        tell_outcome();
    }
    return !cli_ranks_run.is_over;
}

static bool follow(const char *what, int64_t *sums, int n)
{
    snprintf(cli_ranks_run.own.what, sizeof cli_ranks_run.own.what, "%s", what);
    for (int k = 0; k < n; k++) {
        cli_ranks_run.own.sums[k] = sums[k];
    }
    cli_ranks_run.mpi->tell(&cli_ranks_run.own, (int32_t)sizeof cli_ranks_run.own, 0);
    if (!wait_until(hear)) {
        cli_ranks_run.is_torn = cli_ranks_run.is_over = true;
        cli_ranks_run.word.status = CLI_FAILED;
    }
    for (int k = 0; k < n && !cli_ranks_run.is_over; k++) {
        sums[k] = cli_ranks_run.word.sums[k];
    }
    return !cli_ranks_run.is_over;
}

int cli_ranks_agree(const char *what, int status, int64_t *sums, int n)
{
    if (!cli_ranks_run.mpi) {
        return status;
    }
    if (cli_ranks_run.is_settled) {
        return cli_ranks_run.word.status;
    }
    cli_ranks_run.own.status = status;
    cli_ranks_run.own.is_interrupted = cli_interrupted();
    const bool is_on = cli_ranks_run.rank == 0 ? lead(what, sums, n) : follow(what, sums, n);
    cli_ranks_run.is_settled = !is_on || cli_ranks_run.is_last;
    cli_ranks_run.has_agreed = true;
    if (!cli_ranks_run.is_settled) {
        listen();
    }
    return cli_ranks_run.word.status;
}

const char *cli_ranks_why(void)
{
    const char *text =
        cli_ranks_run.at_fault ? cli_ranks_run.others[cli_ranks_run.at_fault].record.text : "";
    return *text ? text : "a process of this run has ended early";
}

/* What was begun has come, or gone. SAC_CANCELLED: the run ends. */
static sac_status finish(void *request)
{
    const int64_t start_ns = cli_clock_ns();
    bool is_done = false;
    while (!is_done) {
        pthread_mutex_lock(&cli_ranks_run.lock);
        is_done = cli_ranks_run.mpi->is_done(&request);
        pthread_mutex_unlock(&cli_ranks_run.lock);
        if (!is_done && (cli_interrupted() || cli_ranks_stopped())) {
            cli_ranks_run.is_torn = true;
            return SAC_CANCELLED;
        }
        if (!is_done && cli_clock_ns() - start_ns < AWAKE_NS) {
            sched_yield();
        } else if (!is_done) {
            nap();
        }
    }
    return SAC_OK;
}

sac_status cli_ranks_pass(void *data, size_t bytes, int32_t rank, bool gives)
{
    pthread_mutex_lock(&cli_ranks_run.lock);
    void *request = gives ? cli_ranks_run.mpi->send(data, (int32_t)bytes, rank)
                          : cli_ranks_run.mpi->receive(data, (int32_t)bytes, rank, false);
    pthread_mutex_unlock(&cli_ranks_run.lock);
    return request ? finish(request) : SAC_E_NOMEM;
}

static void add(float *restrict to, const float *restrict from, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        to[i] += from[i];
    }
}

sac_status cli_ranks_sum(float *values, size_t n, int32_t n_ranks)
{
    const bool is_first = cli_ranks_run.rank == 0;
    if (is_first && !cli_ranks_run.theirs) {
        cli_ranks_run.theirs = malloc(CHUNK * sizeof *cli_ranks_run.theirs);
    }
    sac_status st = cli_ranks_run.theirs || !is_first ? SAC_OK : SAC_E_NOMEM;
    for (size_t at = 0; at < n && st == SAC_OK && cli_ranks_run.rank < n_ranks; at += CHUNK) {
        const int32_t some = n - at < CHUNK ? (int32_t)(n - at) : CHUNK;
        const size_t bytes = (size_t)some * sizeof *values;
        for (int32_t i = 1; i < n_ranks && st == SAC_OK && is_first; i++) {
            st = cli_ranks_pass(cli_ranks_run.theirs, bytes, i, false);
            if (st == SAC_OK) {
                add(values + at, cli_ranks_run.theirs, some);
            }
        }
        st = is_first ? st : cli_ranks_pass(values + at, bytes, 0, true);
    }
    return st;
}

bool cli_ranks_part(int32_t status)
{
    if (status == CLI_DONE) {
        return true;
    }
    if (cli_ranks_run.rank == 0) {
        for (int32_t i = 1; i < cli_ranks_run.n; i++) {
            cli_ranks_run.mpi->tell(&status, (int32_t)sizeof status, i);
        }
    } else if (cli_ranks_run.has_word) {
        const int64_t start_ns = cli_clock_ns();
        int32_t word;
        void *request = cli_ranks_run.mpi->receive(&word, (int32_t)sizeof word, 0, true);
        while (request && !cli_ranks_run.mpi->is_done(&request) &&
               cli_clock_ns() - start_ns < OTHERS_PATIENCE_NS) {
            nap();
        }
        cli_ranks_run.is_torn = cli_ranks_run.is_torn || request;
    }
    return !cli_ranks_run.is_torn;
}
