/*
 * saccade beamform of many frames: the text by which a run that goes on knows its own work.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is in the file is known by its size and time; a JSON file beside it by what it says. */
static void put_input(FILE *file, const cli_beamform_parts *p)
{
    struct stat input = {0};
    if (stat(p->job->input, &input) != 0) {
        input.st_size = -1;
    }
    fprintf(file, "%s: %" PRId64 " bytes of %" PRId64 ".%09ld, frames %" PRId64 " to %" PRId64 "\n",
            p->job->input, (int64_t)input.st_size, (int64_t)input.st_mtim.tv_sec,
            input.st_mtim.tv_nsec, p->first_frame, p->first_frame + p->n_frames - 1);
    const sac_array in = sac_recording_get_array(p->first);
    fprintf(file, "%s %" PRId64 " %" PRId64 " %" PRId64 "\n", sac_dtype_name(in.dtype), in.shape[1],
            in.shape[2], in.shape[3]);
}

static void put_numbers(FILE *file, const char *name, const double *values, int64_t n)
{
    fputs(name, file);
    for (int64_t i = 0; values && i < n; i++) {
        fprintf(file, " %.17g", values[i]);
    }
    fputc('\n', file);
}

static void put_elements(FILE *file, const sac_acquisition *a)
{
    for (int32_t i = 0; i < a->n_elements; i++) {
        const sac_element *e = &a->elements[i];
        const double numbers[] = {e->position_m[0], e->position_m[1], e->position_m[2],
                                  e->normal[0],     e->normal[1],     e->normal[2],
                                  e->width_m,       e->height_m,      a->shapes ? a->shapes[i] : 0};
        put_numbers(file, "element", numbers, sizeof numbers / sizeof *numbers);
    }
}

static void put_transmits(FILE *file, const sac_acquisition *a)
{
    const size_t n = (size_t)a->n_elements;
    for (int32_t i = 0; i < a->n_transmits; i++) {
        const sac_transmit *t = &a->transmits[i];
        const double numbers[] = {t->kind,        t->azimuth_rad, t->elevation_rad,
                                  t->source_m[0], t->source_m[1], t->source_m[2],
                                  t->element,     t->t0_s,        t->weight};
        put_numbers(file, "transmit", numbers, sizeof numbers / sizeof *numbers);
        put_numbers(file, "delays", t->delays_s, a->n_elements);
        put_numbers(file, "fires", a->tx_apodization ? a->tx_apodization + (size_t)i * n : NULL,
                    a->n_elements);
        fputs("receives ", file);
        for (size_t k = 0; a->receives && k < n; k++) {
            fputc('0' + a->receives[(size_t)i * n + k], file);
        }
        fputc('\n', file);
    }
}

static void put_acquisition(FILE *file, const sac_acquisition *a)
{
    const double numbers[] = {a->fs_hz,        a->fc_hz,      a->bandwidth,
                              a->fd_hz,        a->c_m_s,      a->frame_rate_hz,
                              a->phase_origin, a->phase_sign, a->line_taper};
    put_numbers(file, "acquisition", numbers, sizeof numbers / sizeof *numbers);
    put_elements(file, a);
    put_transmits(file, a);
}

/* Texts as a whole, numbers with all their digits. */
static void put_options(FILE *file, const cli_beamform_job *job)
{
    const sac_param_table *table = sac_beamform_params();
    for (int32_t i = 0; i < table->n_params; i++) {
        char value[256];
        const sac_param *param = &table->params[i];
        const char *at = (const char *)&job->desc + param->offset;
        const char *text = value;
        if (strcmp(param->name, "threads") == 0 || strcmp(param->name, "memory") == 0) {
            continue;
        }
        if (param->type == SAC_PARAM_STRING) {
            text = *(const char *const *)at ? *(const char *const *)at : "";
        } else if (param->type == SAC_PARAM_FLOAT) {
            snprintf(value, sizeof value, "%.17g", *(const double *)at);
        } else {
            sac_param_get(param, &job->desc, value, sizeof value);
        }
        fprintf(file, "%s %s\n", param->name, text);
    }
    const sac_grid *grid = &job->desc.grid, *shown = &job->desc.picture;
    const sac_sector *sector = &job->desc.sector;
    for (int i = 0; i < 3; i++) {
        fprintf(file, "grid %.17g %.17g %" PRId64 ", %.17g %.17g %" PRId64 ", %.17g\n",
                grid->first_m[i], grid->last_m[i], grid->n[i], shown->first_m[i], shown->last_m[i],
                shown->n[i], sector->apex_m[i]);
    }
    fprintf(file, "%d, radius %.17g\n", (int)job->desc.grid_kind, sector->radius_m);
}

char *cli_beamform_parts_work(const cli_beamform_parts *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        return NULL;
    }
    const sac_build build = cli_build();
    fprintf(file, "saccade %s %s, %s\n", build.version, build.commit, p->variant);
    if (p->job->desc.device.kind != SAC_DEVICE_CPU) { /* it decides how many frames go together */
        fprintf(file, "memory %d\n", (int)p->memory_mb);
    }
    put_input(file, p);
    put_acquisition(file, sac_recording_get_acquisition(p->first));
    put_options(file, p->job);
    if (fclose(file) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}
