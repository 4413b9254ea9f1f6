/*
 * PGM, PPM and PAM, raw, 8 and 16 bit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/picture.h"

#include <stdio.h>

static sac_status write_header(sac_out *out, const sac_array *a, int32_t n_channels, bool pam,
                               sac_error *err)
{
    static const char *const types[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    char text[160];
    long long w = a->shape[1];
    long long h = a->shape[0];
    int maxval = a->dtype == SAC_U16 ? 65535 : 255;
    int length;
    if (pam || n_channels % 2 == 0)
        length = snprintf(text, sizeof text,
                          "P7\nWIDTH %lld\nHEIGHT %lld\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n",
                          w, h, n_channels, maxval, types[n_channels - 1]);
    else
        length = snprintf(text, sizeof text, "P%c\n%lld %lld\n%d\n", n_channels == 1 ? '5' : '6', w,
                          h, maxval);
    return sac_out_write(out, text, (size_t)length, err);
}

/* Samples, high byte first. */
static sac_status write_u16(sac_out *out, const uint16_t *samples, size_t n, sac_error *err)
{
    uint8_t bytes[32768];
    while (n) {
        size_t now = n < sizeof bytes / 2 ? n : sizeof bytes / 2;
        for (size_t i = 0; i < now; i++) {
            bytes[2 * i] = (uint8_t)(samples[i] >> 8);
            bytes[2 * i + 1] = (uint8_t)(samples[i] & 0xff);
        }
        sac_status st = sac_out_write(out, bytes, 2 * now, err);
        if (st != SAC_OK)
            return st;
        samples += now;
        n -= now;
    }
    return SAC_OK;
}

sac_status sac_pnm_write(sac_out *out, const sac_picture *picture, bool pam, sac_error *err)
{
    const sac_array *a = &picture->array;
    size_t n = (size_t)sac_array_count(a);
    sac_status st = write_header(out, a, sac_picture_channels(picture), pam, err);
    if (st != SAC_OK)
        return st;
    return a->dtype == SAC_U16 ? write_u16(out, a->data, n, err)
                               : sac_out_write(out, a->data, n, err);
}
