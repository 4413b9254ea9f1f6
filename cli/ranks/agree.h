/*
 * Ranks: what each of them knows.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RANKS_AGREE_H
#define CLI_RANKS_AGREE_H

#include <pthread.h>

#include "ranks/mpi.h"
#include "ranks/nccl.h"
#include "ranks/ranks.h"

/* What a rank tells rank 0 when it has come to an end of its work. */
typedef struct cli_ranks_record {
    int32_t status;
    bool is_interrupted;
    char what[64], text[600]; /* text: of a failure */
    int64_t sums[CLI_RANKS_SUMS];
} cli_ranks_record;

/* What rank 0 tells the others then. */
typedef struct cli_ranks_word {
    int32_t status;
    bool is_over;                 /* the run ends: this may come early */
    int64_t sums[CLI_RANKS_SUMS]; /* of all */
} cli_ranks_word;

typedef struct cli_ranks_other {
    cli_ranks_record record;
    void *request; /* until it has come */
    bool has_come;
} cli_ranks_other;

typedef struct cli_ranks_state {
    const cli_ranks_mpi *mpi; /* NULL: this process is alone */
    int32_t rank, n, local, n_local;
    char host[65];
    pthread_mutex_t lock; /* of all calls of mpi, and of what is below */
    cli_ranks_record own;
    cli_ranks_other *others; /* (n) of rank 0 */
    void *request;           /* of the others: rank 0's word */
    cli_ranks_word word;
    bool has_word;
    int32_t at_fault;                   /* of rank 0: who has failed first */
    bool is_over, is_settled;           /* the run ends; and nothing of it is to come any more */
    bool is_torn;                       /* something was begun that nobody waits for */
    bool has_said, has_agreed, is_last; /* is_last: the next round */
    bool is_apart;                      /* inputs are shared */
    int output;                         /* standard output, which leads nowhere meanwhile */
    float *theirs;              /* of rank 0: what has come of an image; something may still come */
    const cli_ranks_nccl *nccl; /* NULL: sums go through the memory of the CPUs */
    int32_t gpu;                /* this rank's, where there is nccl */
    char key[CLI_RANKS_NCCL_KEY];
    void *group;            /* of it; NULL until the first sum */
    int64_t interrupted_ns; /* when that was seen; 0: it was not */
} cli_ranks_state;

extern cli_ranks_state cli_ranks_run;

/* Listens for what the others will tell. */
void cli_ranks_begin(void);

/* Gives rank number `rank` some data, or takes it. The one and the other at the same time.
 * SAC_CANCELLED: the run ends; SAC_E_NOMEM. */
sac_status cli_ranks_pass(void *data, size_t bytes, int32_t rank, bool gives);

/* Rank 0 has said what there was to say, and the others wait for that. False: something is left
 * that MPI would wait for. */
bool cli_ranks_part(int32_t status);

#endif
