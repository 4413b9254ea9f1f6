/*
 * saccade beamform of many frames: what all workers know.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_BEAMFORM_PARTS_H
#define CLI_BEAMFORM_PARTS_H

#include <stdatomic.h>

#include <saccade/batch.h>

#include "job.h"
#include "progress.h"

typedef struct cli_beamform_parts {
    cli_beamform_job *job;
    const sac_recording *first; /* its first frame alone, for what is known of all */
    int64_t first_frame, n_frames, n_part;
    sac_array image;   /* all frames: its shape, without memory */
    int32_t memory_mb; /* of a GPU, that each worker's plan takes at most; 0: by default */
    char *variant;     /* in use, of a worker's plan; of several kinds one, always the same */
    sac_image_parts *writer;
    cli_progress progress;
    _Atomic int64_t read_ns, write_ns, n_done;
    _Atomic bool is_lit; /* a frame shows something */
} cli_beamform_parts;

/* The callbacks of the batch, whose ctx is `p`. */
void cli_beamform_parts_workers(sac_batch_desc *desc, cli_beamform_parts *p);

/* What the image is made of, and how: who goes on with it must do the same. To be freed; NULL: no
 * memory. */
char *cli_beamform_parts_work(const cli_beamform_parts *p);

/* Of a frame or several. */
int64_t cli_beamform_parts_bytes(const sac_array *frames);

#endif
