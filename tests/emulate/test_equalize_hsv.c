/*
 * equalize by way of HSV on a GPU: in every launch shape, odd ones and more threads than pixels or
 * bins too, the bytes of the same program on the CPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equalize/ladder/check.h"
#include "equalize/ladder/rungs_cuda.h"

enum { BINS = 256 };

static const sac_gpu_shape shapes[] = {{{1, 1, 1}, {1, 1, 1}},   {{8, 1, 1}, {8, 8, 4}},
                                       {{8, 8, 1}, {8, 4, 1}},   {{3, 2, 2}, {5, 3, 1}},
                                       {{1, 1, 1}, {33, 1, 1}},  {{1, 1, 1}, {1024, 1, 1}},
                                       {{2, 1, 1}, {1000, 1, 1}}};

enum { ALL_SHAPES = sizeof shapes / sizeof *shapes };
enum { NOISE, DARK, CONSTANT, BLACK, CONTENTS };

static uint64_t n_cases, n_faults;

static void must(sac_status status, const char *what)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sac_status_name(status));
    exit(1);
}

static void fill(uint8_t *rgb, size_t n, int content)
{
    uint64_t state = 77;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        const unsigned r = (unsigned)(state >> 40);
        rgb[i] = (uint8_t)(content == NOISE  ? r % 256
                           : content == DARK ? r % 7 * (r / 7 % 9)
                                             : (content == CONSTANT) * (90 + i % 3));
    }
}

typedef struct picture {
    sac_pixels out, in;
    float *hsv;
    size_t n;
} picture;

static void *take(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (memory == NULL)
        exit(1);
    return memory;
}

static picture new_picture(int64_t w, int64_t h, int content)
{
    picture p = {.n = (size_t)(3 * w * h)};
    uint8_t *in = take(p.n, 1), *out = take(p.n, 1);
    fill(in, p.n, content);
    p.in = (sac_pixels){.color = {in, in + 1, in + 2}, .n_colors = 3, .pixel = 3, .row = 3 * w};
    p.in.w = w;
    p.in.h = h;
    p.out = p.in;
    for (int k = 0; k < 3; k++)
        p.out.color[k] = out + k;
    p.hsv = take(p.n, sizeof *p.hsv);
    return p;
}

static void free_picture(picture *p)
{
    free(p->in.color[0]);
    free(p->out.color[0]);
    free(p->hsv);
}

static void try_picture(sac_gpu *gpu, int64_t w, int64_t h, int content, int32_t scale)
{
    picture want = new_picture(w, h, content), got = new_picture(w, h, content);
    const sac_equalize_desc desc = {.scale = scale};
    const sac_equalize_job job = {.desc = &desc, .out = want.out, .in = want.in, .hsv = want.hsv};
    sac_equalize_hsv_planes(&job);
    const sac_equalize_cuda t = {.depth = 8, .bins = BINS, .scale = scale};
    float s[BINS];
    uint64_t counts[BINS], cumulative[BINS], second[BINS];
    for (int i = 0; i < ALL_SHAPES; i++) {
        const sac_equalize_cuda_job of = {.out = got.out,
                                          .in = got.in,
                                          .t = &t,
                                          .hsv = got.hsv,
                                          .s = s,
                                          .counts = counts,
                                          .cumulative = cumulative,
                                          .second = second};
        memset(got.out.color[0], 0xA5, got.n);
        must(sac_equalize_hsv_planes_cuda(sac_gpu_main_stream(gpu), &shapes[i], &of), "launch");
        must(sac_gpu_wait(sac_gpu_main_stream(gpu)), "wait");
        n_cases++;
        if (memcmp(want.out.color[0], got.out.color[0], got.n) != 0 && n_faults++ < 20)
            fprintf(stderr, "%" PRId64 "x%" PRId64 ", content %d, scale %d: shape %d differs\n", w,
                    h, content, scale, i);
    }
    free_picture(&want);
    free_picture(&got);
}

int main(void)
{
    static const int64_t sizes[][2] = {{1, 1}, {31, 7}, {64, 41}};
    sac_gpu *gpu = NULL;
    must(sac_gpu_open(&gpu, 0, NULL), "open");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int content = 0; content < CONTENTS; content++)
            for (int32_t scale = SAC_SCALE_FIRST; scale <= SAC_SCALE_MINMAX; scale++)
                try_picture(gpu, sizes[k][0], sizes[k][1], content, scale);
    sac_gpu_close(&gpu);
    printf("%" PRIu64 " pictures compared with the CPU's, %" PRIu64 " differ\n", n_cases, n_faults);
    return n_faults > 0;
}
