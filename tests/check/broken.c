/*
 * Proof of the harness: a toy room whose variants are broken on purpose, each in one way that real
 * kernels break. Each must be caught, as the kind of fault that it is; a correct one must pass.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "skip.h"
#include "room/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

/* The faults below are for the harness to find, not for the compiler's sanitizers. */
#define UNSANITIZED                                                                                \
    __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"),        \
                   noinline))

#define ADDEND 100

/*
 * out = min(in + 100, 255), (h, w) u8; n_saturated is (h): how many of a row's values came to more
 * than 255. Rows lie out_row and in_row bytes apart, of either sign.
 */
typedef void (*toy_fn)(uint8_t *out, ptrdiff_t out_row, uint32_t *n_saturated, const uint8_t *in,
                       ptrdiff_t in_row, int64_t w, int64_t h);

#define TOY(name)                                                                                  \
    UNSANITIZED static void name(uint8_t *out, ptrdiff_t out_row, uint32_t *n_saturated,           \
                                 const uint8_t *in, ptrdiff_t in_row, int64_t w, int64_t h)

UNSANITIZED static uint8_t add(uint8_t value)
{
    return (uint8_t)(value + ADDEND < 255 ? value + ADDEND : 255);
}

TOY(ref)
{
    for (int64_t y = 0; y < h; y++) {
        n_saturated[y] = 0;
        for (int64_t x = 0; x < w; x++) {
            const uint8_t value = in[y * in_row + x];
            out[y * out_row + x] = add(value);
            n_saturated[y] += value + ADDEND > 255;
        }
    }
}

TOY(sixteen_at_a_time)
{
    for (int64_t y = 0; y < h; y++) {
        uint32_t n = 0;
        for (int64_t x = 0; x < w; x += 16) {
            const int64_t lanes = w - x < 16 ? w - x : 16;
            for (int64_t i = 0; i < lanes; i++) {
                const uint8_t value = in[y * in_row + x + i];
                out[y * out_row + x + i] = add(value);
                n += value + ADDEND > 255;
            }
        }
        n_saturated[y] = n;
    }
}

TOY(wrong_lane)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    for (int64_t x = 5; x < w; x += 16)
        out[x] = (uint8_t)(out[x] - 1);
}

TOY(wrong_tail)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    for (int64_t x = w - w % 16; x < w; x++)
        out[(h - 1) * out_row + x] = in[(h - 1) * in_row + x];
}

TOY(overruns_by_a_byte)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    out[(out_row > 0 ? h - 1 : 0) * out_row + w]++;
}

TOY(writes_before_the_first_byte)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    out[(out_row > 0 ? 0 : h - 1) * out_row - 1]++;
}

TOY(writes_between_rows)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    for (int64_t y = 0; y < h; y++)
        if (llabs(out_row) > w && y != (out_row > 0 ? h - 1 : 0))
            out[y * out_row + w]++;
}

TOY(changes_its_input)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    ((uint8_t *)in)[w - 1] ^= 1;
}

TOY(ignores_negative_stride)
{
    ref(out, llabs(out_row), n_saturated, in, in_row, w, h);
}

TOY(assumes_packed_rows)
{
    (void)out_row;
    for (int64_t y = 0; y < h; y++)
        ref(out + y * w, w, n_saturated + y, in + y * in_row, in_row, w, 1);
}

TOY(leaves_one_output)
{
    uint32_t unused = 0;
    for (int64_t y = 0; y < h; y++)
        ref(out + y * out_row, out_row, y == 0 ? n_saturated : &unused, in + y * in_row, in_row, w,
            1);
}

TOY(leaves_what_equals_a_poison)
{
    const uint8_t poison = 0xA5; /* one of the harness's two */
    for (int64_t y = 0; y < h; y++) {
        n_saturated[y] = 0;
        for (int64_t x = 0; x < w; x++) {
            const uint8_t value = add(in[y * in_row + x]);
            n_saturated[y] += in[y * in_row + x] + ADDEND > 255;
            if (value != poison)
                out[y * out_row + x] = value;
        }
    }
}

TOY(assumes_alignment)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    for (int64_t y = 0; y < h; y++) {
        /* As a load whose address loses its low bits. */
        const uint8_t *row = (const uint8_t *)((uintptr_t)(in + y * in_row) & ~(uintptr_t)15);
        out[y * out_row] = add(row[0]);
    }
}

TOY(wrong_at_the_extreme)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++)
            if (in[y * in_row + x] == 255)
                out[y * out_row + x] = (uint8_t)(255 + ADDEND);
}

TOY(shares_scratch)
{
    static uint8_t scratch[1 << 12];
    for (int64_t y = 0; y < h; y++) {
        ref(scratch, 0, n_saturated + y, in + y * in_row, 0, w, 1);
        (void)sched_yield(); /* lets the others in */
        for (int64_t x = 0; x < w; x++)
            out[y * out_row + x] = scratch[x];
    }
}

/* What AddressSanitizer is there for: the harness forbids the guards, reading included. */
static void reads_behind_the_row(uint8_t *out, ptrdiff_t out_row, uint32_t *n_saturated,
                                 const uint8_t *in, ptrdiff_t in_row, int64_t w, int64_t h)
{
    ref(out, out_row, n_saturated, in, in_row, w, h);
    (void)*(const volatile uint8_t *)(in + (in_row > 0 ? h - 1 : 0) * in_row + w);
}

static void shape(sac_check_case *c)
{
    c->n_args = 3;
    c->arg[0] =
        (sac_check_arg){.name = "out", .role = SAC_CHECK_OUT, .size = 1, .w = c->w, .h = c->h};
    c->arg[1] = (sac_check_arg){
        .name = "n_saturated", .role = SAC_CHECK_OUT, .size = 4, .w = c->h, .h = 1, .packed = true};
    c->arg[2] =
        (sac_check_arg){.name = "in", .role = SAC_CHECK_IN, .size = 1, .w = c->w, .h = c->h};
}

static void fill(sac_check_case *c)
{
    static const uint8_t extremes[] = {0, 255, 155, 156};
    uint64_t random = c->seed;
    for (int64_t y = 0; y < c->h; y++)
        for (int64_t x = 0; x < c->w; x++) {
            const uint64_t r = sac_check_random(&random) >> 32;
            c->arg[2].data[y * c->arg[2].row + x] =
                c->content == 0 ? (uint8_t)r : extremes[r % sizeof extremes];
        }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((toy_fn)fn)(c->arg[0].data, c->arg[0].row, (uint32_t *)(void *)c->arg[1].data, c->arg[2].data,
                 c->arg[2].row, c->w, c->h);
}

static uint64_t bytes(const sac_check_case *c)
{
    return (uint64_t)(2 * c->w * c->h + 4 * c->h);
}

/* What is left of the harness where time is short: each must catch the same. */
static const sac_check_options whole = {.seed = 1, .rounds = 20},
                               sparse = {.seed = 1, .sparse = true},
                               only_random = {.seed = 1, .rounds = 200, .only_random = true};

/* What a check must not do to a variant that ships. */
static bool supports(const sac_variant *v, const sac_check_case *c)
{
    (void)c;
    return strcmp(v->name, "never_supported") != 0;
}

static sac_check_result check_pair(toy_fn reference, const char *name, toy_fn broken,
                                   const sac_check_options *options)
{
    static const char *const modes[] = {"plain", NULL};
    static const char *const contents[] = {"random", "extremes", NULL};
    const sac_variant variants[] = {
        {"ref", 0, true, SAC_FN(toy_fn, reference)}, {name, 0, true, SAC_FN(toy_fn, broken)}, {0}};
    const sac_room room = {"toy", variants};
    const sac_room_check check = {.room = &room,
                                  .modes = modes,
                                  .contents = contents,
                                  .shape = shape,
                                  .fill = fill,
                                  .call = call,
                                  .supports = supports,
                                  .bytes = bytes};
    sac_check_result result;
    if (sac_check_room(&result, &check, options) != SAC_OK) {
        fprintf(stderr, "broken: no memory\n");
        exit(1);
    }
    return result;
}

#define VALUE (1u << SAC_FAULT_VALUE)
#define BEFORE (1u << SAC_FAULT_BEFORE)
#define AFTER (1u << SAC_FAULT_AFTER)
#define GAP (1u << SAC_FAULT_GAP)
#define INPUT (1u << SAC_FAULT_INPUT)
#define THREADS (1u << SAC_FAULT_THREADS)
#define UNTRIED (1u << SAC_FAULT_UNTRIED)

/* Every fault is to be one of `kinds`; none where that is 0. */
static const struct {
    const char *name;
    toy_fn fn;
    unsigned kinds;
} cases[] = {
    {"ref", ref, 0},
    {"sixteen_at_a_time", sixteen_at_a_time, 0},
    {"wrong_lane", wrong_lane, VALUE},
    {"wrong_tail", wrong_tail, VALUE},
    {"overruns_by_a_byte", overruns_by_a_byte, AFTER},
    {"writes_before_the_first_byte", writes_before_the_first_byte, BEFORE},
    {"writes_between_rows", writes_between_rows, GAP},
    {"changes_its_input", changes_its_input, INPUT},
    {"ignores_negative_stride", ignores_negative_stride, VALUE | AFTER},
    {"assumes_packed_rows", assumes_packed_rows, VALUE | GAP | AFTER},
    {"leaves_one_output", leaves_one_output, VALUE},
    {"leaves_what_equals_a_poison", leaves_what_equals_a_poison, VALUE},
    {"assumes_alignment", assumes_alignment, VALUE},
    {"wrong_at_the_extreme", wrong_at_the_extreme, VALUE},
    {"shares_scratch", shares_scratch, THREADS},
    {"never_supported", ref, UNTRIED},
};

static bool judge(const char *name, const sac_check_result *result, unsigned kinds)
{
    bool good = kinds == 0 ? result->n_faults == 0 : result->n_faults > 0;
    printf("%-30s", name);
    for (int i = 0; i < SAC_FAULT_KINDS; i++) {
        if (result->n_of[i] == 0)
            continue;
        good = good && (kinds & (1u << i)) != 0;
        printf(" %s: %" PRId64 ",", sac_check_fault_name((sac_check_fault)i), result->n_of[i]);
    }
    printf(" of %" PRId64 " calls: %s\n", result->n_cases,
           !good        ? "NOT AS IT SHOULD BE"
           : kinds == 0 ? "passes"
                        : "caught");
    return good;
}

/* In a process of its own, for AddressSanitizer ends it. */
static bool judge_reads(void)
{
#ifdef HAS_ASAN
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(0);
        (void)check_pair(ref, "reads_behind_the_row", reads_behind_the_row, &sparse);
        _exit(0);
    }
    int ended = 0;
    const bool caught = child > 0 && waitpid(child, &ended, 0) == child && ended != 0;
    printf("%-30s %s\n", "reads_behind_the_row", caught ? "caught" : "NOT CAUGHT");
    return caught;
#else
    (void)reads_behind_the_row;
    skip_part("reads behind a row need AddressSanitizer to be seen");
    return true;
#endif
}

int main(void)
{
    int n_bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sac_check_result result = check_pair(ref, cases[i].name, cases[i].fn, &whole);
        n_bad += !judge(cases[i].name, &result, cases[i].kinds);
        result = check_pair(ref, cases[i].name, cases[i].fn, &sparse);
        n_bad += !judge(".. with --sparse", &result, cases[i].kinds);
        if (cases[i].kinds == THREADS || cases[i].kinds == UNTRIED)
            continue; /* which random sizes alone do not try */
        result = check_pair(ref, cases[i].name, cases[i].fn, &only_random);
        n_bad += !judge(".. with --seconds", &result, cases[i].kinds);
    }
    const sac_check_result result = check_pair(changes_its_input, "ref", ref, &whole);
    n_bad += !judge("reference changes its input", &result, INPUT | VALUE);
    n_bad += !judge_reads();
    return n_bad == 0 ? 0 : 1;
}
