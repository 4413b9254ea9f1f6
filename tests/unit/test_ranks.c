/*
 * Ranks without MPI: what is said where it refuses, and where there is no memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "outputs.h"
#include "ranks/agree.h"
#include "ranks/launcher.h"
#include "videos.h"

static bool refuses(int32_t *rank, int32_t *n, int32_t *local, int32_t *n_local)
{
    *rank = *local = 0, *n = *n_local = 2;
    return false;
}

static void *has_no_memory(void *data, int32_t bytes, int32_t from, bool is_told)
{
    (void)data, (void)bytes, (void)from, (void)is_told;
    return NULL;
}

static const cli_ranks_mpi mpi = {.open = refuses, .receive = has_no_memory};

const cli_ranks_mpi *cli_ranks_load(const char **why)
{
    *why = NULL;
    return &mpi;
}

const char *cli_ranks_version(void)
{
    return "of a test";
}

void cli_ranks_gpus_close(void)
{
}

bool cli_launched(int32_t *rank, int32_t *n)
{
    *rank = *n = 0; /* as by PMIx, which does not say how many there are */
    return true;
}

bool cli_interrupted(void)
{
    return false;
}

const char *cli_base_name(const char *path)
{
    return path;
}

static void refused_mpi_leaves_a_process_that_is_alone(void **unused)
{
    (void)unused;
    const cli_command command = {.name = "beamform", .shared = CLI_SHARES_FRAMES};
    assert_int_equal(cli_ranks_open(&command, 0, NULL), CLI_DONE);
    assert_int_equal(cli_rank(), 0);
    assert_int_equal(cli_ranks(), 1);
    assert_int_equal(cli_ranks_threads(0), 0);
    assert_int_equal(cli_ranks_close(CLI_DONE), CLI_DONE);
}

static void sum_without_memory_is_no_interruption(void **unused)
{
    (void)unused;
    float values[4] = {0};
    cli_ranks_run.mpi = &mpi, cli_ranks_run.n = 2;
    assert_int_equal(cli_ranks_sum(values, 4, 2), SAC_E_NOMEM);
    cli_ranks_run.mpi = NULL, cli_ranks_run.n = 1;
    free(cli_ranks_run.theirs);
    cli_ranks_run.theirs = NULL;
}

/* Each write is a packet of its own. */
static void said_line_is_one_write(void **unused)
{
    (void)unused;
    int ends[2];
    char packet[200];
    const int old = dup(STDERR_FILENO);
    assert_true(old >= 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    cli_warn("%d of %d", 1, 2);
    assert_true(dup2(old, STDERR_FILENO) >= 0);
    const ssize_t n = recv(ends[0], packet, sizeof packet - 1, 0);
    assert_true(n > 0);
    packet[n] = '\0';
    assert_string_equal(packet, "saccade: warning: 1 of 2\n");
    close(old), close(ends[0]), close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_mpi_leaves_a_process_that_is_alone),
        cmocka_unit_test(sum_without_memory_is_no_interruption),
        cmocka_unit_test(said_line_is_one_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
