/*
 * Ranks that add up from GPU to GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/agree.h"
#include "videos.h"

/* cli_ranks_device gives it a GPU that no other rank has. */
static bool has_own_gpu(sac_device device)
{
    sac_device each[SAC_MAX_DEVICES];
    int32_t n = 0;
    const int32_t n_local = cli_ranks_run.n_local;
    if (cli_ranks_device(device).kind != SAC_DEVICE_CUDA) {
        return false;
    }
    if (device.kind == SAC_DEVICE_CUDA) {
        return n_local == 1 || (device.index == 0 && sac_gpu_count() >= n_local);
    }
    return sac_device_list(each, &n, device, NULL) == SAC_OK && n == n_local;
}

bool cli_ranks_gpus_can(sac_device device)
{
    if (cli_ranks_run.mpi && has_own_gpu(device)) {
        cli_ranks_run.nccl = cli_ranks_load_nccl();
        cli_ranks_run.gpu = cli_ranks_device(device).index;
    }
    if (cli_ranks_run.nccl && cli_ranks_run.rank == 0 &&
        !cli_ranks_run.nccl->get_key(cli_ranks_run.key)) {
        cli_ranks_run.nccl = NULL;
    }
    return cli_ranks_run.nccl;
}

float *cli_ranks_gpus_alloc(size_t n)
{
    return cli_ranks_run.nccl->alloc(cli_ranks_run.gpu, n);
}

void cli_ranks_gpus_free(float *memory)
{
    if (memory) {
        cli_ranks_run.nccl->free(memory);
    }
}

static bool is_over(void)
{
    return cli_interrupted() || cli_ranks_stopped();
}

/* Rank 0's key goes to the others, who join by it. */
static sac_status join(int32_t n_ranks, sac_error *err)
{
    const bool is_first = cli_ranks_run.rank == 0;
    sac_status st = SAC_OK;
    for (int32_t i = 1; i < n_ranks && is_first && st == SAC_OK; i++) {
        st = cli_ranks_pass(cli_ranks_run.key, sizeof cli_ranks_run.key, i, true);
    }
    st = is_first ? st : cli_ranks_pass(cli_ranks_run.key, sizeof cli_ranks_run.key, 0, false);
    if (st == SAC_OK) {
        cli_ranks_run.group = cli_ranks_run.nccl->open(cli_ranks_run.key, cli_ranks_run.rank,
                                                       n_ranks, cli_ranks_run.gpu, is_over, err);
        st = cli_ranks_run.group ? SAC_OK : err->status;
    }
    return st;
}

void cli_ranks_gpus_close(void)
{
    if (cli_ranks_run.group) {
        cli_ranks_run.nccl->close(cli_ranks_run.group);
        cli_ranks_run.group = NULL;
    }
}

sac_status cli_ranks_gpus_sum(float *sum, float *values, size_t n, int32_t n_ranks, sac_error *err)
{
    sac_status st = cli_ranks_run.group ? SAC_OK : join(n_ranks, err);
    st = st ? st : cli_ranks_run.nccl->sum(cli_ranks_run.group, sum, values, n, err);
    if (st != SAC_OK) {
        cli_ranks_gpus_close(); /* else the GPU would wait for the others, and for it who frees */
    }
    return st;
}
