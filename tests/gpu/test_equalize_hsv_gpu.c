/*
 * equalize by way of HSV on a GPU gives the CPU's bytes in every launch shape; the published sweep
 * comes with the shape that it is asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/ladder.h>

#include "gpu/gpu.h"
#include "skip.h"

static const sac_gpu_shape shapes[] = {
    {{0, 0, 0}, {0, 0, 0}},    {{1, 1, 1}, {1, 1, 1}},      {{8, 1, 1}, {8, 1, 1}},
    {{8, 1, 1}, {8, 8, 4}},    {{8, 8, 1}, {8, 4, 1}},      {{3, 2, 2}, {33, 1, 1}},
    {{1, 1, 1}, {1024, 1, 1}}, {{1024, 1, 1}, {256, 1, 1}}, {{7, 5, 3}, {4, 4, 64}}};

enum { N_SHAPES = sizeof shapes / sizeof *shapes, W = 321, H = 199, N = 3 * W * H };

static int n_cases, n_faults;

static void must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sac_status_name(status), err->text);
    exit(1);
}

static sac_array array_of(uint8_t *rgb)
{
    return (sac_array){
        .data = rgb, .dtype = SAC_U8, .n_dims = 3, .shape = {H, W, 3}, .stride = {3 * W, 3, 1}};
}

static void try_content(int content, int32_t scale)
{
    static uint8_t in[N], want[N], got[N];
    uint32_t state = 9;
    for (int i = 0; i < N; i++) {
        state = state * 1664525 + 1013904223;
        in[i] = (uint8_t)(content == 0   ? state >> 24
                          : content == 1 ? 17u + (uint32_t)i % 3
                                         : state >> 24 & (uint32_t)i >> 9);
    }
    const sac_array from = array_of(in), to = array_of(want), other = array_of(got);
    sac_ladder_hsv_desc desc;
    sac_error err = {0};
    sac_ladder_hsv_desc_init(&desc);
    desc.scale = scale;
    must(sac_ladder_hsv_run(NULL, &desc, &to, &from, &err), "on the CPU", &err);
    desc.device = (sac_device){SAC_DEVICE_CUDA, 0};
    for (int i = 0; i < N_SHAPES; i++) {
        double ns = 0;
        memcpy(desc.grid, shapes[i].grid, sizeof desc.grid);
        memcpy(desc.block, shapes[i].block, sizeof desc.block);
        memset(got, 0xA5, sizeof got);
        must(sac_ladder_hsv_run(&ns, &desc, &other, &from, &err), "on the GPU", &err);
        n_cases++;
        if ((memcmp(want, got, N) != 0 || !(ns > 0)) && n_faults++ < 20)
            fprintf(stderr, "content %d, scale %" PRId32 ": shape %d differs\n", content, scale, i);
    }
}

static void take_row(void *ctx, const sac_ladder_row *row)
{
    *(double *)ctx = row->published_ns;
    n_faults += !row->ok || row->n_published != 4 || row->published[0].grid != 16 ||
                row->published[0].block != 64;
}

/* Table 6: 16 blocks of 64 threads, on an A100; and on three more. */
static void try_published(void)
{
    sac_ladder_desc desc;
    sac_error err = {0};
    double ns = 0;
    sac_ladder_desc_init(&desc);
    desc.w = 64;
    desc.h = 48;
    desc.seconds = 1e-4;
    desc.only = "equalize:hsv-planes";
    desc.device = (sac_device){SAC_DEVICE_CUDA, 0};
    desc.grid[0] = 16;
    desc.block[0] = 64;
    desc.grid[1] = desc.grid[2] = desc.block[1] = desc.block[2] = 1;
    must(sac_ladder_run("equalize", &desc, take_row, &ns, &err), "ladder", &err);
    n_faults += ns != 2.97e6;
    n_cases++;
}

int main(void)
{
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    for (int content = 0; content < 3; content++)
        for (int32_t scale = 0; scale < 3; scale++)
            try_content(content, scale);
    try_published();
    printf("%d cases, %d differ\n", n_cases, n_faults);
    return n_faults > 0;
}
