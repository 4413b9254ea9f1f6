/*
 * The pictures of `saccade equalize`: read ahead, equalized together, written in order.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_EQUALIZE_FILES_H
#define CLI_EQUALIZE_FILES_H

#include <saccade/equalize.h>
#include <saccade/ladder.h>

#include "report.h"

/* What all pictures of one command share. */
typedef struct cli_equalize_job {
    sac_equalize_desc desc; /* dtype and shape become those of the last pictures */
    const char *format;     /* to write; NULL: by the ending */
    int32_t quality;        /* of lossy formats */
    int32_t max_pixels, page;
    const char *roi;    /* as it was given; NULL: whole pictures */
    int64_t w, h, x, y; /* of roi */

    bool by_hsv; /* not by a plan, but as `hsv` says */
    sac_ladder_hsv_desc hsv;

    bool is_quiet; /* standard output is another's: no summary */

    /* What is told of them; the caller's. */
    bool lists, plots;
    cli_json *stats;      /* a row a picture, where lists */
    cli_plot_pair *pairs; /* (n_pairs), from cli_grow, where plots */
    size_t n_pairs;
} cli_equalize_job;

/*
 * Equalizes inputs[i] into outputs[i]; NULL there counts as failed, and its reason has been told. A
 * bad picture is reported, and the others still done. Words and files come in the order of the
 * inputs. Returns the worst exit status.
 */
int cli_equalize_files(cli_equalize_job *job, char **inputs, char **outputs, int n);

#endif
