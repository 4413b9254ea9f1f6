/*
 * label_raw W H THRESHOLD: labels the W x H bytes of standard input, and writes them as 32-bit
 * integers, behind their count. For label_scipy.py.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include <saccade/label.h>

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const int64_t w = atoll(argv[1]), h = atoll(argv[2]), shape[] = {h, w};
    const size_t n_pixels = (size_t)(w * h);
    uint8_t *pixels = malloc(n_pixels + 1);
    int32_t *numbers = malloc((n_pixels + 1) * sizeof *numbers);
    sac_array in, labels;
    sac_error err = {0};
    int64_t n;
    if (!pixels || !numbers || fread(pixels, 1, n_pixels, stdin) != n_pixels ||
        sac_array_view(&in, pixels, SAC_U8, 2, shape, &err) != SAC_OK ||
        sac_array_view(&labels, numbers + 1, SAC_I32, 2, shape, &err) != SAC_OK ||
        sac_label(&labels, &n, &in, atoi(argv[3]), &err) != SAC_OK) {
        fprintf(stderr, "label_raw: %s\n", err.text);
        return 1;
    }
    numbers[0] = (int32_t)n;
    fwrite(numbers, sizeof *numbers, n_pixels + 1, stdout);
    free(numbers);
    free(pixels);
    return 0;
}
