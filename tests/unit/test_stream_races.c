/*
 * A shared stream's name under bad luck: processes that open it at the same moment, or are killed
 * at any, leave it free for the next one.
 * `stream_races RACES KILLS` runs so many of each.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "share_probe.h"

#define PATIENCE_NS INT64_C(60000000000) /* a process that takes longer hangs */

static int64_t n_races = 200, n_kills = 200;

/* What the processes of one round see. */
typedef struct board {
    _Atomic int n_ready, go, end;
    _Atomic int result[2];     /* 1 + status; 0: not yet */
    _Atomic int64_t n_between; /* sends and opens that were over when the kill came */
} board;

static board *open_board(void)
{
    board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(b != MAP_FAILED);
    return b;
}

/* Waits until *word is at least this; for parent and child. */
static bool await_at_least(const _Atomic int *word, int wanted)
{
    const int64_t until = sac_stream_clock_ns() + PATIENCE_NS;
    while (atomic_load(word) < wanted) {
        if (sac_stream_clock_ns() > until)
            return false;
        (void)sched_yield();
    }
    return true;
}

static void join(pid_t child)
{
    const int64_t until = sac_stream_clock_ns() + PATIENCE_NS;
    pid_t came = 0;
    while ((came = waitpid(child, NULL, WNOHANG)) == 0) {
        if (sac_stream_clock_ns() > until)
            fail_msg("process %ld hangs", (long)child);
        (void)sched_yield();
    }
    assert_int_equal(came, child);
}

static void kill_and_join(pid_t child)
{
    (void)kill(child, SIGKILL);
    join(child);
}

/* Between processes: a line for every socket whose name is this one. */
static void assert_nothing_is_left(void)
{
    char line[512], path[128];
    FILE *sockets = fopen("/proc/net/unix", "r");
    while (sockets && fgets(line, sizeof line, sockets))
        if (strstr(line, name))
            fail_msg("left behind: %s", line);
    if (sockets)
        (void)fclose(sockets);
    (void)snprintf(path, sizeof path, "/dev/shm%s", name);
    assert_int_equal(access(path, F_OK), -1);
}

static void open_and_close(void)
{
    seen of = {0};
    const sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    sac_stream_close(&s);
}

/* A child that opens when told to; who gets the name keeps it until told to end. */
static pid_t fork_opener(board *b, int id)
{
    const pid_t child = fork_child();
    if (child != 0)
        return child;
    seen of = {0};
    sac_stream *s = NULL;
    const sac_stream_desc desc = shared_desc(&of);
    atomic_fetch_add(&b->n_ready, 1);
    if (!await_at_least(&b->go, 1))
        _exit(1);
    atomic_store(&b->result[id], 1 + (int)sac_stream_open(&s, &desc, NULL));
    if (s && !await_at_least(&b->end, 1))
        _exit(1);
    sac_stream_close(&s);
    _exit(0);
}

/* Winners end by a close or by a kill, in turn. */
static void openers_at_the_same_moment_have_one_winner(void **state)
{
    (void)state;
    for (int64_t i = 0; i < n_races; i++) {
        board *b = open_board();
        const pid_t child[2] = {fork_opener(b, 0), fork_opener(b, 1)};
        assert_true(await_at_least(&b->n_ready, 2));
        atomic_store(&b->go, 1);
        assert_true(await_at_least(&b->result[0], 1) && await_at_least(&b->result[1], 1));
        const int first = atomic_load(&b->result[0]) - 1, second = atomic_load(&b->result[1]) - 1;
        const int winner = first == SAC_OK ? 0 : 1;
        if ((first == SAC_OK) + (second == SAC_OK) != 1 || first + second != (int)SAC_E_IO)
            fail_msg("race %lld: %s and %s", (long long)i, sac_status_name((sac_status)first),
                     sac_status_name((sac_status)second));
        if (i % 2 == 0)
            kill_and_join(child[winner]);
        atomic_store(&b->end, 1);
        if (i % 2 != 0)
            join(child[winner]);
        join(child[!winner]);
        (void)munmap(b, sizeof *b);
    }
    open_and_close();
    assert_nothing_is_left();
    printf("%lld races, one winner each\n", (long long)n_races);
}

/* Until a moment within the next 2 ms. */
static void await_some_moment(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    const int64_t until = sac_stream_clock_ns() + (int64_t)(*random % 2000000);
    while (sac_stream_clock_ns() < until)
        (void)sched_yield();
}

/* Opens and closes until it is killed. */
static pid_t fork_opening(board *b)
{
    const pid_t child = fork_child();
    if (child != 0)
        return child;
    for (;;) {
        seen of = {0};
        sac_stream *s = NULL;
        const sac_stream_desc desc = shared_desc(&of);
        atomic_store(&b->n_ready, 1);
        if (sac_stream_open(&s, &desc, NULL))
            _exit(1);
        sac_stream_close(&s);
        atomic_fetch_add(&b->n_between, 1);
    }
}

/* Attaches, sends and detaches until it is killed or told to end, whether there is a stream or not.
 */
static pid_t fork_attaching(board *b)
{
    const pid_t child = fork_child();
    if (child != 0)
        return child;
    while (atomic_load(&b->end) == 0) {
        sac_producer *p = NULL;
        atomic_store(&b->n_ready, 1);
        if (sac_producer_attach(&p, name, FRAME_BYTES, NULL) != SAC_OK)
            continue;
        for (uint64_t i = 0; i < 4; i++) {
            probe_fill(sac_producer_slot(p), i);
            if (sac_producer_send(p, 0) == SAC_OK)
                atomic_fetch_add(&b->n_between, 1);
        }
        sac_producer_detach(&p);
    }
    _exit(0);
}

static void opener_killed_at_any_moment_leaves_the_name_free(void **state)
{
    (void)state;
    uint64_t random = 17;
    int64_t n_opens = 0;
    board *with = open_board();
    const pid_t attaching = fork_attaching(with);
    for (int64_t i = 0; i < n_kills; i++) {
        board *b = open_board();
        const pid_t child = fork_opening(b);
        assert_true(await_at_least(&b->n_ready, 1));
        await_some_moment(&random);
        kill_and_join(child);
        n_opens += atomic_load(&b->n_between);
        open_and_close();
        (void)munmap(b, sizeof *b);
    }
    atomic_store(&with->end, 1);
    join(attaching);
    assert_nothing_is_left();
    printf("%lld openers killed after %lld opens; meanwhile %lld frames were sent\n",
           (long long)n_kills, (long long)n_opens, (long long)atomic_load(&with->n_between));
    (void)munmap(with, sizeof *with);
}

static void producer_killed_at_any_moment_leaves_its_place_free(void **state)
{
    (void)state;
    uint64_t random = 23;
    int64_t n_sent = 0;
    seen of = {.wild = true};
    const sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    for (int64_t i = 0; i < n_kills; i++) {
        board *b = open_board();
        const pid_t child = fork_attaching(b);
        assert_true(await_at_least(&b->n_ready, 1));
        await_some_moment(&random);
        kill_and_join(child);
        sac_producer *p = attach();
        probe_fill(sac_producer_slot(p), 0);
        assert_int_equal(sac_producer_send(p, 0), SAC_OK);
        sac_producer_detach(&p);
        n_sent += atomic_load(&b->n_between) + 1;
        (void)munmap(b, sizeof *b);
    }
    sac_stream_stop(s);
    const sac_stream_counts c = counts_of_stream(s);
    assert_true(counts_agree(&c));
    assert_in_range(c.received - n_sent, 0, n_kills); /* a send each may have been over, or not */
    assert_int_equal(c.processed, c.received);
    assert_whole(&of);
    sac_stream_close(&s);
    assert_nothing_is_left();
    printf("%lld producers killed, %lld frames received\n", (long long)n_kills,
           (long long)c.received);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        n_races = atoll(argv[1]);
        n_kills = atoll(argv[2]);
    }
    if ((argc != 1 && argc != 3) || n_races < 1 || n_kills < 1) {
        fprintf(stderr, "Usage: stream_races [RACES KILLS]\n");
        return 2;
    }
    make_name();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openers_at_the_same_moment_have_one_winner),
        cmocka_unit_test(opener_killed_at_any_moment_leaves_the_name_free),
        cmocka_unit_test(producer_killed_at_any_moment_leaves_its_place_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
