/*
 * The harness's loops: every variant of a room over every mode, content, size and layout, each
 * compared with the reference.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "room/check.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "ladder/check_case.h"

/* Around every vector width, its halves and doubles. */
static const int64_t widths[] = {1,  2,  3,  5,  7,   8,   15,  16,  17,  23,  31,  32,   33,
                                 47, 63, 64, 65, 127, 128, 129, 131, 255, 256, 257, 1000, 1031};
static const int64_t heights[] = {2, 3, 5};
/* For rooms without rows, also where 16-bit counters and indices end, and a large prime. */
static const int64_t lengths[] = {4095, 4099, 65535, 65536, 65537, 131071};

/* The two poisons take turns, so that a value equal to one of them is noticed with the other. */
static const uint8_t poisons[2] = {0x5A, 0xA5};

static const sac_check_layout plain[2] = {{.poison = 0x5A}, {.poison = 0xA5}};

static const sac_check_layout layouts[] = {
    {0, 0, false, 0x5A}, {1, 3, false, 0xA5},  {5, 1, true, 0x5A},   {8, 0, true, 0xA5},
    {3, 0, false, 0x5A}, {31, 17, true, 0xA5}, {15, 1, false, 0x5A}, {63, 33, true, 0xA5},
};

#define COUNT(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))
#define N_LAYOUTS COUNT(layouts)
#define LARGE 4096   /* pixels from which on a case sees only two layouts */
#define MAX_FAULTS 8 /* of a variant, before it is given up */

const char *sac_check_fault_name(sac_check_fault kind)
{
    static const char *const names[SAC_FAULT_KINDS] = {"wrong value",
                                                       "wrote before the first byte",
                                                       "wrote after the last byte",
                                                       "wrote between rows",
                                                       "changed an input",
                                                       "wrong among other threads",
                                                       "never tried"};
    return kind < SAC_FAULT_KINDS ? names[kind] : "?";
}

uint64_t sac_check_mix(uint64_t seed, uint64_t k)
{
    uint64_t state = (seed ^ (k + 1) * UINT64_C(0x9E3779B97F4A7C15)) | 1;
    (void)sac_check_random(&state);
    return sac_check_random(&state) | 1;
}

/* The i-th of two tables, either of which may be NULL. */
static const sac_variant *find_variant(const sac_variant *first, const sac_variant *second,
                                       int32_t i)
{
    for (const sac_variant *v = first; v != NULL && v->name != NULL; v++)
        if (i-- == 0)
            return v;
    return second != NULL ? find_variant(second, NULL, i) : NULL;
}

const sac_variant *sac_check_variant(const sac_room_check *check, int32_t i)
{
    return find_variant(check->room->variants, check->rungs, i);
}

const sac_variant *sac_check_variant_cuda(const sac_room_check *check, int32_t i)
{
    return find_variant(check->cuda_rungs, check->cuda, i);
}

/* The i-th variant of a run; NULL behind the last. */
static const sac_variant *variant_of(const sac_check_run *run, int32_t i)
{
    return run->options->gpu != NULL ? sac_check_variant_cuda(run->check, i)
                                     : sac_check_variant(run->check, i);
}

bool sac_check_takes(const char *only, const char *room, const char *rung)
{
    if (only == NULL)
        return true;
    const size_t n = strcspn(only, ":");
    if (strlen(room) != n || strncmp(only, room, n) != 0)
        return false;
    return only[n] == '\0' || rung == NULL || strcmp(only + n + 1, rung) == 0;
}

void sac_check_report(sac_check_run *run, sac_check_tally *tally, const sac_check_case *c,
                      const sac_check_layout *layout, const sac_check_damage *fault)
{
    const sac_room_check *check = run->check;
    run->result->n_faults++;
    run->result->n_of[fault->kind]++;
    tally->on = ++tally->n_faults < MAX_FAULTS;
    if (run->options->report == NULL)
        return;
    fprintf(run->options->report,
            "FAULT %s:%s seed %" PRIu64 " shape %" PRId64 "x%" PRId64
            " mode %s content %s layout offset %zu padding %td %s poison %02x threads %" PRId32
            ": %s: argument %s, index %" PRId64 ", wanted %.17g, got %.17g\n",
            check->room->name, tally->variant->name, run->options->seed, c->w, c->h,
            check->modes[c->mode], check->contents[c->content], layout->offset, layout->padding,
            layout->backward ? "backward" : "forward", c->poison, c->n_threads,
            sac_check_fault_name(fault->kind), c->arg[fault->arg].name, fault->at, fault->wanted,
            fault->got);
}

/* Odd ones in all axes, one thread, and more threads than a small picture has pixels. */
static const sac_gpu_shape shapes[] = {
    {{1, 1, 1}, {1, 1, 1}},    {{3, 2, 2}, {5, 3, 2}}, {{1, 1, 1}, {32, 1, 1}},
    {{7, 1, 3}, {33, 3, 1}},   {{1, 1, 1}, {8, 8, 4}}, {{2, 5, 1}, {1, 1, 1}},
    {{64, 1, 1}, {256, 1, 1}}, {{1, 4, 1}, {1, 7, 9}},
};
#define FEW_THREADS 64 /* in all: too slow for more than MANY_PIXELS */
#define MANY_PIXELS 20000

/* NULL, then another shape each time. */
static const sac_gpu_shape *next_shape(sac_check_run *run, const sac_variant *v,
                                       const sac_check_case *c, bool own)
{
    if (own || v->ships)
        return NULL;
    const sac_gpu_shape *s = &shapes[run->n_shapes++ % COUNT(shapes)];
    const uint32_t n =
        s->grid[0] * s->grid[1] * s->grid[2] * s->block[0] * s->block[1] * s->block[2];
    return n <= FEW_THREADS && c->w * c->h > MANY_PIXELS ? &shapes[1] : s;
}

/* One call of one variant; *whole is false where it damaged what is not its own. */
static sac_status try_variant(bool *whole, sac_check_run *run, sac_check_tally *t,
                              const sac_check_layout *layout, const sac_check_case *want,
                              sac_check_case *got, const sac_gpu_shape *shape)
{
    sac_status status = SAC_OK;
    *whole = true;
    sac_check_reset(got, run->check);
    if (run->options->gpu != NULL)
        status = sac_check_call_cuda(got, &run->arena, run->check, t->variant, shape);
    else
        sac_check_call(got, run->check, t->variant);
    if (status != SAC_OK)
        return status;
    run->result->n_cases++;
    t->n_cases++;
    sac_check_diff d;
    sac_check_compare(&d, run->check, want, got, t->variant);
    if (!d.ok) {
        sac_check_report(
            run, t, got, layout,
            &(sac_check_damage){SAC_FAULT_VALUE, (int32_t)d.arg, d.index, d.wanted, d.got});
    }
    sac_check_damage damage;
    *whole = sac_check_is_whole(&damage, want, got);
    if (!*whole)
        sac_check_report(run, t, got, layout, &damage);
    return status;
}

static sac_status try_layout(sac_check_run *run, const sac_check_case *want,
                             const sac_check_layout *layout)
{
    sac_check_case got = *want;
    sac_status status = sac_check_place(&got, run->check, layout);
    if (status != SAC_OK)
        return status;
    /* Before any variant ran: here the reference's inputs are still to be as they were filled. */
    sac_check_damage damage;
    sac_check_tally *first = &run->tallies[0];
    if (first->n_faults < MAX_FAULTS && !sac_check_same_inputs(&damage, want, &got))
        sac_check_report(run, first, &got, layout, &damage);
    const int32_t n_calls = run->options->gpu != NULL ? 2 : 1;
    for (int32_t i = 0; i < n_calls * run->n_variants && status == SAC_OK; i++) {
        sac_check_tally *t = &run->tallies[i / n_calls];
        bool whole = true;
        if (t->on && sac_check_supports(run->check, t->variant, &got))
            status = try_variant(&whole, run, t, layout, want, &got,
                                 next_shape(run, t->variant, &got, i % n_calls == 0));
        if (!whole) {
            sac_check_displace(&got);
            status = sac_check_place(&got, run->check, layout);
        }
    }
    sac_check_displace(&got);
    return status;
}

/* One case in n layouts of a ring, from place `from` on. The two `want` hold the two poisons. */
static sac_status try_layouts(sac_check_run *run, const sac_check_case want[2],
                              const sac_check_layout *ring, int32_t n_ring, int64_t from, int32_t n)
{
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        const sac_check_layout *layout = &ring[(from + i) % n_ring];
        status = try_layout(run, &want[layout->poison == poisons[1]], layout);
    }
    return status;
}

/* The same, after the reference said what is wanted. */
static sac_status try_case(sac_check_run *run, const sac_check_case *c,
                           const sac_check_layout *ring, int32_t n_ring, int64_t from, int32_t n)
{
    const sac_room_check *check = run->check;
    const bool on_gpu = run->options->gpu != NULL && check->open_cuda != NULL;
    sac_check_case want[2] = {*c, *c};
    sac_status status = sac_check_case_open(&want[0], check, &plain[0]);
    if (status != SAC_OK)
        return status;
    if (on_gpu)
        status = check->open_cuda(&want[0], run->options->gpu);
    want[1].state = want[0].state;
    want[1].cuda = want[0].cuda;
    status = status ? status : sac_check_place(&want[1], check, &plain[1]);
    if (status == SAC_OK) {
        sac_check_call(&want[0], check, run->reference);
        sac_check_call(&want[1], check, run->reference);
        status = try_layouts(run, want, ring, n_ring, from, n);
        sac_check_displace(&want[1]);
    }
    if (on_gpu)
        check->close_cuda(&want[0], run->options->gpu);
    sac_check_case_close(&want[0], check);
    return status;
}

/* One size, the k-th, in every mode, with every content where that does not take too long. */
static sac_status try_size(sac_check_run *run, int64_t w, int64_t h, int64_t k)
{
    static const int32_t threads[] = {1, 2, 7};
    const int64_t limit = run->check->max_pixels;
    if (limit != 0 && w * h > limit)
        return SAC_OK;
    const bool sparse = run->check->costly || run->options->thin || run->options->sparse;
    const int64_t every = run->check->costly && run->options->sparse ? 6 : 1;
    const int32_t few = run->options->gpu != NULL ? 3 : N_LAYOUTS; /* copies take time */
    const int32_t n = !sparse && w * h < LARGE ? few : 2;
    for (int32_t mode = 0; mode < run->n_modes; mode++) {
        if ((k + mode) % every != 0)
            continue;
        const uint64_t random =
            sac_check_mix(run->options->seed, (uint64_t)(k * run->n_modes + mode));
        const int32_t drawn = (int32_t)((random >> 32) % (uint64_t)run->n_contents);
        for (int32_t content = 0; content < run->n_contents; content++) {
            if (sparse && content != drawn)
                continue;
            const int64_t i = (k * run->n_modes + mode) * run->n_contents + content;
            const sac_check_case c = {.w = w,
                                      .h = h,
                                      .mode = mode,
                                      .content = content,
                                      .seed = sac_check_mix(run->options->seed, (uint64_t)i),
                                      .n_threads = threads[k % COUNT(threads)]};
            const sac_status status = try_case(run, &c, layouts, N_LAYOUTS, k + mode + content, n);
            if (status != SAC_OK)
                return status;
        }
    }
    return SAC_OK;
}

static sac_status try_fixed_sizes(sac_check_run *run)
{
    sac_status status = SAC_OK;
    int64_t k = 0;
    for (int32_t i = 0; i < COUNT(widths) && status == SAC_OK; i++) {
        if (run->options->thin && i % 9 != 0)
            continue;
        status = try_size(run, widths[i], 1, k++);
        if (!run->check->one_row && status == SAC_OK)
            status = try_size(run, widths[i], heights[i % COUNT(heights)], k++);
    }
    const int32_t n_lengths = run->check->one_row && !run->options->thin ? COUNT(lengths) : 0;
    for (int32_t i = 0; i < n_lengths && status == SAC_OK; i++)
        status = try_size(run, lengths[i], 1, k++);
    return status;
}

/* 1..2^max_bits, every order of magnitude as likely. */
static int64_t draw_size(uint64_t *random, uint32_t max_bits)
{
    const uint64_t top = UINT64_C(1) << sac_check_random(random) % (max_bits + 1);
    return 1 + (int64_t)(sac_check_random(random) % top);
}

static sac_status try_random_sizes(sac_check_run *run)
{
    const int64_t limit = run->check->max_pixels;
    for (int32_t k = 0; k < run->options->rounds; k++) {
        /* Numbers that the fixed sizes, counted from 0 on, do not come to. */
        sac_check_case c = {.seed = sac_check_mix(~run->options->seed, (uint64_t)k),
                            .n_threads = 2};
        uint64_t random = c.seed;
        c.h = run->check->one_row ? 1 : draw_size(&random, 5);
        c.w = draw_size(&random, run->check->one_row ? 17 : 11);
        c.mode = (int32_t)(sac_check_random(&random) % (uint64_t)run->n_modes);
        c.content = (int32_t)(sac_check_random(&random) % (uint64_t)run->n_contents);
        if (limit != 0 && c.w * c.h > limit) {
            c.h = c.h > limit ? 1 : c.h;
            c.w = limit / c.h;
        }
        sac_check_layout list[2];
        for (int32_t i = 0; i < 2; i++) {
            list[i] = (sac_check_layout){.offset = sac_check_random(&random) % 64,
                                         .padding = (ptrdiff_t)(sac_check_random(&random) % 40),
                                         .backward = sac_check_random(&random) % 2 != 0,
                                         .poison = poisons[i]};
        }
        const sac_status status = try_case(run, &c, list, 2, k, 2);
        if (status != SAC_OK)
            return status;
    }
    return SAC_OK;
}

static int32_t count_names(const char *const *names)
{
    int32_t n = 0;
    while (names[n] != NULL)
        n++;
    return n;
}

/* A line a variant. What the planner may choose here and no call was made of is a fault. */
static void end_tallies(const sac_check_run *run)
{
    FILE *report = run->options->report;
    for (int32_t i = 0; i < run->n_variants; i++) {
        const sac_check_tally *t = &run->tallies[i];
        const bool is_untried =
            t->on && t->variant->ships && t->n_cases == 0 && run->options->gpu == NULL;
        char lacks[64];
        run->result->n_faults += is_untried;
        run->result->n_of[SAC_FAULT_UNTRIED] += is_untried;
        if (report == NULL ||
            !sac_check_takes(run->options->only, run->check->room->name, t->variant->name))
            continue;
        sac_cpu_names(t->variant->needs & ~sac_cpu_features(), lacks, sizeof lacks);
        if (t->n_cases > 0)
            fprintf(report, "%-28s %8" PRId64 " calls  %s\n", t->variant->name, t->n_cases,
                    t->n_faults == 0 ? "ok" : "FAILED");
        else
            fprintf(report, "%-28s    %s%s\n", t->variant->name,
                    is_untried ? "FAILED: no call that its room's check supports"
                               : "skipped: this CPU lacks ",
                    lacks);
    }
}

static void start_tallies(sac_check_run *run)
{
    const uint32_t features = sac_cpu_features();
    for (int32_t i = 0; i < run->n_variants; i++) {
        const sac_variant *v = variant_of(run, i);
        const bool runs = (v->needs & ~features) == 0;
        const bool taken = sac_check_takes(run->options->only, run->check->room->name, v->name);
        run->tallies[i] = (sac_check_tally){.variant = v, .on = runs && taken};
        run->result->n_skipped += taken && !runs;
    }
}

sac_status sac_check_room(sac_check_result *result, const sac_room_check *check,
                          const sac_check_options *options)
{
    *result = (sac_check_result){0};
    sac_check_run run = {.check = check,
                         .options = options,
                         .result = result,
                         .reference = sac_check_variant(check, 0),
                         .arena = {.gpu = options->gpu},
                         .n_modes = count_names(check->modes),
                         .n_contents = count_names(check->contents)};
    while (variant_of(&run, run.n_variants) != NULL)
        run.n_variants++;
    if (run.n_variants == 0)
        return SAC_OK;
    run.tallies = sac_alloc((size_t)run.n_variants, sizeof *run.tallies);
    if (run.tallies == NULL)
        return SAC_E_NOMEM;
    start_tallies(&run);
    const sac_status entered = options->gpu != NULL ? sac_gpu_enter(options->gpu) : SAC_OK;
    sac_status status = entered;
    if (status == SAC_OK && !options->only_random)
        status = try_fixed_sizes(&run);
    status = status ? status : try_random_sizes(&run);
    if (status == SAC_OK && options->gpu == NULL && !options->only_random)
        status = sac_check_threads(&run);
    if (!options->only_random)
        end_tallies(&run);
    sac_check_arena_close(&run.arena);
    if (options->gpu != NULL && entered == SAC_OK)
        sac_gpu_leave(options->gpu);
    sac_free(run.tallies);
    return status;
}
