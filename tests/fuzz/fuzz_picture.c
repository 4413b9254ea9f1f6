/*
 * libFuzzer on sac_picture_read with libvips: any bytes in a file give a sound picture, or one line
 * of error.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_PIXELS (UINT64_C(1) << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const sac_picture *picture)
{
    sac_array a = sac_picture_get_array(picture);
    if (!sac_array_is_contiguous(&a) || (uint64_t)a.shape[0] * (uint64_t)a.shape[1] > MAX_PIXELS ||
        strlen(sac_picture_get_note(picture)) > 200 || sac_picture_get_pages(picture) < 0)
        abort();
    const uint8_t *bytes = a.data;
    size_t n = (size_t)sac_array_count(&a) * sac_dtype_size(a.dtype);
    volatile uint8_t sum = 0; /* every byte is read: it is there */
    for (size_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + bytes[i]);
}

/* The first byte says which page is wanted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = size ? memfd_create("picture", 0) : -1;
    if (fd < 0)
        return 0;
    if (write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    sac_picture *picture = NULL;
    sac_error err = {0};
    sac_picture_read_desc desc;
    sac_picture_read_desc_init(&desc);
    desc.max_pixels = MAX_PIXELS;
    desc.page = data[0] % 4;
    sac_status st = sac_picture_read_with(&picture, path, &desc, &err);
    if ((st == SAC_OK) != (picture != NULL) ||
        (st != SAC_OK && (err.text[0] == '\0' || strchr(err.text, '\n'))))
        abort();
    if (picture)
        check(picture);
    sac_picture_close(&picture);
    close(fd);
    return 0;
}
