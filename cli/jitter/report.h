/*
 * What saccade jitter saw, for its report and its picture.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_JITTER_REPORT_H
#define CLI_JITTER_REPORT_H

#include <saccade/jitter.h>

#include "json.h"

typedef struct cli_jitter_seen {
    sac_jitter_desc desc;
    sac_histogram *gaps, *late; /* as sac_jitter_run fills them */
    double load;                /* of the last minute, when it began; below 0: not known */
} cli_jitter_seen;

/* Gaps as long as this and longer. */
typedef struct cli_jitter_tail {
    double count, ns; /* how many, and how long together */
} cli_jitter_tail;

cli_jitter_tail cli_jitter_beyond(const sac_histogram *gaps, int64_t ns);

void cli_jitter_print(const cli_jitter_seen *jitter);
int cli_jitter_json(const cli_jitter_seen *jitter, const char *path); /* an exit status */

/* A member that is an object: count, mean, quantiles and maximum, in ns. */
void cli_json_histogram(cli_json *json, const char *name, const sac_histogram *histogram);

/* Draws to `path`, by its ending. SAC_E_IO, SAC_E_UNSUPPORTED, SAC_E_NOMEM. */
SAC_NODISCARD sac_status cli_jitter_plot(const cli_jitter_seen *jitter, const char *path,
                                         sac_error *err);

#endif
