/*
 * What saccade beamform does once the command line is understood.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_BEAMFORM_JOB_H
#define CLI_BEAMFORM_JOB_H

#include <saccade/beamform.h>

#include "recordings.h"

typedef struct cli_beamform_options {
    size_t struct_size;
    const char *output, *format, *grid, *grid3, *sector, *apex, *picture, *delays, *json;
    cli_recording_options recording;
    bool yes, resume;
} cli_beamform_options;

typedef struct cli_beamform_times {
    int64_t read_ns, open_ns, run_ns, write_ns;
} cli_beamform_times;

typedef struct cli_beamform_job {
    cli_beamform_options options;
    sac_beamform_desc desc; /* options, and the grid where has_grid */
    sac_recording_desc recording_desc;
    const char *input, *output; /* of the recording in work; output NULL: none */
    bool has_grid, has_apex;
    sac_grid picture;      /* --picture, where it gives a grid; n of 0: it does not */
    double point_m[3];     /* --delays */
    struct cli_json *json; /* takes a row a recording; NULL: options.json is this one's alone */
    /* What takes the image instead of a file: saccade flow. NULL: it is written. */
    int (*take)(void *ctx, const sac_array *image, const sac_image_info *info);
    void *take_ctx;
} cli_beamform_job;

/* Rows of the grid's options in a table, where a command's options have these names. */
#define CLI_ROWS_GRID                                                                              \
    {"grid", CLI_STRING(grid), "X0:X1:NX,Z0:Z1:NZ",                                                \
     "points in the plane y = 0, in mm; default: steps of a third of a wavelength over the field " \
     "that the data covers, as a sector of a curved array, or of a phased one whose waves "        \
     "spread"},                                                                                    \
        {"grid3", CLI_STRING(grid3), "X0:X1:NX,Y0:Y1:NY,Z0:Z1:NZ", "a volume of points, in mm"},   \
        {"sector", CLI_STRING(sector), "A0:A1:NA,R0:R1:NR",                                        \
         "a polar grid: angles in degrees, depths in mm from the arc of --apex, which by default " \
         "touches the array's middle"},                                                            \
        {"apex", CLI_STRING(apex), "X,Z,R",                                                        \
         "of the sector, in mm, and the radius of the arc from which depths count; default: "      \
         "those that "                                                                             \
         "suit the array"},                                                                        \
    {                                                                                              \
        "picture", CLI_STRING(picture), "GRID",                                                    \
            "convert a sector's values to a cartesian grid, 0 outside of the sector: "             \
            "X0:X1:NX,Z0:Z1:NZ in "                                                                \
            "mm, or auto, which shows all of it. Pictures and uff always are; default of h5, npy " \
            "and tif: "                                                                            \
            "they stay polar"                                                                      \
    }

/* Whether the output's ending is that of a picture, not of values. */
bool cli_beamform_is_picture(const char *path);

/* Whether it is a file whose frames have places, which may be written in any order: h5, npy. */
bool cli_beamform_has_places(const char *path);

bool cli_beamform_is_tiff(const char *path);
bool cli_beamform_is_uff(const char *path);

/* Whether it is a movie: .y4m. */
bool cli_beamform_is_movie(const char *path);

/* A picture that several frames number. */
bool cli_beamform_is_series(const char *path);

/* "out.png" and frame 7 of 32: "out-0007.png"; to be freed. */
char *cli_beamform_series_name(const char *path, int64_t frame, int64_t n_frames);

/* Refuses a name with '%' that is no pattern for numbers. Returns an exit status. */
int cli_beamform_check_pattern(const char *path);

/* Before any work: whether what the job makes can be written to `output`; the context is a job.
 * Returns an exit status. */
int cli_beamform_check_output(void *ctx, const char *input, const char *output);

/* Writes every frame of the image (with --lri, every transmit of it) as a picture with axes, into
 * files with numbers or a movie; rate_hz 0: unknown. Returns an exit status. */
int cli_beamform_pictures(const cli_beamform_job *job, const sac_array *image, double rate_hz);

/* The same, a picture at a time: n_frames of the recording, 0 where nobody knows. `image` is one
 * that pictures are made of. */
typedef struct cli_beamform_film cli_beamform_film;
SAC_NODISCARD sac_status cli_beamform_film_open(cli_beamform_film **out,
                                                const cli_beamform_job *job, const sac_array *image,
                                                int64_t n_frames, double rate_hz, sac_error *err);

/* Picture i of an image, which is picture `at` of the recording. */
SAC_NODISCARD sac_status cli_beamform_film_add(cli_beamform_film *film, const sac_array *image,
                                               int64_t i, int64_t at, sac_error *err);
SAC_NODISCARD sac_status cli_beamform_film_close(cli_beamform_film **film, sac_error *err);

/* Writes an image's values, or its pictures. `recording` has the truth; NULL: there is none.
 * Returns an exit status. */
int cli_beamform_write(const cli_beamform_job *job, const sac_array *image,
                       const sac_acquisition *acquisition, const sac_recording *recording);

/* Of the image that comes of a recording. */
sac_image_info cli_beamform_info(const cli_beamform_job *job, const sac_recording *recording);

/* A row of --json, and the line on standard output. `in` has all frames; `plan` tells of points,
 * `variant` is what worked on them. */
int cli_beamform_put_row(const cli_beamform_job *job, const sac_beamform *plan, const char *variant,
                         const sac_array *in, const cli_beamform_times *t);
void cli_beamform_print_summary(const cli_beamform_job *job, const sac_array *image,
                                const cli_beamform_times *t);

/* Whether an image shows nothing. */
bool cli_beamform_is_dark(const cli_beamform_job *job, const sac_array *image);

/* Fails where nothing of the grid is heard. Returns an exit status. */
int cli_beamform_check_heard(const sac_beamform *plan, const cli_beamform_job *job,
                             int64_t n_samples);

/* Whether any element hears any of some points spread over the grid while it records. */
bool cli_beamform_is_heard(const sac_beamform *plan, const cli_beamform_job *job,
                           int64_t n_samples);

/* Memory of an image, less what a machine cannot have: NULL, and nothing else happens. */
void *cli_beamform_image_memory(sac_array *image);

/* Memory that a new program could have without harm to others, in bytes; 0: not known. */
double cli_beamform_free_bytes(void);

/* The folder of `path`, to be freed, and the bytes that a new file may have there; negative: not
 * known. */
char *cli_beamform_folder(const char *path);
double cli_beamform_room_bytes(const char *path);

/* Values of many frames, some frames at a time (parts.c): what is in memory is bounded, several
 * devices share the work, and a run that was cut off goes on with --resume. CLI_GO: the recording
 * has so few frames that it is done at once. */
bool cli_beamform_may_be_in_parts(const cli_beamform_job *job);
int cli_beamform_run_in_parts(cli_beamform_job *job);

/* Reads, beamforms, writes, reports. Returns an exit status. */
int cli_beamform_run(cli_beamform_job *job);

/* --grid, --grid3, --sector, and what belongs to a sector. Returns an exit status. */
int cli_beamform_parse_grid(cli_beamform_job *job);

/* Of the acquisition in the desc: the grid that suits the array where none is given, or the apex of
 * a sector; and the picture that a sector is converted to. */
sac_status cli_beamform_choose_grid(cli_beamform_job *job, int64_t n_samples, sac_error *err);

/* The grid of what comes out: of a sector, where it is converted, the picture. */
const sac_grid *cli_beamform_grid(const cli_beamform_job *job);

/* Refuses what takes more than half of the memory that is free, or all of the disk's room, but not
 * with --yes, and tells of what takes long. `in`: the frames in memory at a time, of n_frames; it
 * may be without samples. Returns an exit status. */
int cli_beamform_size(const cli_beamform_job *job, const sac_array *in, int64_t n_frames);

#endif
