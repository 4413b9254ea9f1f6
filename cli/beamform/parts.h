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
    const sac_recording *first; /* what is known of all frames, without samples */
    int64_t first_frame, n_frames, n_part;
    sac_array image;   /* all frames: its shape, without memory */
    int32_t memory_mb; /* of a GPU, that each worker's plan takes at most; 0: by default */
    char *variant;     /* in use, of a worker's plan; of several kinds one, always the same */
    sac_image_parts *writer;
    cli_progress progress;
    /* Processes that share transmits, not frames, where there are fewer parts than processes: the
     * first so many, this one from its first transmit on. 0: they share frames. */
    int32_t n_sharing, first_transmit;
    bool sums_on_gpus;    /* their images are added up from GPU to GPU */
    sac_acquisition some; /* this one's transmits, which are all that it reads */
    sac_array sum;        /* of a part: the image that is written */
    _Atomic int64_t read_ns, write_ns, n_done;
    _Atomic bool is_lit; /* a frame shows something */
} cli_beamform_parts;

/* The callbacks of the batch, whose ctx is `p`. */
void cli_beamform_parts_workers(sac_batch_desc *desc, cli_beamform_parts *p);

/* What the image is made of, and how: who goes on with it must do the same. To be freed; NULL: no
 * memory. */
char *cli_beamform_parts_work(const cli_beamform_parts *p);

/* Decides whether transmits are shared, and which this process takes; `n_parts` in all. */
void cli_beamform_parts_share_transmits(cli_beamform_parts *p, int64_t n_parts);

/* Where they are: what a worker's plan does. */
void cli_beamform_parts_some_desc(const cli_beamform_parts *p, sac_beamform_desc *desc);

/* Whether this process can add up from GPU to GPU, and that pays; the plan tells of points. */
bool cli_beamform_parts_can_sum_on_gpus(const cli_beamform_parts *p, const sac_beamform *plan);

/* Adds up this process's image of a part, where sums_on_gpus in `on_gpu`, and the others'; in rank
 * 0 *image becomes what is written. SAC_CANCELLED: the run ends. */
SAC_NODISCARD sac_status cli_beamform_parts_sum(cli_beamform_parts *p, sac_array *image,
                                                float *on_gpu, sac_error *err);

/* "no memory for an image"; returns SAC_E_NOMEM. */
sac_status cli_beamform_parts_no_memory(sac_error *err, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

/* Of a frame or several. */
int64_t cli_beamform_parts_bytes(const sac_array *frames);

#endif
