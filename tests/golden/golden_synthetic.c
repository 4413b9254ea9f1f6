/*
 * Golden pictures: small ones made here in integers, equalized with many combinations of options,
 * in every way, compared by hash with golden_table.h. --print writes that table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "golden.h"

#include <inttypes.h>
#include <string.h>

typedef struct golden_row {
    const char *name;
    uint64_t hash;
} golden_row;

static const golden_row golden_table[] = {
#include "golden_table.h"
    {NULL, 0},
};

#define W 61 /* no multiple of a vector, a tile or a block */
#define H 47
#define MAX_CHANNELS 4
enum { SCENE, NOISE, DARK, TWO, N_PICTURES };

/* Repeatable noise of a point (the finalizer of Steele, Lea and Flood's SplitMix64). */
static uint32_t noise(uint32_t x, uint32_t y, uint32_t channel)
{
    uint64_t n = ((uint64_t)y << 32 | x << 3 | channel) * UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((n ^ n >> 31) & 0xffff);
}

/* A sample of 16 bits. */
static uint32_t sample(int picture, uint32_t x, uint32_t y, uint32_t channel)
{
    const uint32_t grain = noise(x, y, channel);
    const uint32_t hill = y > 20 + (x * x / 40 + 7 * x) % 17;
    switch (picture) {
    case SCENE: /* bright sky, dark textured ground, tinted */
        return (hill ? 6000 + 900 * (x % 7) : 30000 + 500 * y) * (8 + channel) / 10 + grain / 32;
    case NOISE:
        return grain;
    case DARK: /* with a few bright points, and black ones */
        return grain < 700 ? 60000 : grain < 9000 ? 0 : grain / 24;
    default:
        return (x / 8 + y / 8) % 2 ? 20000 : 40000 - 3000 * channel;
    }
}

static sac_array make(void *memory, int picture, sac_dtype dtype, int32_t n_channels)
{
    sac_array a;
    const int64_t shape[] = {H, W, n_channels};
    if (sac_array_view(&a, memory, dtype, n_channels == 1 ? 2 : 3, shape, NULL) != SAC_OK)
        exit(1);
    uint32_t i = 0;
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++)
            for (uint32_t c = 0; c < (uint32_t)n_channels; c++, i++) {
                const uint32_t value = sample(picture, x, y, c);
                if (dtype == SAC_U8)
                    ((uint8_t *)memory)[i] = (uint8_t)(value >> 8);
                else
                    ((uint16_t *)memory)[i] = (uint16_t)value;
            }
    return a;
}

/* All pictures through one plan, in order: with `smooth` they are frames of a video. */
static uint64_t hash_of(const sac_equalize_desc *options, const golden_way *way)
{
    static uint16_t in[W * H * MAX_CHANNELS];
    static uint16_t out[W * H * MAX_CHANNELS];
    uint64_t hash = GOLDEN_START;
    sac_equalize *plan = golden_open(*options, way);
    for (int i = 0; i < N_PICTURES; i++) {
        const sac_array from = make(in, i, options->dtype, options->n_channels);
        sac_array to = from;
        to.data = out;
        memset(out, 0xA5, sizeof out);
        if (sac_equalize_run(plan, &to, &from, NULL) != SAC_OK)
            exit(1);
        hash = golden_hash(hash, &to);
    }
    sac_equalize_close(&plan);
    return hash;
}

typedef struct run {
    bool print;
    size_t n_rows, n_faults;
} run;

/* A row of the table: printed, or compared. */
static void try(run *r, const sac_equalize_desc *options)
{
    static const char *const scales[] = {"first", "max", "minmax"};
    char name[96];
    snprintf(name, sizeof name, "u%zu x%d %s %d bins clahe %dx%d clip %g smooth %g",
             8 * sac_dtype_size(options->dtype), options->n_channels, scales[options->scale],
             options->bins, options->clahe[0], options->clahe[1], options->clip, options->smooth);
    if (r->print) {
        printf("{\"%s\", UINT64_C(0x%016" PRIx64 ")},\n", name, hash_of(options, &golden_ways[0]));
        return;
    }
    const golden_row *row = &golden_table[r->n_rows];
    if (!row->name || strcmp(row->name, name) != 0) {
        printf("row %zu: wanted %s, got %s\n", r->n_rows, row->name ? row->name : "none", name);
        exit(1);
    }
    /* A third of the ways for each row, in turn. */
    for (size_t i = r->n_rows++ % 3; i < N_GOLDEN_WAYS; i += 3) {
        const golden_way *way = &golden_ways[i];
        const uint64_t got = golden_can(way) ? hash_of(options, way) : row->hash;
        if (got == row->hash)
            continue;
        r->n_faults++;
        printf("%s, variant %s, %d threads: wanted %016" PRIx64 ", got %016" PRIx64 "\n", name,
               way->variant ? way->variant : "-", way->n_threads, row->hash, got);
    }
}

static void try_global(run *r, sac_equalize_desc d)
{
    static const int32_t bins[] = {2, 100, 256, 4096, 65536};
    for (d.scale = SAC_SCALE_FIRST; d.scale <= SAC_SCALE_MINMAX; d.scale++) {
        for (size_t i = 0; i < sizeof bins / sizeof bins[0]; i++) {
            d.bins = bins[i];
            try(r, &d);
        }
        d.bins = 0;
        d.smooth = 0.75;
        try(r, &d);
        d.smooth = 0;
    }
}

static void try_clahe(run *r, sac_equalize_desc d)
{
    static const int32_t tiles[][2] = {{1, 1}, {4, 3}, {8, 8}};
    static const double clips[] = {0, 1, 2, 40};
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
        d.clahe[0] = tiles[t][0];
        d.clahe[1] = tiles[t][1];
        for (size_t c = 0; c < sizeof clips / sizeof clips[0]; c++) {
            d.clip = clips[c];
            d.bins = 256;
            try(r, &d);
        }
        d.clip = 2;
        d.bins = 100;
        d.smooth = 0.75;
        try(r, &d);
        d.smooth = 0;
    }
    d.bins = 65536;
    d.clahe[0] = d.clahe[1] = 2;
    try(r, &d);
}

int main(int argc, char **argv)
{
    run r = {.print = argc > 1 && !strcmp(argv[1], "--print")};
    static const int32_t channels[] = {1, 3, 4};
    if (r.print)
        puts(
            "/* Written by golden_synthetic --print.\n * SPDX-License-Identifier: Apache-2.0\n */");
    for (int deep = 0; deep < 2; deep++)
        for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
            sac_equalize_desc d;
            sac_equalize_desc_init(&d);
            d.dtype = deep ? SAC_U16 : SAC_U8;
            d.w = W;
            d.h = H;
            d.n_channels = channels[i];
            try_global(&r, d);
            try_clahe(&r, d);
        }
    if (!r.print && golden_table[r.n_rows].name) {
        printf("row %zu: wanted %s, got none\n", r.n_rows, golden_table[r.n_rows].name);
        return 1;
    }
    if (!r.print)
        printf("%zu rows, %zu faults\n", r.n_rows, r.n_faults);
    return r.n_faults > 0;
}
