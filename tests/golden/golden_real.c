/*
 * Real pictures: every variant, at 1, 2 and 7 threads, gives the same bytes; the small ones, which
 * need no decoder, are also compared with hashes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "golden.h"

#include <inttypes.h>
#include <string.h>

#include <saccade/io.h>

static const struct {
    const char *name;
    uint64_t global, local; /* hashes: first, and CLAHE 8x8 clip 2 */
} frames[] = {
    {"meltpool/normal_1_96x96.pgm", UINT64_C(0xc13775d733ff0664), UINT64_C(0x9acd82e9bbf75469)},
    {"meltpool/normal_2_96x96.pgm", UINT64_C(0xd000bd746598815b), UINT64_C(0xf21ea3e75555a19b)},
    {"meltpool/spatters_1_96x96.pgm", UINT64_C(0x4d17dbee4df5a336), UINT64_C(0xeb5fff5a89d4c10c)},
};
enum { N_FRAMES = sizeof frames / sizeof frames[0] };

static const char large[] = "pictures/field-5312x2988.jpg";

static sac_status read_data(sac_picture **picture, const char *name, sac_error *err)
{
    char path[1024];
    const char *folder = getenv("SACCADE_DATA");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", name);
    return sac_picture_read(picture, path, 0, err);
}

/* Contiguous memory for such a picture. */
static sac_array like(const sac_array *a)
{
    sac_array copy;
    void *data = malloc((size_t)sac_array_count(a) * sac_dtype_size(a->dtype));
    if (!data || sac_array_view(&copy, data, a->dtype, a->n_dims, a->shape, NULL) != SAC_OK) {
        fputs("no memory for a picture\n", stderr);
        exit(1);
    }
    return copy;
}

static void run(const sac_equalize_desc *desc, const golden_way *way, const sac_array *out,
                const sac_array *in)
{
    sac_equalize *plan = golden_open(*desc, way);
    if (sac_equalize_run(plan, out, in, NULL) != SAC_OK)
        exit(1);
    sac_equalize_close(&plan);
}

/* Every way but the last `n_without` against the first; *hash is the result's. Counts faults. */
static int compare_ways(uint64_t *hash, const sac_equalize_desc *desc, const sac_array *in,
                        int n_without, const char *what)
{
    const sac_array want = like(in), got = like(in);
    const size_t n = (size_t)sac_array_count(in) * sac_dtype_size(in->dtype);
    int n_faults = 0;
    run(desc, &golden_ways[0], &want, in);
    for (int i = 1; i < N_GOLDEN_WAYS - n_without; i++) {
        const golden_way *way = &golden_ways[i];
        if (!golden_can(way))
            continue;
        memset(got.data, 0xA5, n);
        run(desc, way, &got, in);
        if (memcmp(got.data, want.data, n) == 0)
            continue;
        n_faults++;
        printf("%s: variant %s, %d threads: other bytes than the planner's choice, 1 thread\n",
               what, way->variant ? way->variant : "-", way->n_threads);
    }
    *hash = golden_hash(GOLDEN_START, &want);
    free(want.data);
    free(got.data);
    return n_faults;
}

static int compare_hash(uint64_t want, uint64_t got, const char *what, const char *how)
{
    if (want == got)
        return 0;
    printf("%s, %s: wanted %016" PRIx64 ", got %016" PRIx64 "\n", what, how, want, got);
    return 1;
}

static int check_frame(int i, const sac_array *in)
{
    uint64_t hash;
    sac_equalize_desc desc = golden_desc(in);
    int n_faults = compare_ways(&hash, &desc, in, 0, frames[i].name);
    n_faults += compare_hash(frames[i].global, hash, frames[i].name, "first");
    desc.clahe[0] = desc.clahe[1] = 8;
    n_faults += compare_ways(&hash, &desc, in, 0, frames[i].name);
    return n_faults + compare_hash(frames[i].local, hash, frames[i].name, "CLAHE 8x8");
}

static int check_large(const sac_array *in)
{
    uint64_t hash;
    sac_array rows, crop;
    sac_equalize_desc desc = golden_desc(in);
    int n_faults = compare_ways(&hash, &desc, in, 1, large); /* ref divides: a crop is enough */
    if (sac_array_range(&rows, in, 0, 1201, 399, NULL) != SAC_OK ||
        sac_array_range(&crop, &rows, 1, 1303, 701, NULL) != SAC_OK)
        exit(1);
    desc = golden_desc(&crop);
    for (desc.scale = SAC_SCALE_FIRST; desc.scale <= SAC_SCALE_MINMAX; desc.scale++)
        n_faults += compare_ways(&hash, &desc, &crop, 0, "a crop of it");
    desc.scale = SAC_SCALE_FIRST;
    desc.clahe[0] = 8;
    desc.clahe[1] = 5;
    return n_faults + compare_ways(&hash, &desc, &crop, 0, "a crop of it, CLAHE");
}

int main(void)
{
    int n_checked = 0, n_missing = 0, n_faults = 0;
    for (int i = 0; i <= N_FRAMES; i++) {
        sac_picture *picture = NULL;
        sac_error err = {0};
        const sac_status st = read_data(&picture, i < N_FRAMES ? frames[i].name : large, &err);
        if (st == SAC_E_IO || st == SAC_E_UNSUPPORTED) {
            n_missing++;
            continue;
        }
        if (st != SAC_OK) {
            printf("%s\n", err.text);
            return 1;
        }
        const sac_array in = sac_picture_get_array(picture);
        n_faults += i < N_FRAMES ? check_frame(i, &in) : check_large(&in);
        n_checked++;
        sac_picture_close(&picture);
    }
    if (n_checked == 0)
        return skip_all("no real pictures in ../shared/data or SACCADE_DATA");
    if (n_missing > 0)
        skip_part("a real picture is missing, or this build does not read it");
    printf("%d of %d pictures checked, %d faults\n", n_checked, N_FRAMES + 1, n_faults);
    return n_faults > 0;
}
