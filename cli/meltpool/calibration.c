/*
 * Where the laser is in the picture: a calibration by name, of a file of text, or of the input.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALIBRATION_BYTES 4096

/* Numbers, and what may stand between them: so JSON's [[a, b, c], [d, e, f]] is read too. */
static bool parse_calibration(double m[2][3], const char *text)
{
    static const char between[] = " \t\r\n,;[]";
    int n = 0;
    for (text += strspn(text, between); *text && n < 6; n++) {
        char *end = NULL;
        double value = strtod(text, &end);
        if (end == text || (*end && !strchr(between, *end)) || !isfinite(value)) {
            return false;
        }
        m[n / 3][n % 3] = value;
        text = end + strspn(end, between);
    }
    return n == 6 && *text == '\0';
}

/* Six numbers of a text file, two rows of three, into m. Returns an exit status. */
static int read_calibration(double m[2][3], const char *path)
{
    char text[CALIBRATION_BYTES];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    bool bad = !file || ferror(file);
    int error = errno;
    if (file) {
        fclose(file);
    }
    if (bad) {
        return cli_fail("`%s`: %s", path, strerror(error));
    }
    text[n] = '\0';
    return strlen(text) == n && parse_calibration(m, text)
               ? CLI_DONE
               : cli_fail("`%s`: is not a calibration: expected six numbers, two rows of three",
                          path);
}

int cli_meltpool_calibrate(cli_meltpool_job *job, const char *said)
{
    static const double pixels[2][3] = {{1, 0, 0}, {0, 1, 0}};
    double(*m)[3] = job->desc.calibration;
    sac_error err = {0};
    int status = CLI_DONE;
    memcpy(m, pixels, sizeof pixels);
    job->calibration = said;
    if (said && !strcmp(said, "simulated")) {
        sac_meltpool_sim_calibration(m);
    } else if (said && strcmp(said, "pixels") != 0) {
        status = read_calibration(m, said);
    } else if (!said && job->info && job->info->has_calibration &&
               job->desc.locate == SAC_MELTPOOL_LASER) {
        memcpy(m, job->info->calibration, sizeof job->desc.calibration);
        job->calibration = job->input;
    }
    if (status == CLI_DONE && sac_meltpool_calibration_check(m[0], &err) != SAC_OK) {
        status = cli_fail("`%s`: %s", job->calibration, err.text);
    }
    return status;
}

bool cli_meltpool_lacks_calibration(const cli_meltpool_job *job)
{
    return job->desc.locate == SAC_MELTPOOL_LASER && !job->calibration;
}

bool cli_meltpool_is_calibrated(const cli_meltpool_job *job)
{
    return job->desc.locate == SAC_MELTPOOL_LASER && job->calibration;
}
