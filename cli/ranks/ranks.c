/*
 * Ranks: joining, what they say, and the end. agree.c has what goes between them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/ranks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "outputs.h"
#include "ranks/agree.h"
#include "ranks/launcher.h"

#define OTHERS_WAIT_S 1

cli_ranks_state cli_ranks_run = {.n = 1, .n_local = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

int32_t cli_rank(void)
{
    return cli_ranks_run.rank;
}

int32_t cli_ranks(void)
{
    return cli_ranks_run.n;
}

/* Of Linux's <linux/magic.h>: NFS and SMB keep bytes of each machine for themselves for a while. */
static bool is_of_network(long type)
{
    static const long types[] = {0x6969, 0x517b, (long)0xff534d42, (long)0xfe534d42};
    bool is = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        is = is || (uint32_t)type == (uint32_t)types[i];
    }
    return is;
}

int cli_ranks_check_folder(const char *path)
{
    struct statfs system;
    char *folder = cli_text("%.*s.", (int)(cli_base_name(path) - path), path);
    const bool is_bad = cli_ranks_run.n_local < cli_ranks_run.n && statfs(folder, &system) == 0 &&
                        is_of_network((long)system.f_type);
    free(folder);
    return is_bad ? cli_fail("`%s`: lies on NFS or SMB, where processes of several machines do not "
                             "see each other's writes: start all on one machine, or write to a "
                             "parallel file system",
                             path)
                  : CLI_DONE;
}

/* What is said here: rank 0 speaks for itself, others keep the first failure for it. Of their
 * warnings those that rank 0 does not say, too, go out: about their own work. */
static bool hear(const char *first, const char *text)
{
    const bool is_failure = first && !*first;
    if (cli_ranks_run.is_apart) {
        return false;
    }
    if (cli_ranks_run.rank == 0) {
        cli_ranks_run.has_said = cli_ranks_run.has_said || is_failure;
        return false;
    }
    if (is_failure && !cli_ranks_run.own.text[0]) {
        snprintf(cli_ranks_run.own.text, sizeof cli_ranks_run.own.text, "rank %d on %s: %s",
                 (int)cli_ranks_run.rank, cli_ranks_run.host, text);
    } else if (first && *first && cli_ranks_run.has_agreed) {
        fprintf(stderr, "saccade: %srank %d on %s: %s\n", first, (int)cli_ranks_run.rank,
                cli_ranks_run.host, text);
    }
    return true;
}

/* The program ends in the middle: nobody else would say why. */
static void say_last(void)
{
    if (cli_ranks_run.mpi && cli_ranks_run.own.text[0]) {
        fprintf(stderr, "saccade: %s\n", cli_ranks_run.own.text);
    }
}

/* FNV-1a of the build and of the words of the line. */
static uint64_t line_hash(int argc, char **argv)
{
    const sac_build build = cli_build();
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int i = -1; i < argc; i++) {
        const char *c = i < 0 ? build.commit : argv[i];
        do {
            hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
        } while (*c++);
    }
    return hash;
}

/* Rank 0 says why there is no run, and the others wait until it has: a launcher ends all when the
 * first has failed. */
static int leave(int32_t rank)
{
    if (rank > 0) {
        nanosleep(&(struct timespec){.tv_sec = OTHERS_WAIT_S}, NULL);
    }
    return CLI_FAILED;
}

static int join(int argc, char **argv, int32_t told, int32_t n)
{
    const cli_ranks_mpi *mpi = cli_ranks_run.mpi;
    if (cli_ranks_run.n == 1 && (n > 1 || told > 0)) { /* each is alone to this MPI */
        mpi->close();
        cli_ranks_run.mpi = NULL;
        return told == 0
                   ? cli_fail("a launcher has started %d processes, but MPI %s sees one: start "
                              "them by the mpirun of that MPI",
                              (int)n, cli_ranks_version())
                   : leave(told);
    }
    cli_overhears = hear;
    if (cli_ranks_run.rank > 0) {
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        cli_ranks_run.output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        (void)!dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
        atexit(say_last);
    }
    cli_ranks_begin();
    const uint64_t own = line_hash(argc, argv);
    uint64_t first = own;
    mpi->share(&first, (int32_t)sizeof first);
    return first == own ? CLI_DONE
                        : cli_fail("has another command line, or another saccade, than rank 0");
}

int cli_ranks_open(const cli_command *command, int argc, char **argv)
{
    int32_t rank, n;
    const char *why = NULL;
    if (!cli_launched(&rank, &n)) {
        return CLI_DONE;
    }
    if (!command->shared) {
        if (rank == 0 && n > 1) {
            cli_warn("%d processes were started, and each does all of it: `saccade %s` does not "
                     "share its work",
                     (int)n, command->name);
        }
        return CLI_DONE;
    }
    const cli_ranks_mpi *mpi = cli_ranks_load(&why);
    int32_t at[4];
    if (mpi && !mpi->open(&at[0], &at[1], &at[2], &at[3])) {
        why = "MPI refuses threads";
    }
    if (why) {
        return rank > 0 ? leave(rank)
               : n == 0 ? CLI_DONE /* it may be alone */
                        : cli_fail("a launcher has started %d processes, which cannot share the "
                                   "work: %s; run it without the launcher",
                                   (int)n, why);
    }
    cli_ranks_run.mpi = mpi;
    cli_ranks_run.rank = at[0], cli_ranks_run.n = at[1], cli_ranks_run.local = at[2],
    cli_ranks_run.n_local = at[3];
    gethostname(cli_ranks_run.host, sizeof cli_ranks_run.host - 1);
    return join(argc, argv, rank, n);
}

sac_device cli_ranks_device(sac_device device)
{
    sac_device each[SAC_MAX_DEVICES];
    int32_t n = 0;
    if (cli_ranks_run.n_local == 1 || device.kind == SAC_DEVICE_CPU) {
        return device;
    }
    if (device.kind == SAC_DEVICE_CUDA) {
        n = sac_gpu_count();
        return device.index == 0 && n > 0 ? (sac_device){SAC_DEVICE_CUDA, cli_ranks_run.local % n}
                                          : device;
    }
    if (sac_device_list(each, &n, device, NULL) != SAC_OK) {
        return device; /* who opens it says why */
    }
    if (n <= cli_ranks_run.n_local) {
        return each[cli_ranks_run.local % n];
    }
    uint32_t bits = 0;
    for (int32_t i = cli_ranks_run.local; i < n; i += cli_ranks_run.n_local) {
        bits |= UINT32_C(1) << each[i].index;
    }
    return (sac_device){SAC_DEVICE_CUDA_SET, (int32_t)bits};
}

int32_t cli_ranks_threads(int32_t n)
{
    const int32_t there = (int32_t)sysconf(_SC_NPROCESSORS_ONLN) / cli_ranks_run.n_local;
    const int32_t ours = sac_cpu_count(); /* a launcher may have bound it to some */
    if (n > 0 || cli_ranks_run.n_local == 1) {
        return n;
    }
    return there < 1 ? 1 : there < ours ? there : ours;
}

int cli_ranks_part_inputs(void)
{
    if (!cli_ranks_run.mpi) {
        return CLI_DONE;
    }
    const int status = cli_ranks_agree("its inputs", CLI_DONE, NULL, 0);
    if (status == CLI_DONE) {
        cli_ranks_run.is_apart = cli_ranks_run.has_said = true;
        fflush(stdout);
        if (cli_ranks_run.rank > 0) {
            (void)!dup2(cli_ranks_run.output, STDOUT_FILENO);
        }
    }
    return status;
}

bool cli_ranks_has(int64_t i)
{
    return !cli_ranks_run.is_apart || i % cli_ranks_run.n == cli_ranks_run.rank;
}

int cli_ranks_close(int status)
{
    if (!cli_ranks_run.mpi) {
        return status;
    }
    cli_ranks_run.is_last = true;
    status = cli_ranks_agree("the end", status, NULL, 0);
    if (cli_ranks_run.rank == 0 && status && !cli_ranks_run.has_said) {
        cli_fail("%s", cli_ranks_why());
    }
    fflush(stdout);
    cli_ranks_run.own.text[0] = '\0'; /* it is said */
    cli_ranks_gpus_close();
    if (!cli_ranks_part(status)) {
        _exit(status); /* MPI would wait for what never comes */
    }
    cli_ranks_run.mpi->close();
    cli_ranks_run.mpi = NULL;
    free(cli_ranks_run.theirs);
    free(cli_ranks_run.others);
    return status;
}
