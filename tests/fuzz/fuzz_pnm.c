/*
 * libFuzzer on the PNM and PAM reader: any bytes give a sound picture, or an error with its reason.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/picture.h"

#include <stdlib.h>

#define MAX_PIXELS (UINT64_C(1) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_picture *picture = NULL;
    sac_error err = {0};
    sac_status st = sac_pnm_parse(&picture, data, size, MAX_PIXELS, &err);
    if ((st == SAC_OK) != (picture != NULL) || (st != SAC_OK && err.text[0] == '\0'))
        abort();
    if (picture) {
        sac_array a = sac_picture_get_array(picture);
        if (!sac_array_is_contiguous(&a) ||
            (uint64_t)a.shape[0] * (uint64_t)a.shape[1] > MAX_PIXELS)
            abort();
    }
    sac_picture_close(&picture);
    return 0;
}
