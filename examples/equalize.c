/*
 * Equalizes a picture: equalize IN OUT (PNG, JPEG, PPM, ...).
 * Shows: a picture from a file, a desc filled from it, a plan, errors with their text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include <saccade/equalize.h>
#include <saccade/io.h>

/* Equalizes the picture in place. */
static sac_status equalize(sac_picture *picture, sac_error *err)
{
    const sac_array pixels = sac_picture_get_array(picture); /* (h, w) or (h, w, channels) */
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc); /* RGB, every core, the fastest variant */
    desc.dtype = pixels.dtype;
    desc.h = pixels.shape[0];
    desc.w = pixels.shape[1];
    desc.n_channels = pixels.n_dims == 2 ? 1 : (int32_t)pixels.shape[2];

    sac_equalize *plan = NULL;
    sac_status st = sac_equalize_open(&plan, &desc, err);
    if (st == SAC_OK)
        st = sac_equalize_run(plan, &pixels, &pixels, err); /* as often as there are pictures */
    if (st == SAC_OK)
        printf("%lld x %lld pixels by %s\n", (long long)desc.w, (long long)desc.h,
               sac_equalize_get_variant(plan));
    sac_equalize_close(&plan);
    return st;
}

int main(int argc, char **argv)
{
    sac_error err = {0};
    sac_picture *picture = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: equalize IN OUT\n");
        return 2;
    }
    sac_status st = sac_picture_read(&picture, argv[1], 0, &err);
    if (st == SAC_OK)
        st = equalize(picture, &err);
    if (st == SAC_OK)
        st = sac_picture_write(picture, argv[2], NULL, &err);
    if (st != SAC_OK)
        fprintf(stderr, "equalize: %s\n", err.text);
    sac_picture_close(&picture);
    return st != SAC_OK;
}
