/*
 * Beamforms a recording into an image: beamform IN.h5 OUT.npy (recordings of HDF5, NPY and MAT; see
 * docs/formats.md; `saccade simulate -o in.npy` makes one).
 * Shows: a recording, the default grid, what a run will write, an image with its axes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <saccade/beamform.h>
#include <saccade/recording.h>

static sac_status beamform(const sac_recording *recording, const char *path, sac_error *err)
{
    const sac_array samples = sac_recording_get_array(recording);
    sac_beamform_desc desc;
    sac_beamform_desc_init(&desc); /* every core, the tier fp32, the fastest variants */
    desc.acquisition = sac_recording_get_acquisition(recording);
    desc.dtype = samples.dtype;
    desc.n_frames = samples.shape[0]; /* (frames, transmits, elements, samples) */
    desc.n_samples = samples.shape[3];
    desc.output = SAC_OUTPUT_BMODE;
    desc.dynamic_range_db = 60;

    sac_beamform *plan = NULL;
    sac_array image = {0};
    sac_image_info info;
    sac_image_info_init(&info);
    sac_status st = sac_grid_default(&desc.grid, desc.acquisition, desc.n_samples, err);
    if (st == SAC_OK)
        st = sac_beamform_open(&plan, &desc, err);
    if (st == SAC_OK) {
        image = sac_beamform_get_output_array(plan); /* its type and shape; memory is ours */
        image.data = calloc((size_t)sac_array_count(&image), sac_dtype_size(image.dtype));
        st = image.data ? sac_beamform_run(plan, &image, &samples, err) : SAC_E_NOMEM;
    }
    info.grid = desc.grid;
    info.output = SAC_OUTPUT_BMODE;
    info.dynamic_range_db = desc.dynamic_range_db;
    if (st == SAC_OK)
        st = sac_image_write(path, &image, &info, err);
    if (st == SAC_OK)
        printf("%lld frames of %lld x %lld points by %s\n", (long long)desc.n_frames,
               (long long)desc.grid.n[0], (long long)desc.grid.n[2],
               sac_beamform_get_variant(plan));
    free(image.data);
    sac_beamform_close(&plan);
    return st;
}

int main(int argc, char **argv)
{
    sac_error err = {0};
    sac_recording *recording = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: beamform IN OUT\n");
        return 2;
    }
    sac_status st = sac_recording_read(&recording, argv[1], NULL, &err);
    if (st == SAC_OK)
        st = beamform(recording, argv[2], &err);
    if (st != SAC_OK)
        fprintf(stderr, "beamform: %s\n", err.text[0] ? err.text : "no memory");
    sac_recording_close(&recording);
    return st != SAC_OK;
}
