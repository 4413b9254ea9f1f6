/*
 * Files of ultrasound channel data and images: MAT v5 and v7.3, HDF5, NPY. In libsaccade-io;
 * docs/formats.md has the schemas.
 *
 *     sac_recording_desc desc;
 *     sac_recording *recording = NULL;
 *     sac_recording_desc_init(&desc);
 *     st = sac_recording_read(&recording, "phantom.mat", &desc, &err);
 *     sac_array channels = sac_recording_get_array(recording);
 *     beamform_desc.acquisition = sac_recording_get_acquisition(recording);
 *
 * sac_image_write and sac_image_read store the beamformed images.
 *
 * Threads: any function may be called from any thread at any time; files that libhdf5 handles are
 * read and written one after the other. A recording or image that was read does not change, and
 * may be used by many threads; one thread closes it, when the others are done. Getters and close
 * accept NULL (and return zeros, NULL or ""); any other NULL argument, except err and where a
 * comment says so, is SAC_E_INVALID.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_RECORDING_H
#define SACCADE_RECORDING_H

#include <saccade/beamform.h>
#include <saccade/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Channel data in memory, with its acquisition and, if it was simulated, the truth. It owns all of
 * them.
 */
typedef struct sac_recording sac_recording;

/*
 * Values that override the file's metadata; NaN (for transmits NULL, for n_frames 0) uses the
 * file's.
 */
typedef struct sac_recording_desc {
    size_t struct_size;
    double fs_hz, fc_hz, fd_hz, c_m_s, t0_s, pitch_m, bandwidth;
    const char *transmits;         /* "plane:75:16", ...: see sac_transmits_parse */
    int64_t first_frame, n_frames; /* the frames to read */
    uint64_t max_bytes;            /* limit for the samples; 0: 2^36 */

    /* Since 0.2. The transmits to read, of all that the file or `transmits` describes; n 0: all
     * from the first on. The recording is of these alone: samples and acquisition. */
    int64_t first_transmit, n_transmits;
    bool no_samples; /* since 0.2: they stay in the file; their array has no data, the rest is as
                        ever */
} sac_recording_desc;

/* Overrides nothing, and reads all frames of all transmits. */
SAC_API void sac_recording_desc_init(sac_recording_desc *desc);

/*
 * Reads a file; its content decides the format: MAT v5 or v7.3 with samples RF or IQ and a `param`
 * struct as MUST and PyMUST write it; workspaces of Verasonics in MAT; UFF of USTB; HDF5 of
 * PICMUS, of zea and of saccade's schema; NPY with its metadata in a JSON file of the same name
 * (data.npy, data.json). If there is no speed of sound, 1540 m/s is used, and
 * sac_recording_get_note tells so. desc NULL: the defaults. The caller closes the recording.
 * SAC_E_IO (the system refuses the file); SAC_E_FORMAT (not one of these, truncated, contradictory,
 * a JSON of other samples, widths, frame rate or positions that are not finite numbers);
 * SAC_E_INVALID (metadata that delay-and-sum needs is missing, NaN or out of range: names the
 * field, and the option that gives it; frames or transmits that the file does not have);
 * SAC_E_UNSUPPORTED (this build lacks the library); SAC_E_NOMEM.
 *
 * Of HDF5, UFF and NPY frames and transmits that are not asked for are not read; but the checksums
 * in an NPY's JSON are of frames, of which all transmits are read then. MAT is read as a whole.
 */
SAC_API SAC_NODISCARD sac_status sac_recording_read(sac_recording **out, const char *path,
                                                    const sac_recording_desc *desc, sac_error *err);

/*
 * Since 0.2. A field of MUST's struct `param` in memory: its name, in any case of letters, and its
 * numbers, (rows, columns) of any real type and strides on the CPU. Fields that are not numbers
 * have the dtype 0.
 */
typedef struct sac_must_field {
    const char *name;
    sac_array values;
} sac_must_field;

/*
 * Since 0.2. Makes the recording that sac_recording_read makes of a MAT file, of samples in memory
 * and the fields of `param`. `samples` are contiguous, (n_frames, n_transmits, n_elements,
 * n_samples) of i16, f32 or c64, in CPU memory: MATLAB's (n_samples, n_elements, n_transmits,
 * n_frames). Where `param` describes one transmit, (1, n, n_elements, n_samples) are n frames of
 * it, as MUST has them. Samples are not copied, and must stay until the recording is closed; but IQ
 * whose phase counts from another time than that of the transmit is copied and turned. desc as in
 * sac_recording_read, of which frames, the range of transmits, no_samples and max_bytes are not
 * used. Errors as sac_recording_read, and SAC_E_SHAPE (samples; a field with other than 2 axes).
 */
SAC_API SAC_NODISCARD sac_status
sac_recording_from_must(sac_recording **out, const sac_array *samples, const sac_must_field *fields,
                        int32_t n_fields, const sac_recording_desc *desc, sac_error *err);

/*
 * The samples, (n_frames, n_transmits, n_elements, n_samples) of i16, f32 or c64: a view that is
 * valid as long as the recording. Without data where no_samples asked for that.
 */
SAC_API sac_array sac_recording_get_array(const sac_recording *recording);

/* How they were acquired; owned by the recording. */
SAC_API const sac_acquisition *sac_recording_get_acquisition(const sac_recording *recording);

/* The scatterers of a simulation, *n of them; NULL and 0 for real data. Owned by the recording. */
SAC_API const sac_scatterer *sac_recording_get_truth(const sac_recording *recording, int64_t *n);

/* Since 0.2. The frames that the file has, of which the recording may be a part; 0: no file. */
SAC_API int64_t sac_recording_get_file_frames(const sac_recording *recording);

/*
 * One line about values that were assumed because neither file nor caller gives them (the speed of
 * sound, 1540 m/s), or that were ignored; several with `; ` between them, "" if there are none.
 * Owned by the recording.
 */
SAC_API const char *sac_recording_get_note(const sac_recording *recording);

/* Frees the recording and sets *recording to NULL. */
SAC_API void sac_recording_close(sac_recording **recording);

/*
 * Writes HDF5 (.h5, .hdf5) of saccade's schema, UFF (.uff), or NPY and JSON (.npy). The file
 * appears complete or not at all, and is forced to the disk unless sac_file_durable says otherwise.
 * A program that is killed between the two files of NPY leaves new metadata with old samples, which
 * sac_recording_read refuses. `samples` are contiguous, (n_frames, n_transmits, n_elements,
 * n_samples) of i16, f32 or c64; `truth` may be NULL. SAC_E_INVALID (the ending; an acquisition
 * that sac_acquisition_check refuses), SAC_E_SHAPE (the samples), SAC_E_UNSUPPORTED (this build
 * lacks the library; arrivals are given; UFF and transmits of the kind SAC_TRANSMIT_DELAYS),
 * SAC_E_IO (the system refuses the file, a full disk), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_recording_write(const char *path, const sac_array *samples,
                                                     const sac_acquisition *acquisition,
                                                     const sac_scatterer *truth, int64_t n_truth,
                                                     sac_error *err);

/*
 * To call before long work: whether sac_recording_write can write this file. SAC_E_INVALID (the
 * ending), SAC_E_UNSUPPORTED (this build lacks the library), SAC_E_IO (the folder is not writable,
 * or something else has the name).
 */
SAC_API SAC_NODISCARD sac_status sac_recording_can_write(const char *path, sac_error *err);

/*
 * Reads a description of transmits into `transmits` (at most max), and sets *n:
 *
 * - "plane:N:DEG": N angles from -DEG to DEG
 * - "diverging:N[:DEPTH_MM]": virtual sources behind the array, N across its width; the default
 *   depth is half the width
 * - "focused:N[:DEPTH_MM]": foci in front of the array, N across its width; the default depth is
 *   the width
 * - "lines:N:DEPTH_MM[:DEG]": since 0.2. Scan lines: foci straight before the array's face, N from
 *   its first element to its last; with DEG all before its middle, at N angles from -DEG to DEG
 * - "sa": every element, one after the other
 *
 * All elements fire (see sac_transmit_apertures). A single transmit is in the middle. Each t0_s is
 * 0, each weight 1. Numbers have a decimal point, whatever language the program has set.
 * SAC_E_INVALID (other text, more than max, no elements).
 */
SAC_API SAC_NODISCARD sac_status sac_transmits_parse(sac_transmit *transmits, int32_t *n,
                                                     int32_t max, const char *text,
                                                     const sac_element *elements,
                                                     int32_t n_elements, sac_error *err);

/*
 * Since 0.2. The same of a row-column array, as sac_probe_row_column has it: elements of `shapes`
 * (n_elements), first rows, then columns. `transmits` (at most max) is what
 * sac_transmits_row_column takes: first n_by[0] of the rows, then n_by[1] of the columns; n_lines
 * is set to the numbers of rows and columns. SAC_E_INVALID (also elements of other shapes, or in
 * another order).
 */
SAC_API SAC_NODISCARD sac_status sac_transmits_parse_row_column(
    sac_transmit *transmits, int32_t n_by[2], int32_t n_lines[2], int32_t max, const char *text,
    const sac_element *elements, const int32_t *shapes, int32_t n_elements, sac_error *err);

/* Description of a beamformed image. */
typedef struct sac_image_info {
    size_t struct_size;
    sac_grid grid;
    sac_beamform_output output;
    double dynamic_range_db;                   /* for bmode and gray */
    double c_m_s, fc_hz, f_number, aperture_m; /* width of the array; of these four, 0 is unknown */
    double frame_rate_hz;                      /* 0: unknown */
    const sac_scatterer *truth;                /* may be NULL */
    int64_t n_truth;

    /* Since 0.2. Of a polar grid; 0, the default, is SAC_GRID_CARTESIAN. An image that was
     * converted to a picture is cartesian, and its grid is the picture. */
    sac_sector sector;
    int32_t grid_kind;
    double nyquist_m_s; /* since 0.2: of velocities; 0: unknown */
    double prf_hz;      /* since 0.2: frames a second of those that velocities were made of; 0:
                           unknown */
    double phase_sign;  /* since 0.2: of IQ, as in sac_acquisition, 1 or -1; 0 is 1 */
} sac_image_info;

/* Sets everything to 0 except struct_size. */
SAC_API void sac_image_info_init(sac_image_info *info);

/*
 * Writes an image as sac_beamform_run gives it, on the grid of info: HDF5 with axes in metres and
 * all of info, UFF (IQ or envelope on a cartesian grid), NPY (the samples alone), or TIFF (f32 or
 * u8, a page a picture; needs libvips), by the path's ending. The file appears complete or not at
 * all. SAC_E_INVALID (the ending, info), SAC_E_SHAPE (does not match the grid), SAC_E_UNSUPPORTED
 * (this build lacks the library; complex samples in TIFF; decibels or a sector in UFF), SAC_E_IO
 * (the system refuses the file, a full disk), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_image_write(const char *path, const sac_array *image,
                                                 const sac_image_info *info, sac_error *err);

/*
 * To call before long work: whether sac_image_write can write this file. Errors as
 * sac_recording_can_write.
 */
SAC_API SAC_NODISCARD sac_status sac_image_can_write(const char *path, sac_error *err);

/*
 * Since 0.2. An image that is written in parts of some frames, in any order, by several threads and
 * processes, and gone on with after a crash. Until it is whole it is `.NAME.part`, and `.NAME.done`
 * says which parts are, both in the image's folder.
 */
typedef struct sac_image_parts sac_image_parts;

typedef struct sac_image_parts_desc {
    size_t struct_size;
    const char *path;           /* .h5, .hdf5 or .npy */
    const sac_array *image;     /* the whole: shape and dtype; the data is ignored */
    const sac_image_info *info; /* of it; the truth is copied */
    int64_t n_part_frames;      /* of all parts but the last, which may have fewer */
    const char *work;           /* a text that says what makes the image: of which input, how */
    bool resume;                /* goes on with what is left of the same work; default: anew */
    bool join;                  /* another process has opened it, and this one writes, too */
} sac_image_parts_desc;

/* Sets everything to 0 except struct_size. */
SAC_API void sac_image_parts_desc_init(sac_image_parts_desc *desc);

/*
 * Begins the image, or goes on with it; where nothing is left that could be gone on with, resume
 * begins it. SAC_END: resume, and the image is whole, under its own name. SAC_E_INVALID: NULL, the
 * ending, the info; what is left is of other work. SAC_E_SHAPE, SAC_E_UNSUPPORTED, SAC_E_NOMEM and
 * SAC_E_IO as sac_image_write; SAC_E_IO, too: another writer has it; either file is a link,
 * another user's, or no file. SAC_E_FORMAT: `.NAME.done` is damaged.
 */
SAC_API SAC_NODISCARD sac_status sac_image_parts_open(sac_image_parts **out,
                                                      const sac_image_parts_desc *desc,
                                                      sac_error *err);

/* Whether part `index` was written before this was opened. */
SAC_API bool sac_image_parts_has(const sac_image_parts *parts, int64_t index);

/* The number of parts, and of those that were written before this was opened. */
SAC_API int64_t sac_image_parts_get_count(const sac_image_parts *parts, int64_t *n_had);

/*
 * Writes part `index`: its frames, contiguous on the CPU, of the image's other axes and dtype. May
 * be called by several threads at a time, for different parts. The part is on the disk, where
 * sac_file_durable asks for that, before it counts as written. SAC_E_INVALID (no such part),
 * SAC_E_SHAPE, SAC_E_IO.
 */
SAC_API SAC_NODISCARD sac_status sac_image_parts_write(sac_image_parts *parts, int64_t index,
                                                       const sac_array *frames, sac_error *err);

/* Gives the whole image its name and closes it, *parts too. SAC_E_INVALID: a part was not written;
 * then, and after SAC_E_IO, all is as sac_image_parts_close leaves it. */
SAC_API SAC_NODISCARD sac_status sac_image_parts_commit(sac_image_parts **parts, sac_error *err);

/* Closes it as it is, to be gone on with; where no part is written, nothing is left of it. Sets
 * *parts to NULL. */
SAC_API void sac_image_parts_close(sac_image_parts **parts);

/*
 * Since 0.2. An image whose frames come one after the other, and whose number is known at the end:
 * they go to the disk as they come, so that memory does not limit them. The file appears whole,
 * when it is committed, or not at all.
 */
typedef struct sac_image_growing sac_image_growing;

/*
 * Begins an image of frames like those of `image`: its dtype and shape; axis 0 and the data are
 * ignored. On failure *out is NULL. SAC_E_INVALID: NULL, the info; SAC_E_UNSUPPORTED: another
 * ending than .h5, .hdf5 and .npy, or `path` is no regular file (a pipe); SAC_E_NOMEM; else as
 * sac_image_write.
 */
SAC_API SAC_NODISCARD sac_status sac_image_growing_open(sac_image_growing **out, const char *path,
                                                        const sac_array *image,
                                                        const sac_image_info *info, sac_error *err);

/* Writes frames, contiguous on the CPU, behind those before. After a failure these are still there,
 * and may be committed. SAC_E_SHAPE, SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_image_growing_write(sac_image_growing *growing,
                                                         const sac_array *frames, sac_error *err);

/*
 * Gives the image its name, with this info, and closes it; *growing is then NULL. The info may have
 * other values than at open. In HDF5 it is refused, with SAC_E_INVALID, where fields that were 0 at
 * open (nyquist_m_s and after), or a longer name of the output, leave it no room before the frames.
 *
 * SAC_E_INVALID (NULL, the info, no frame) and SAC_E_SHAPE (the grid has not the frames' points):
 * all is as it was, to be committed with another info, or closed. SAC_E_IO, SAC_E_NOMEM: nothing is
 * left of the image, and *growing is NULL.
 */
SAC_API SAC_NODISCARD sac_status sac_image_growing_commit(sac_image_growing **growing,
                                                          const sac_image_info *info,
                                                          sac_error *err);

/* Closes it, and nothing is left of it. Sets *growing to NULL. */
SAC_API void sac_image_growing_close(sac_image_growing **growing);

/* An image read from a file; it owns what its array and info point to. */
typedef struct sac_image sac_image;

/*
 * Reads an image from HDF5, or an uff.beamformed_data on a linear scan from UFF; the caller closes
 * it. SAC_E_IO; SAC_E_FORMAT (not such a file, truncated, contradictory); SAC_E_UNSUPPORTED (this
 * build lacks HDF5; another scan, or version, of UFF); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_image_read(sac_image **out, const char *path, sac_error *err);

/* The samples and their description, valid as long as the image. */
SAC_API sac_array sac_image_get_array(const sac_image *image);
SAC_API const sac_image_info *sac_image_get_info(const sac_image *image);

/* Frees the image and sets *image to NULL. */
SAC_API void sac_image_close(sac_image **image);

#ifdef __cplusplus
}
#endif
#endif
