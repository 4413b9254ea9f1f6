/*
 * The delta stream's decoder on a GPU answers as the CPU's: the same statuses, counts and pictures,
 * of packets that no encoder makes (any kinds, masks and values, any rows per band), of damaged and
 * forged ones, and where packets are lost. What encoders make, check_plans tries.
 *
 *     gpu_delta [--thin] [SEED [CASES]]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/delta.h>

#include "counts.h"
#include "delta/format.h"
#include "gpu/gpu.h"
#include "skip.h"

enum { PACKETS = 10, MOST_SIDE = 400 };

static void must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sac_status_name(status), err->text);
    exit(1);
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

static int64_t upto(uint64_t *state, int64_t n)
{
    return (int64_t)(next(state) >> 33) % n;
}

typedef struct packet {
    uint8_t *data;
    size_t size;
} packet;

/* How a packet is made. */
typedef struct recipe {
    sac_delta_header header;
    int64_t kinds;   /* how cells are chosen */
    int64_t density; /* of masks: n of 4 bits */
    int64_t fault;   /* what is wrong with it; 0: nothing */
} recipe;

enum { SOUND, BAD_KIND, BAD_MASKS, BAD_VALUES, BAD_SIZE, N_FAULTS };

static uint8_t draw_kind(const recipe *r, uint64_t *state)
{
    static const uint8_t mixes[][4] = {
        {SAC_CELL_STILL, SAC_CELL_SPARSE, SAC_CELL_TEMPORAL, SAC_CELL_SPATIAL},
        {SAC_CELL_STILL, SAC_CELL_STILL, SAC_CELL_STILL, SAC_CELL_SPARSE},
        {SAC_CELL_SPATIAL, SAC_CELL_SPATIAL, SAC_CELL_SPATIAL, SAC_CELL_TEMPORAL},
        {SAC_CELL_SPARSE, SAC_CELL_TEMPORAL, SAC_CELL_TEMPORAL, SAC_CELL_SPARSE},
    };
    return r->header.is_key ? SAC_CELL_SPATIAL : mixes[r->kinds][upto(state, 4)];
}

static uint8_t draw_mask(int64_t density, uint64_t *state)
{
    const uint64_t a = next(state) >> 32, b = a >> 8;
    return (uint8_t)(density == 0   ? 0
                     : density == 1 ? a & b
                     : density == 2 ? a
                     : density == 3 ? a | b
                                    : 255);
}

static size_t put_masks(uint8_t *to, size_t n, int64_t density, uint64_t *state)
{
    size_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        to[i] = draw_mask(density, state);
        bits += (size_t)__builtin_popcount(to[i]);
    }
    return bits;
}

/* What a fault does to a stream's size: a step more or less. */
static size_t off(size_t size, size_t step, uint64_t *state)
{
    return size >= step && upto(state, 2) ? size - step : size + step;
}

/* A band from its table on, with its streams as they are; returns its bytes. */
static size_t put_band(uint8_t *to, const recipe *r, size_t n_cells, int64_t fault, uint64_t *state)
{
    const int32_t channels = r->header.channels, n_streams = sac_delta_n_streams(channels);
    size_t size[SAC_DELTA_MAX_STREAMS] = {n_cells}, n[SAC_CELL_KINDS] = {0};
    uint8_t *at = to + 8 * n_streams;
    for (size_t i = 0; i < n_cells; i++) {
        at[i] = draw_kind(r, state);
        n[at[i]]++;
    }
    if (fault == BAD_KIND)
        at[upto(state, (int64_t)n_cells)] = (uint8_t)upto(state, 256);
    at += n_cells;
    size[1] = n[SAC_CELL_SPARSE] * SAC_DELTA_MASK;
    const size_t whole = (n[SAC_CELL_TEMPORAL] + n[SAC_CELL_SPATIAL]) * SAC_DELTA_MASK;
    const int32_t bad = fault == BAD_MASKS ? 1 + (int32_t)upto(state, 1 + channels) : 0;
    size[1] = bad == 1 ? off(size[1], SAC_DELTA_MASK, state) : size[1];
    const size_t sparse = put_masks(at, size[1], r->density, state);
    at += size[1];
    for (int32_t c = 0; c < channels; c++) {
        size[2 + c] = bad == 2 + c ? off(whole, SAC_DELTA_MASK, state) : whole;
        size[2 + channels + c] = sparse + put_masks(at, size[2 + c], r->density, state);
        at += size[2 + c];
    }
    for (int32_t c = 0; c < channels; c++) {
        size_t *values = &size[2 + channels + c];
        *values = fault == BAD_VALUES && upto(state, 2) ? off(*values, 1, state) : *values;
        for (size_t i = 0; i < *values; i++)
            *at++ = (uint8_t)(next(state) >> 40);
    }
    for (int32_t i = 0; i < n_streams; i++) {
        sac_delta_put32(to + 8 * i, (uint32_t)size[i]);
        sac_delta_put32(to + 8 * i + 4, (uint32_t)size[i]);
    }
    if (fault == BAD_SIZE)
        sac_delta_put32(to + 8 * upto(state, n_streams),
                        (uint32_t)(next(state) >> upto(state, 64)));
    return (size_t)(at - to);
}

static void seal(packet *p)
{
    sac_delta_put32(p->data + 8, (uint32_t)p->size);
    const size_t sealed = p->size - SAC_DELTA_TAIL;
    sac_delta_put64(p->data + sealed, sac_delta_checksum(p->data, sealed));
}

static packet forge(const recipe *r, uint64_t *state)
{
    const sac_delta_header *h = &r->header;
    const sac_delta_geometry g = sac_delta_geometry_of(h->w, h->h, h->channels, h->band_rows);
    packet p = {.data = malloc(sac_delta_packet_max(h) + 8192), .size = SAC_DELTA_HEADER};
    const int32_t faulty = (int32_t)upto(state, g.n_bands);
    sac_delta_header_put(p.data, h);
    for (int32_t k = 0; k < g.n_bands; k++) {
        const size_t n_cells = (size_t)g.cells_x * (size_t)sac_delta_cells_y(&g, k);
        p.size += put_band(p.data + p.size, r, n_cells, k == faulty ? r->fault : SOUND, state);
    }
    p.size += SAC_DELTA_TAIL;
    seal(&p);
    return p;
}

/* Both decoders, and what they are given. */
typedef struct test {
    uint64_t seed, state;
    sac_gpu *gpu;
    sac_delta_decode *want, *got;
    recipe recipe;
    bool on_device;
    int32_t n, n_pictures, n_refused;
} test;

static void draw_geometry(test *t)
{
    static const int32_t channels[] = {1, 3, 4};
    sac_delta_header *h = &t->recipe.header;
    const int64_t most = upto(&t->state, 4) ? 100 : MOST_SIDE;
    h->w = 1 + (int32_t)upto(&t->state, most);
    h->h = 1 + (int32_t)upto(&t->state, most);
    h->band_rows = 16 * (1 + (int32_t)upto(&t->state, upto(&t->state, 2) ? 3 : 32));
    h->channels = channels[upto(&t->state, 3)];
    h->order = h->channels == 1 ? SAC_ORDER_UNKNOWN : (sac_pixel_order)upto(&t->state, 3);
    h->threshold = (int32_t)upto(&t->state, 255);
}

static sac_delta_decode *open_decoder(const test *t, bool is_gpu)
{
    sac_delta_decode *plan = NULL;
    sac_delta_decode_desc d;
    sac_error err = {0};
    sac_delta_decode_desc_init(&d);
    d.n_threads = 2;
    d.device.kind = is_gpu ? SAC_DEVICE_CUDA : SAC_DEVICE_CPU;
    d.on_device = is_gpu && t->on_device;
    must(sac_delta_decode_open(&plan, &d, &err), "open", &err);
    return plan;
}

static int fault(const test *t, const char *what)
{
    const sac_delta_header *h = &t->recipe.header;
    fprintf(stderr,
            "seed %" PRIu64 ": packet %d, %dx%dx%d, %d rows a band, key %d, fault %d, %s: %s\n",
            t->seed, t->n, h->w, h->h, h->channels, h->band_rows, h->is_key, (int)t->recipe.fault,
            t->on_device ? "on the device" : "copied", what);
    return 1;
}

/* Whole rows of the picture, in the CPU's memory; free() them. */
static uint8_t *rows_of(const test *t, const sac_array *a)
{
    const size_t bytes = (size_t)(a->shape[0] * a->stride[0]);
    const sac_error err = {.text = "a copy"};
    uint8_t *rows = malloc(bytes);
    must(sac_gpu_enter(t->gpu), "enter", &err);
    must(sac_gpu_copy(rows, a->data, bytes, sac_gpu_copy_stream(t->gpu)), "copy", &err);
    must(sac_gpu_wait(sac_gpu_copy_stream(t->gpu)), "copy", &err);
    sac_gpu_leave(t->gpu);
    return rows;
}

static bool same_pictures(const test *t, const sac_array *want, const sac_array *got)
{
    if (!want->data || !got->data)
        return !want->data && !got->data;
    const bool on_device = got->device.kind == SAC_DEVICE_CUDA;
    if (on_device != t->on_device || want->n_dims != got->n_dims ||
        memcmp(want->shape, got->shape, sizeof want->shape) != 0 ||
        memcmp(want->stride, got->stride, sizeof want->stride) != 0)
        return false;
    uint8_t *rows = on_device ? rows_of(t, got) : NULL;
    const bool same = memcmp(want->data, rows ? rows : got->data,
                             (size_t)(want->shape[0] * want->stride[0])) == 0;
    free(rows);
    return same;
}

static int give(test *t, const packet *p)
{
    sac_delta_frame want, got;
    const sac_status wanted = sac_delta_decode_run(t->want, &want, p->data, p->size, NULL);
    const sac_status status = sac_delta_decode_run(t->got, &got, p->data, p->size, NULL);
    const sac_delta_counts all = counts_of_delta(t->want), of_gpu = counts_of_delta(t->got);
    if (status != wanted) {
        fprintf(stderr, "wanted %s, got %s\n", sac_status_name(wanted), sac_status_name(status));
        return fault(t, "another status");
    }
    if (want.frame != got.frame || want.time_ns != got.time_ns || want.order != got.order ||
        want.threshold != got.threshold || want.is_key != got.is_key ||
        want.wants_key != got.wants_key)
        return fault(t, "another frame");
    if (memcmp(&all, &of_gpu, sizeof all) != 0)
        return fault(t, "other counts");
    t->n_pictures += status == SAC_OK;
    t->n_refused += status == SAC_E_FORMAT;
    return same_pictures(t, &want.picture, &got.picture) ? 0 : fault(t, "another picture");
}

/* Bytes that are no packet any more. */
static void damage(packet *p, uint64_t *state)
{
    if (upto(state, 3) == 0)
        p->size = (size_t)upto(state, (int64_t)p->size);
    for (int64_t n = 1 + upto(state, 4); n > 0 && p->size > 0; n--)
        p->data[upto(state, (int64_t)p->size)] ^= (uint8_t)(1 << upto(state, 8));
}

/* The next packet of the stream, which both decoders take unless something is wrong with it. */
static int step(test *t)
{
    recipe *r = &t->recipe;
    sac_delta_header *h = &r->header;
    const bool begins = t->n == 0 || upto(&t->state, 12) == 0;
    if (begins) { /* another stream, of another size */
        draw_geometry(t);
        h->stream = next(&t->state);
        h->frame = (uint64_t)upto(&t->state, 100);
        h->previous = 0;
    }
    h->is_key = begins || upto(&t->state, 6) == 0;
    r->kinds = upto(&t->state, 4);
    r->density = upto(&t->state, 5);
    r->fault = upto(&t->state, 4) ? SOUND : upto(&t->state, N_FAULTS);
    packet p = forge(r, &t->state);
    const uint64_t checksum = sac_delta_get64(p.data + p.size - SAC_DELTA_TAIL);
    const int64_t fate = upto(&t->state, 10);
    int n_faults = 0;
    if (fate == 0) {
        damage(&p, &t->state);
        n_faults = give(t, &p);
    } else if (fate > 1) { /* else it is lost */
        n_faults = give(t, &p);
    }
    if (r->fault == SOUND && (fate > 0 || upto(&t->state, 2))) { /* else the sender says it again */
        h->previous = checksum;
        h->frame++;
    }
    free(p.data);
    t->n++;
    return n_faults;
}

static int try_one(sac_gpu *gpu, uint64_t seed, int64_t *n_pictures, int64_t *n_refused)
{
    test t = {.seed = seed, .state = seed * 2654435761 + 1, .gpu = gpu};
    int n_faults = 0;
    next(&t.state);
    t.on_device = upto(&t.state, 2);
    t.want = open_decoder(&t, false);
    t.got = open_decoder(&t, true);
    while (t.n < PACKETS && n_faults == 0)
        n_faults = step(&t);
    sac_delta_decode_close(&t.want);
    sac_delta_decode_close(&t.got);
    *n_pictures += t.n_pictures;
    *n_refused += t.n_refused;
    return n_faults;
}

int main(int argc, char **argv)
{
    const bool thin = argc > 1 && strcmp(argv[1], "--thin") == 0;
    const int first = 1 + thin;
    const uint64_t seed = argc > first ? strtoull(argv[first], NULL, 10) : 1;
    const int n = argc > first + 1 ? atoi(argv[first + 1]) : thin ? 40 : 1000;
    sac_gpu *gpu = NULL;
    sac_error err = {0};
    if (!strstr(sac_delta_parts(), "zstd"))
        return skip_all("this build has no zstd");
    if (sac_gpu_open(&gpu, 0, &err) != SAC_OK)
        return skip_all("no GPU, or a build without CUDA");
    int n_faults = 0;
    int64_t n_pictures = 0, n_refused = 0;
    for (int i = 0; i < n && n_faults < 20; i++)
        n_faults += try_one(gpu, seed + (uint64_t)i, &n_pictures, &n_refused);
    sac_gpu_close(&gpu);
    printf("%d cases, %" PRId64 " pictures, %" PRId64 " packets refused, %d faults\n", n,
           n_pictures, n_refused, n_faults);
    return n_faults > 0 || n_pictures == 0 || n_refused == 0;
}
