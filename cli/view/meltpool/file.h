/*
 * Files of melt-pool frames as a source of saccade view.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_FILE_H
#define CLI_VIEW_MELTPOOL_FILE_H

#include "meltpool/job.h"
#include "view/kind.h"

typedef struct pool_file pool_file;

extern const view_kind pool_file_kind;

/* Opens the job, and reads what its file has. `job` must stay, and is closed with it. Returns an
 * exit status; a file must be closed in any case. */
int pool_file_open(pool_file **out, cli_meltpool_job *job, bool is_sure);
view_scene *pool_file_common(pool_file *file);
void pool_file_close(pool_file **file);

#endif
