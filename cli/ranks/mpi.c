/*
 * saccade-mpi.so: MPI in the command's terms, so that the command itself is not linked to it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/mpi.h"

#include <mpi.h>
#include <stdlib.h>

#include <saccade/base.h>

enum { DATA, TOLD }; /* tags: what is sent, what is told */

static bool start(int32_t *rank, int32_t *n, int32_t *local, int32_t *n_local)
{
    int level = MPI_THREAD_SINGLE, numbers[4];
    MPI_Comm here;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) {
        return false;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &numbers[0]);
    MPI_Comm_size(MPI_COMM_WORLD, &numbers[1]);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &numbers[2]);
    MPI_Comm_size(here, &numbers[3]);
    MPI_Comm_free(&here);
    if (level < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return false;
    }
    *rank = numbers[0], *n = numbers[1], *local = numbers[2], *n_local = numbers[3];
    return true;
}

static void share(void *data, int32_t bytes)
{
    MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void tell(const void *data, int32_t bytes, int32_t to)
{
    MPI_Send(data, bytes, MPI_BYTE, to, TOLD, MPI_COMM_WORLD);
}

static void *begin_send(const void *data, int32_t bytes, int32_t to)
{
    MPI_Request *request = malloc(sizeof(MPI_Request));
    if (request) {
        MPI_Isend(data, bytes, MPI_BYTE, to, DATA, MPI_COMM_WORLD, request);
    }
    return request;
}

static void *begin_receive(void *data, int32_t bytes, int32_t from, bool is_told)
{
    MPI_Request *request = malloc(sizeof(MPI_Request));
    if (request) {
        MPI_Irecv(data, bytes, MPI_BYTE, from, is_told ? TOLD : DATA, MPI_COMM_WORLD, request);
    }
    return request;
}

static bool is_done(void **request)
{
    int done = 1;
    if (*request) {
        MPI_Test(*request, &done, MPI_STATUS_IGNORE);
    }
    if (done) {
        free(*request);
        *request = NULL;
    }
    return done;
}

static void finish(void)
{
    MPI_Finalize();
}

extern const cli_ranks_mpi saccade_ranks_mpi;
SAC_API const cli_ranks_mpi saccade_ranks_mpi = {start,         share,   tell,  begin_send,
                                                 begin_receive, is_done, finish};
