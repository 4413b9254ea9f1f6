/*
 * The memory of a case: arguments between guard bytes, at any alignment, forward or backward, and
 * whether a variant left alone what is not its own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ladder/check_case.h"

#include <string.h>

#include "base/alloc.h"

#if defined(__SANITIZE_ADDRESS__)
#define SHIELD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHIELD 1
#endif
#endif

#ifdef SHIELD
#include <sanitizer/asan_interface.h>
#define FORBID(memory, n) ASAN_POISON_MEMORY_REGION(memory, n)
#define PERMIT(memory, n) ASAN_UNPOISON_MEMORY_REGION(memory, n)
#else
#define FORBID(memory, n) ((void)(memory), (void)(n))
#define PERMIT(memory, n) ((void)(memory), (void)(n))
#endif

/* Bytes before and behind each argument: four 512-bit vectors, a multiple of SAC_ALIGNMENT. */
#define GUARD ((size_t)256)

/* A shared call's parts: many to a core, as they take unequal times. */
#define CALL_PARTS 1024

/* Depends on the place, so that a shifted copy of the guard is no guard (Fibonacci hashing). */
static uint8_t guard_byte(size_t i)
{
    return (uint8_t)((i * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
}

static void write_guard(uint8_t *memory, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        memory[i] = guard_byte(i);
}

/* The first byte in [from, to) that is no longer the guard's, or `to`. */
static size_t find_damage(const uint8_t *memory, size_t from, size_t to)
{
    size_t i = from;
    while (i < to && memory[i] == guard_byte(i))
        i++;
    return i;
}

static size_t width_of(const sac_check_arg *a)
{
    return (size_t)a->w * a->size;
}

static size_t step_of(const sac_check_arg *a)
{
    return (size_t)(a->row < 0 ? -a->row : a->row);
}

/* Where the argument's lowest row lies in its memory. */
static size_t lead_of(const sac_check_arg *a)
{
    const size_t first = (size_t)(a->data - a->memory);
    return a->row < 0 ? first - step_of(a) * (size_t)(a->h - 1) : first;
}

static size_t end_of(const sac_check_arg *a)
{
    return lead_of(a) + step_of(a) * (size_t)(a->h - 1) + width_of(a);
}

static size_t round_up(size_t n, size_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

static uint8_t *allocate(sac_gpu *gpu, size_t n_bytes)
{
    void *memory = NULL;
    if (gpu == NULL)
        return sac_alloc(n_bytes, 1);
    return sac_gpu_alloc_pinned(gpu, &memory, n_bytes, NULL) == SAC_OK ? memory : NULL;
}

static sac_status place_arg(sac_check_arg *a, const sac_check_layout *layout, sac_gpu *gpu)
{
    const size_t align = a->align != 0 ? a->align : a->size;
    const size_t width = width_of(a);
    const size_t gap = a->packed ? 0 : (size_t)layout->padding * a->size;
    const size_t step = a->packed ? width : round_up(width + gap, align);
    const bool backward = layout->backward && !a->packed;
    const size_t lead = GUARD + round_up(layout->offset * a->size, align);
    size_t extent = 0;
    if (width / a->size != (size_t)a->w || __builtin_mul_overflow(step, (size_t)a->h, &extent))
        return SAC_E_NOMEM;
    /* Backward: as much again behind, so that who ignores the stride's sign stays in our memory. */
    a->n_bytes = lead + extent + (backward ? extent : 0) + GUARD;
    a->memory = allocate(gpu, a->n_bytes);
    if (a->memory == NULL)
        return SAC_E_NOMEM;
    a->data = a->memory + lead + (backward ? step * (size_t)(a->h - 1) : 0);
    a->row = backward ? -(ptrdiff_t)step : (ptrdiff_t)step;
    return SAC_OK;
}

/* Calls visit for every piece of an argument's memory that is no element. */
static void walk_guards(const sac_check_arg *a,
                        void (*visit)(uint8_t *memory, size_t from, size_t to))
{
    const size_t lead = lead_of(a);
    const size_t width = width_of(a);
    visit(a->memory, 0, lead);
    for (size_t y = 0; y + 1 < (size_t)a->h && step_of(a) > width; y++)
        visit(a->memory, lead + step_of(a) * y + width, lead + step_of(a) * (y + 1));
    visit(a->memory, end_of(a), a->n_bytes);
}

static void forbid(uint8_t *memory, size_t from, size_t to)
{
    FORBID(memory + from, to - from);
}

static void poison_rows(const sac_check_arg *a, uint8_t poison)
{
    for (int64_t y = 0; y < a->h; y++)
        memset(a->data + y * a->row, poison, width_of(a));
}

void sac_check_reset(sac_check_case *c, const sac_room_check *check)
{
    bool in_place = false;
    for (int32_t i = 0; i < c->n_args; i++) {
        in_place = in_place || c->arg[i].role == SAC_CHECK_INOUT;
        if (c->arg[i].role == SAC_CHECK_OUT)
            poison_rows(&c->arg[i], c->poison);
    }
    if (in_place)
        check->fill(c);
}

void sac_check_displace(sac_check_case *c)
{
    for (int32_t i = 0; i < c->n_args; i++) {
        if (c->gpu != NULL)
            sac_gpu_free_pinned(c->gpu, c->arg[i].memory);
        else
            sac_free(c->arg[i].memory);
        c->arg[i].memory = NULL;
    }
}

sac_status sac_check_place(sac_check_case *c, const sac_room_check *check,
                           const sac_check_layout *layout)
{
    memset(c->arg, 0, sizeof c->arg);
    c->n_args = 0;
    c->poison = layout->poison;
    c->kind = check->kind;
    check->shape(c);
    for (int32_t i = 0; i < c->n_args; i++) {
        if (place_arg(&c->arg[i], layout, c->gpu) != SAC_OK) {
            sac_check_displace(c);
            return SAC_E_NOMEM;
        }
        walk_guards(&c->arg[i], write_guard);
        if (c->arg[i].role == SAC_CHECK_OUT)
            poison_rows(&c->arg[i], c->poison);
    }
    check->fill(c);
    return SAC_OK;
}

sac_status sac_check_case_open(sac_check_case *c, const sac_room_check *check,
                               const sac_check_layout *layout)
{
    c->state = NULL;
    sac_status status = sac_check_place(c, check, layout);
    if (status != SAC_OK || check->open == NULL)
        return status;
    status = check->open(c);
    if (status != SAC_OK)
        sac_check_displace(c);
    return status;
}

void sac_check_case_close(sac_check_case *c, const sac_room_check *check)
{
    if (check->close != NULL)
        check->close(c);
    else
        sac_free(c->state);
    c->state = NULL;
    sac_check_displace(c);
}

sac_status sac_check_pair_open(sac_check_case *want, sac_check_case *got,
                               const sac_room_check *check, const sac_check_layout *layout)
{
    sac_status status = sac_check_case_open(want, check, layout);
    if (status != SAC_OK)
        return status;
    got->state = want->state;
    status = sac_check_place(got, check, layout);
    if (status != SAC_OK)
        sac_check_case_close(want, check);
    return status;
}

void sac_check_pair_close(sac_check_case *want, sac_check_case *got, const sac_room_check *check)
{
    sac_check_displace(got);
    sac_check_case_close(want, check);
}

/* A variant on a case, in parts: rows of argument 0. */
typedef struct row_calls {
    const sac_check_case *c;
    const sac_room_check *check;
    sac_any_fn fn;
} row_calls;

static void call_rows(void *ctx, int64_t first, int64_t n)
{
    const row_calls *r = ctx;
    r->check->call_rows(r->fn, r->c, first, n);
}

static void call_shared(const sac_check_case *c, const sac_room_check *check, sac_any_fn fn)
{
    const int64_t n = c->arg[0].h;
    sac_check_share(call_rows, &(row_calls){c, check, fn}, n, (n + CALL_PARTS - 1) / CALL_PARTS);
}

static void call_guarded(const sac_check_case *c, const sac_room_check *check, sac_any_fn fn,
                         bool shared)
{
    for (int32_t i = 0; i < c->n_args; i++)
        walk_guards(&c->arg[i], forbid);
    if (shared)
        call_shared(c, check, fn);
    else
        check->call(fn, c);
    for (int32_t i = 0; i < c->n_args; i++)
        PERMIT(c->arg[i].memory, c->arg[i].n_bytes);
}

void sac_check_call(const sac_check_case *c, const sac_room_check *check, const sac_variant *v)
{
    call_guarded(c, check, v->fn, false);
}

void sac_check_call_reference(const sac_check_case *c, const sac_room_check *check)
{
    call_guarded(c, check, sac_check_variant(check, 0)->fn, check->call_rows != NULL);
}

/* Whether [from, to) is whole; `origin` is what the damage is counted from. */
static bool piece_is_whole(sac_check_damage *damage, const sac_check_arg *a, size_t from, size_t to,
                           size_t origin)
{
    const size_t at = find_damage(a->memory, from, to);
    if (at == to)
        return true;
    damage->at = at < origin ? (int64_t)(origin - at) : (int64_t)(at - origin);
    damage->wanted = guard_byte(at);
    damage->got = a->memory[at];
    return false;
}

static bool guards_are_whole(sac_check_damage *damage, const sac_check_arg *a)
{
    const size_t lead = lead_of(a);
    const size_t width = width_of(a);
    damage->kind = SAC_FAULT_BEFORE;
    if (!piece_is_whole(damage, a, 0, lead, lead))
        return false;
    damage->kind = SAC_FAULT_GAP;
    for (size_t y = 0; y + 1 < (size_t)a->h && step_of(a) > width; y++) {
        const size_t row = lead + step_of(a) * y;
        if (!piece_is_whole(damage, a, row + width, row + step_of(a), row + width))
            return false;
    }
    damage->kind = SAC_FAULT_AFTER;
    return piece_is_whole(damage, a, end_of(a), a->n_bytes, end_of(a));
}

bool sac_check_is_whole(sac_check_damage *damage, const sac_check_case *want,
                        const sac_check_case *got)
{
    for (int32_t i = 0; i < got->n_args; i++) {
        damage->arg = i;
        if (!guards_are_whole(damage, &got->arg[i]))
            return false;
    }
    return sac_check_same_inputs(damage, want, got);
}
