/*
 * A recording while it is read: what every format finds, and what is made of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_PARTS_H
#define SAC_IO_RECORDING_PARTS_H

#include <saccade/recording.h>

#include "io/in.h"
#include "io/out.h"
#include "io/prints.h"

#define SAC_IO_MAX_LISTED 65536 /* elements, transmits: as sac_acquisition_check has it */

struct sac_recording {
    sac_array samples;           /* contiguous; data is from sac_alloc */
    sac_acquisition acquisition; /* of the arrays below */
    sac_element *elements;
    sac_transmit *transmits;
    double *delays_s;       /* (n_transmits, n_elements): the transmits point there; or NULL */
    double *tx_apodization; /* the acquisition's, or NULL */
    int32_t *shapes;        /* the same */
    uint8_t *receives;      /* the same */
    sac_scatterer *truth;
    int64_t n_truth;
    int64_t file_frames; /* that the file has */
    bool borrows;        /* samples are the caller's */
    char note[320];      /* what was taken because the file does not say it; empty: nothing */
};

/*
 * What is known of a file so far. A reader (1) finds the samples' shape, (2) fills in the metadata
 * that the file has, (3) calls sac_draft_resolve, (4) makes room by sac_draft_samples and fills it.
 * NaN stands for what the file does not say.
 */
typedef struct sac_draft {
    char name[SAC_IO_NAME]; /* for errors: "`data.h5`" */
    const char *path;
    sac_recording_desc desc;
    uint64_t file_bytes;
    sac_recording *recording;

    /* The array where its elements are not listed, t0 where transmits have none of their own. */
    double pitch_m, width_m, height_m;
    double radius_m; /* INFINITY: flat; else of one of MUST's convex arrays */
    double t0_s;
    char transmits[64]; /* as sac_transmits_parse reads them; empty: listed, or not there */

    /* Whether recording->delays_s are MUST's TXdelay, (n_transmits, n_elements), and the transmits
     * still to be made of them; t0_s is on their clock. */
    bool must;
    int64_t must_transmits;

    int64_t first_frame, first_transmit; /* of the file: which sac_draft_samples chose */

    bool fills; /* the reader puts something into all samples: their memory need not be cleared */

    sac_prints prints; /* of the samples that metadata in a file of their own belong to */
} sac_draft;

/* Memory for n elements or transmits of the recording; n comes from
 * a file, and SAC_E_FORMAT says that it cannot be. SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_draft_elements(sac_draft *draft, uint64_t n, sac_error *err);
SAC_NODISCARD sac_status sac_draft_transmits(sac_draft *draft, uint64_t n, sac_error *err);
SAC_NODISCARD sac_status sac_draft_table(double **table, const sac_draft *draft, const char *what,
                                         uint64_t n_transmits, uint64_t n_elements, sac_error *err);

/* Memory for the elements' shapes, all areas, and for which elements receive, which all do; once
 * elements or transmits are known. SAC_E_FORMAT, SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_draft_shapes(sac_draft *draft, sac_error *err);
SAC_NODISCARD sac_status sac_draft_receives(sac_draft *draft, uint64_t n_elements, sac_error *err);

/* Adds to the recording's note what was taken or ignored: once, behind what other readers said. */
void sac_draft_note(sac_draft *draft, const char *format, ...) SAC_PRINTF(2, 3);

/*
 * Puts the caller's values over the file's, makes elements and transmits of what there is, and
 * checks everything. n_elements is what the samples have. SAC_E_INVALID names the field and its
 * option.
 */
SAC_NODISCARD sac_status sac_draft_resolve(sac_draft *draft, int64_t n_elements, sac_error *err);

/*
 * Checks the shape of the samples, (n_frames, n_transmits, n_elements, n_samples) in the file,
 * against metadata and limits, and makes room for the frames and transmits that are wanted; none
 * where samples are not. No more than `max_count` samples can be in the file.
 */
SAC_NODISCARD sac_status sac_draft_samples(sac_draft *draft, sac_dtype dtype,
                                           const int64_t shape[4], uint64_t max_count,
                                           sac_error *err);

/* Once all is read: the acquisition's transmits, which were the file's, become the samples'. */
void sac_draft_cut(sac_draft *draft);

/* A shape of 2 to 4 axes with 1 for those that are left out; all at least 1. SAC_E_FORMAT. */
SAC_NODISCARD sac_status sac_draft_shape(int64_t shape[4], const sac_draft *draft, int n_dims,
                                         const uint64_t *dims, sac_error *err);

/* "plane", ...; NULL for a kind that is none. And back: false where there is none of that name. */
const char *sac_transmit_kind_name(sac_transmit_kind kind);
bool sac_transmit_kind_parse(sac_transmit_kind *kind, const char *name);

/* "area", "row", "column"; the same for shapes of elements. */
const char *sac_shape_name(int32_t shape);
bool sac_shape_parse(int32_t *shape, const char *name);

/* "record", "transmit"; the same for phases. */
const char *sac_phase_origin_name(sac_phase_origin origin);
bool sac_phase_origin_parse(sac_phase_origin *origin, const char *name);

/*
 * Fields of doubles in the structs that files list: the name in the file, where it lies, how many
 * there are of it. Lists end with a NULL name.
 */
typedef struct sac_field {
    const char *name;
    size_t offset;
    int32_t width;
    bool needed;
    bool finite; /* no option gives it otherwise: NaN and infinities are refused in files */
} sac_field;

extern const sac_field sac_element_fields[];     /* of sac_element */
extern const sac_field sac_transmit_fields[];    /* of sac_transmit */
extern const sac_field sac_scatterer_fields[];   /* of sac_scatterer */
extern const sac_field sac_acquisition_fields[]; /* of sac_acquisition, one number each */

static inline double *sac_field_of(void *base, const sac_field *field)
{
    return (double *)(void *)((char *)base + field->offset);
}

static inline const double *sac_field_in(const void *base, const sac_field *field)
{
    return (const double *)(const void *)((const char *)base + field->offset);
}

/* Whether the transmits of the kind look at the field ("azimuth_rad" of plane waves, ...). */
bool sac_transmit_needs(sac_transmit_kind kind, const char *field);

/*
 * A field of MUST's `param`, whatever the case of its name: *value has no axes if it is missing or
 * empty, and 2 if it is there; then its dtype is 0 if it is not real numbers, or more than `most`.
 */
typedef sac_status (*sac_must_get_fn)(void *ctx, const char *name, uint64_t most, sac_array *value,
                                      sac_error *err);

/* Fills in the metadata that `param` has. Errors call the samples, which have n_elements, by their
 * name. */
SAC_NODISCARD sac_status sac_must_param(sac_draft *draft, sac_must_get_fn get, void *ctx,
                                        int64_t n_elements, const char *samples_name,
                                        sac_error *err);

/* One number of a real type; NaN of any other. */
double sac_must_number(const void *data, sac_dtype dtype);

/* Once transmits are known: PRF is theirs, and phases count from time 0. */
void sac_must_clock(sac_draft *draft);

/* MUST's delays as what they are: kind, angle and t0 of every transmit. */
SAC_NODISCARD sac_status sac_must_transmits(sac_draft *draft, sac_error *err);

/* One of them: elements of NaN do not fire. draft->t0_s is on the delays' clock; fc and c are
 * known. The delays may be the transmit's until it is gone. */
void sac_must_transmit(sac_transmit *t, const double *delays_s, const sac_draft *draft);

/* Which elements fire, of all transmits that recording->delays_s (NaN: silent) are of, into its
 * tx_apodization, where a wave that is told by its source is by part of the array. SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_must_fires(sac_draft *draft, sac_error *err);

/* A wave focused at s, whose clock starts when the delays' does; false where the wavefronts of the
 * elements that fire do not meet there. t0_s is of a record that begins at the delays' 0. */
bool sac_must_focused(sac_transmit *t, const double s[3], const double *delays_s,
                      const sac_acquisition *a);

/* MUST's convex array: elements on an arc whose ends lie at z = 0. */
void sac_must_convex(sac_element *elements, int32_t n, const sac_draft *draft);

/* MUST's IQ has phase 0 at time 0 of the file's clock: turns it to the transmits' clock. */
void sac_must_rotate(sac_draft *draft);

/* The same clock already: nothing is to be turned. */
bool sac_must_is_turned(const sac_draft *draft);

/* A new recording, with nothing known yet, and its draft, whose errors call it `name`. desc may be
 * NULL. */
SAC_NODISCARD sac_status sac_draft_begin(sac_draft *draft, const sac_recording_desc *desc,
                                         sac_error *err);

/* The first bytes of `path`, zeros where it has fewer, and how many it has in all; it must be a
 * regular file, because its reader goes to and fro in it. SAC_E_IO. */
#define SAC_IO_HEAD 128
SAC_NODISCARD sac_status sac_io_look(uint8_t head[SAC_IO_HEAD], uint64_t *bytes, const char *path,
                                     const char *name, sac_error *err);
bool sac_io_is_hdf5(const uint8_t head[SAC_IO_HEAD]);

/* Whether a path has that ending, and more, in any case of letters. */
bool sac_io_ends_with(const char *path, const char *ending);

/* Guards libraries that may keep global state: HDF5, and libmatio on it. */
void sac_io_lock(void);
void sac_io_unlock(void);

/* HDF5 prints no errors, until it may again: for libmatio, which works with it. Under the lock. */
void sac_hdf5_quiet(bool quiet);

/* The formats. Those that need a library have a twin in *_none.c that says so. */
SAC_NODISCARD sac_status sac_hdf5_read_recording(sac_draft *draft, sac_error *err);
SAC_NODISCARD sac_status sac_mat_read_recording(sac_draft *draft, bool v5, sac_error *err);
SAC_NODISCARD sac_status sac_npy_read_recording(sac_draft *draft, sac_error *err);

/* Writers: of a recording's samples, acquisition and n_truth, with the truth beside it. */
SAC_NODISCARD sac_status sac_hdf5_write_recording(sac_out *out, const sac_recording *recording,
                                                  const sac_scatterer *truth, sac_error *err);

/* UFF: whether it can hold the transmits (SAC_E_UNSUPPORTED), and into a file. */
SAC_NODISCARD sac_status sac_uff_check(const sac_recording *recording, const char *name,
                                       sac_error *err);
SAC_NODISCARD sac_status sac_uff_write(sac_out *out, const sac_recording *recording,
                                       sac_error *err);

/* Whether this build writes it. SAC_E_UNSUPPORTED, with the file's name. */
SAC_NODISCARD sac_status sac_hdf5_can_write(const char *name, sac_error *err);
SAC_NODISCARD sac_status sac_json_can_write(const char *name, sac_error *err);

SAC_NODISCARD sac_status sac_npy_write_recording(const char *path, const sac_recording *recording,
                                                 const sac_scatterer *truth, sac_error *err);

/* JSON metadata from memory, and as text that ends with a newline, to be freed by sac_free. What is
 * read may have no more parts than fit the file of samples that it describes. */
SAC_NODISCARD sac_status sac_json_parse(sac_draft *draft, const char *json_name, const char *text,
                                        size_t size, uint64_t n_elements, sac_error *err);
SAC_NODISCARD sac_status sac_json_print(char **text, const sac_recording *recording,
                                        const sac_scatterer *truth, const sac_prints *prints,
                                        const char *json_name, sac_error *err);

#endif
