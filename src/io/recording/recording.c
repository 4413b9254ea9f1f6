/*
 * Recordings: the choice of reader and writer by content and ending, and what is read of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/parts.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/struct.h"
#include "base/alloc.h"

#define MAT_V5 0x0100
#define MAT_V73 0x0200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void sac_io_lock(void)
{
    pthread_mutex_lock(&lock);
}

void sac_io_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void sac_recording_desc_init(sac_recording_desc *desc)
{
    *desc = (sac_recording_desc){.struct_size = sizeof *desc,
                                 .fs_hz = NAN,
                                 .fc_hz = NAN,
                                 .fd_hz = NAN,
                                 .c_m_s = NAN,
                                 .t0_s = NAN,
                                 .pitch_m = NAN,
                                 .bandwidth = NAN};
}

sac_status sac_io_look(uint8_t head[SAC_IO_HEAD], uint64_t *bytes, const char *path,
                       const char *name, sac_error *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
        return sac_fail(err, SAC_E_IO, "%s: expected a regular file", name);
    sac_in in;
    sac_status status = sac_in_open(&in, path, UINT64_MAX, err);
    if (status != SAC_OK)
        return status;
    memset(head, 0, SAC_IO_HEAD);
    *bytes = sac_in_left(&in);
    if (!sac_in_read(&in, head, *bytes < SAC_IO_HEAD ? (size_t)*bytes : SAC_IO_HEAD))
        status = sac_fail(err, SAC_E_IO, "%s: %s", name, strerror(in.error));
    sac_in_close(&in);
    return status;
}

bool sac_io_is_hdf5(const uint8_t head[SAC_IO_HEAD])
{
    return memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* The version of MAT by its header: byte order and version behind 124 bytes of text. 0: no MAT. */
static int mat_version(const uint8_t head[SAC_IO_HEAD])
{
    bool little = memcmp(head + 126, "IM", 2) == 0;
    bool big = memcmp(head + 126, "MI", 2) == 0;
    int version = head[124 + little] << 8 | head[125 - little];
    return (little || big) && (version == MAT_V5 || version == MAT_V73) ? version : 0;
}

static sac_status read_any(sac_draft *draft, sac_error *err)
{
    uint8_t head[SAC_IO_HEAD];
    sac_status st = sac_io_look(head, &draft->file_bytes, draft->path, draft->name, err);
    if (st != SAC_OK)
        return st;
    if (memcmp(head, "\x93NUMPY", 6) == 0)
        return sac_npy_read_recording(draft, err);
    bool hdf5 = sac_io_is_hdf5(head);
    int mat = mat_version(head);
    if (!hdf5 && !mat)
        return sac_fail(err, SAC_E_FORMAT, "%s: is neither MAT v5 or v7.3, nor HDF5, nor NPY",
                        draft->name);
    sac_io_lock();
    st = hdf5 ? sac_hdf5_read_recording(draft, err)
              : sac_mat_read_recording(draft, mat == MAT_V5, err);
    sac_io_unlock();
    return st;
}

sac_status sac_draft_begin(sac_draft *draft, const sac_recording_desc *desc, sac_error *err)
{
    *draft = (sac_draft){
        .pitch_m = NAN, .width_m = NAN, .height_m = NAN, .radius_m = INFINITY, .t0_s = NAN};
    sac_recording_desc_init(&draft->desc);
    sac_status st = desc ? sac_struct_take(&draft->desc, desc, "desc", err) : SAC_OK;
    if (st != SAC_OK)
        return st;
    sac_recording *r = sac_alloc(1, sizeof *r);
    if (!r)
        return sac_fail(err, SAC_E_NOMEM, "no memory for a recording");
    sac_acquisition_init(&r->acquisition);
    for (const sac_field *f = sac_acquisition_fields; f->name; f++)
        *sac_field_of(&r->acquisition, f) = NAN;
    draft->recording = r;
    return SAC_OK;
}

sac_status sac_recording_read(sac_recording **out, const char *path, const sac_recording_desc *desc,
                              sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "path" : "out");
    *out = NULL;
    sac_draft draft;
    sac_status st = sac_draft_begin(&draft, desc, err);
    if (st != SAC_OK)
        return st;
    draft.path = path;
    sac_io_name(draft.name, path, "standard input");
    st = read_any(&draft, err);
    if (st == SAC_OK)
        sac_draft_cut(&draft);
    else
        sac_recording_close(&draft.recording);
    *out = draft.recording;
    return st;
}

sac_array sac_recording_get_array(const sac_recording *recording)
{
    return recording ? recording->samples : (sac_array){0};
}

const sac_acquisition *sac_recording_get_acquisition(const sac_recording *recording)
{
    return recording ? &recording->acquisition : NULL;
}

const sac_scatterer *sac_recording_get_truth(const sac_recording *recording, int64_t *n)
{
    if (n)
        *n = recording ? recording->n_truth : 0;
    return recording ? recording->truth : NULL;
}

int64_t sac_recording_get_file_frames(const sac_recording *recording)
{
    return recording ? recording->file_frames : 0;
}

const char *sac_recording_get_note(const sac_recording *recording)
{
    return recording ? recording->note : "";
}

void sac_recording_close(sac_recording **recording)
{
    if (!recording || !*recording)
        return;
    sac_recording *r = *recording;
    if (!r->borrows)
        sac_free(r->samples.data);
    sac_free(r->elements);
    sac_free(r->transmits);
    sac_free(r->delays_s);
    sac_free(r->tx_apodization);
    sac_free(r->shapes);
    sac_free(r->receives);
    sac_free(r->truth);
    sac_free(r);
    *recording = NULL;
}

bool sac_io_ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

/* What files can hold: contiguous samples of the acquisition's shape, transmits of any kind but
 * arrivals, which belong to points. */
static sac_status check_writable(const sac_recording *r, sac_error *err)
{
    const sac_array *s = &r->samples;
    const sac_acquisition *a = &r->acquisition;
    sac_status st = sac_array_check(s, "samples", err);
    st = st ? st : sac_acquisition_check(a, err);
    if (st != SAC_OK)
        return st;
    if ((s->dtype != SAC_I16 && s->dtype != SAC_F32 && s->dtype != SAC_C64) || s->n_dims != 4 ||
        s->shape[1] != a->n_transmits || s->shape[2] != a->n_elements || sac_array_count(s) == 0 ||
        !sac_array_is_contiguous(s) || s->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_SHAPE,
                        "samples: expected i16, f32 or c64 of shape (n_frames, %d, %d, n_samples), "
                        "contiguous, on the CPU",
                        a->n_transmits, a->n_elements);
    for (int32_t i = 0; i < a->n_transmits; i++)
        if (a->transmits[i].kind == SAC_TRANSMIT_ARRIVALS)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "transmits: arrivals of transmit %d cannot be written", i);
    return SAC_OK;
}

static sac_status write_hdf5(const char *path, const sac_recording *r, const sac_scatterer *truth,
                             bool uff, sac_error *err)
{
    sac_out out;
    char name[SAC_IO_NAME];
    sac_status st =
        uff ? sac_uff_check(r, sac_io_name(name, path, "standard output"), err) : SAC_OK;
    st = st ? st : sac_out_open(&out, path, err);
    if (st != SAC_OK)
        return st;
    out.is_recording = true;
    sac_io_lock();
    st = uff ? sac_uff_write(&out, r, err) : sac_hdf5_write_recording(&out, r, truth, err);
    sac_io_unlock();
    return sac_out_end(&out, st, err);
}

typedef enum ending { ENDING_HDF5, ENDING_UFF, ENDING_NPY } ending;

/* Whether the ending is one that can be written here; tells which. */
static sac_status find_ending(ending *is, const char *path, sac_error *err)
{
    char name[SAC_IO_NAME];
    sac_io_name(name, path, "standard output");
    const bool uff = sac_io_ends_with(path, ".uff");
    *is = uff ? ENDING_UFF : sac_io_ends_with(path, ".npy") ? ENDING_NPY : ENDING_HDF5;
    if (*is == ENDING_NPY)
        return sac_json_can_write(name, err);
    if (uff || sac_io_ends_with(path, ".h5") || sac_io_ends_with(path, ".hdf5"))
        return sac_hdf5_can_write(name, err);
    return sac_fail(err, SAC_E_INVALID, "%s: recordings are written as .h5, .hdf5, .uff or .npy",
                    name);
}

sac_status sac_recording_can_write(const char *path, sac_error *err)
{
    if (!path)
        return sac_fail(err, SAC_E_INVALID, "path: is NULL");
    ending is;
    sac_status st = find_ending(&is, path, err);
    return st == SAC_OK ? sac_out_check(path, err) : st;
}

sac_status sac_recording_write(const char *path, const sac_array *samples,
                               const sac_acquisition *acquisition, const sac_scatterer *truth,
                               int64_t n_truth, sac_error *err)
{
    if (n_truth < 0)
        return sac_fail(err, SAC_E_INVALID, "n_truth: is negative");
    if (!path || !samples || !acquisition)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL",
                        !path      ? "path"
                        : !samples ? "samples"
                                   : "acquisition");
    sac_recording r = {.samples = *samples, .n_truth = truth ? n_truth : 0};
    ending is;
    sac_acquisition_init(&r.acquisition);
    sac_status st = sac_struct_take(&r.acquisition, acquisition, "acquisition", err);
    st = st ? st : find_ending(&is, path, err);
    st = st ? st : check_writable(&r, err);
    if (st != SAC_OK)
        return st;
    return is == ENDING_NPY ? sac_npy_write_recording(path, &r, truth, err)
                            : write_hdf5(path, &r, truth, is == ENDING_UFF, err);
}
