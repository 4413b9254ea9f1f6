/*
 * Inputs that are shared over several GPUs: each has workers that take the next one when they are
 * free. What is said of an input comes in the order of inputs, whoever did it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SHARE_H
#define CLI_SHARE_H

#include "json.h"

typedef struct cli_share {
    sac_device device; /* several GPUs; of another device each worker has it */
    int32_t n_workers; /* of a GPU; 0: as sac_batch has it */
    int n;             /* inputs; of processes that share them this one does its own */
    const char *what;  /* "inputs" */
    cli_json *json;    /* takes the rows, in the order of inputs; NULL: none are wanted */
    void *ctx;

    /*
     * Does input i on one device, in the worker's own thread; *own is the worker's, NULL at first.
     * Returns an exit status. Where cli_error, or cli_hear_error, told of SAC_E_DEVICE, the GPU is
     * taken out, and what was said and put in `rows` is dropped: another does input i, from its
     * beginning. Where that one fails with it, too, the input is at fault: it is told of, and
     * the GPU stays. What was done is never done again.
     */
    int (*one)(void *ctx, void **own, sac_device device, int i, cli_json *rows);
    void (*close)(void *ctx, void *own); /* NULL: there is nothing to close */
} cli_share;

/* Does all of them; *n_left: those that were not begun, after Ctrl-C. Returns the worst exit
 * status. */
int cli_share_run(const cli_share *share, int *n_left);

/* What a command whose inputs are shared takes of `--device`: what cli_ranks_device leaves it, and
 * of several GPUs that are one, this one. */
sac_device cli_share_device(sac_device device);

/* Refuses several GPUs, which share inputs, because ..: "there is one". An exit status. */
#define CLI_SHARE_SENSORS "a sensor is one (for several start a process each)"
int cli_share_refuse(const cli_command *command, sac_device device, const char *because);

#endif
