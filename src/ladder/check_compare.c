/*
 * Comparing a variant's outputs, and its inputs afterwards, with the reference's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ladder/check_case.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* An element as a number: an unsigned integer of up to 8 bytes, little-endian. */
static uint64_t element(const uint8_t *p, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size && i < sizeof value; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

static void compare_row(sac_check_diff *d, const uint8_t *want, const uint8_t *got, size_t size,
                        int32_t arg, int64_t first, int64_t n)
{
    for (int64_t x = 0; x < n; x++) {
        const uint8_t *a = want + (size_t)x * size;
        const uint8_t *b = got + (size_t)x * size;
        if (memcmp(a, b, size) == 0)
            continue;
        const uint64_t wanted = element(a, size);
        const uint64_t came = element(b, size);
        if (d->ok)
            d->arg = arg;
        sac_check_value(
            d, &(sac_check_pair){.index = first + x, .wanted = (double)wanted, .got = (double)came},
            (double)(wanted > came ? wanted - came : came - wanted), -1);
    }
}

/* One argument's elements, row by row, byte by byte; adds to *d. */
static void compare_arg(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                        int32_t i)
{
    const sac_check_arg *a = &want->arg[i];
    const sac_check_arg *b = &got->arg[i];
    for (int64_t y = 0; y < a->h; y++) {
        const uint8_t *row = a->data + y * a->row;
        const uint8_t *other = b->data + y * b->row;
        if (memcmp(row, other, (size_t)a->w * a->size) != 0)
            compare_row(d, row, other, a->size, i, y * a->w, a->w);
    }
}

double sac_check_error(const sac_check_pair *p)
{
    if (isfinite(p->wanted) && isfinite(p->got))
        return fabs(p->got - p->wanted);
    return isfinite(p->wanted) || isfinite(p->got) ? (double)INFINITY : 0;
}

void sac_check_value(sac_check_diff *d, const sac_check_pair *p, double error, double within)
{
    const bool is_fault = !(error <= within);
    if (d->ok && (is_fault || error > d->error)) {
        d->index = p->index;
        d->wanted = p->wanted;
        d->got = p->got;
    }
    d->ok = d->ok && !is_fault;
    d->n_differ += is_fault || error != 0;
    d->error = fmax(d->error, error);
    d->error2 += error * error;
    d->wanted2 += isfinite(p->wanted) ? p->wanted * p->wanted : 0;
}

void sac_check_l2(sac_check_diff *d, double least)
{
    const double norm = fmax(sqrt(d->wanted2), least);
    d->error = d->error2 == 0 ? 0 : norm > 0 ? sqrt(d->error2) / norm : sqrt(d->error2);
}

static double number(const uint8_t *row, size_t size, int64_t x)
{
    if (size == 1)
        return row[x];
    return size == 2 ? ((const uint16_t *)(const void *)row)[x]
                     : (double)((const float *)(const void *)row)[x];
}

/* Values that are compared at a time. Sums are the same with any number of threads. */
#define PART ((int64_t)1 << 12)

typedef struct comparison {
    const sac_check_case *want, *got;
    const sac_variant *v;
    sac_check_judge_fn judge;
    int64_t w; /* values of a row */
    sac_check_diff *parts;
} comparison;

static sac_check_diff compare_part(const comparison *c, int64_t first, int64_t n)
{
    const sac_check_arg *a = &c->want->arg[0], *b = &c->got->arg[0];
    int64_t x = first % c->w, y = first / c->w;
    sac_check_diff d = {.ok = true};
    for (int64_t at = first; at < first + n; at++) {
        c->judge(&d, c->want, c->v,
                 &(sac_check_pair){.x = x,
                                   .y = y,
                                   .index = at,
                                   .wanted = number(a->data + y * a->row, a->size, x),
                                   .got = number(b->data + y * b->row, b->size, x)});
        x++;
        y += x == c->w;
        x = x == c->w ? 0 : x;
    }
    return d;
}

static void compare_shared(void *ctx, int64_t first, int64_t n)
{
    const comparison *c = ctx;
    c->parts[first / PART] = compare_part(c, first, n);
}

static void join(sac_check_diff *d, const sac_check_diff *part)
{
    if (d->ok && (!part->ok || part->error > d->error)) {
        d->index = part->index;
        d->wanted = part->wanted;
        d->got = part->got;
    }
    d->ok = d->ok && part->ok;
    d->n_differ += part->n_differ;
    d->error = fmax(d->error, part->error);
    d->error2 += part->error2;
    d->wanted2 += part->wanted2;
}

void sac_check_values(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                      const sac_variant *v, sac_check_judge_fn judge)
{
    const sac_check_arg *a = &want->arg[0];
    const int64_t w = a->w * (a->size == 8 ? 2 : 1), n = w * a->h;
    comparison c = {want, got, v, judge, w, NULL};
    if (n > PART)
        c.parts = sac_alloc((size_t)((n + PART - 1) / PART), sizeof *c.parts);
    if (c.parts)
        sac_check_share(compare_shared, &c, n, PART);
    for (int64_t first = 0; first < n; first += PART) {
        const int64_t left = n - first;
        const sac_check_diff part =
            c.parts ? c.parts[first / PART] : compare_part(&c, first, left < PART ? left : PART);
        join(d, &part);
    }
    sac_free(c.parts);
}

uint64_t sac_check_bytes(const sac_room_check *check, const sac_check_case *c)
{
    if (check->bytes != NULL)
        return check->bytes(c);
    uint64_t n = 0;
    for (int32_t i = 0; i < c->n_args; i++)
        n += (uint64_t)(c->arg[i].w * c->arg[i].h) * c->arg[i].size;
    return n;
}

bool sac_check_passes(const sac_room_check *check, const sac_variant *v, const sac_check_case *c,
                      int32_t arg, bool back)
{
    const sac_check_role role = c->arg[arg].role;
    return role != (back ? SAC_CHECK_IN : SAC_CHECK_OUT) &&
           (check->passes == NULL || check->passes(v, c, arg, back));
}

void sac_check_bytewise(sac_check_diff *d, const sac_room_check *check, const sac_check_case *want,
                        const sac_check_case *got, const sac_variant *v)
{
    for (int32_t i = 0; i < want->n_args; i++)
        if (sac_check_passes(check, v, got, i, true))
            compare_arg(d, want, got, i);
}

void sac_check_compare(sac_check_diff *d, const sac_room_check *check, const sac_check_case *want,
                       const sac_check_case *got, const sac_variant *v)
{
    *d = (sac_check_diff){.ok = true};
    if (check->compare != NULL) {
        check->compare(d, want, got, v);
        return;
    }
    if (check->judge != NULL) {
        sac_check_values(d, want, got, v, check->judge);
        if (check->l2)
            sac_check_l2(d, 0);
        return;
    }
    sac_check_bytewise(d, check, want, got, v);
}

bool sac_check_same_inputs(sac_check_damage *damage, const sac_check_case *want,
                           const sac_check_case *got)
{
    for (int32_t i = 0; i < want->n_args; i++) {
        if (want->arg[i].role != SAC_CHECK_IN)
            continue;
        sac_check_diff d = {.ok = true};
        compare_arg(&d, want, got, i);
        if (!d.ok) {
            *damage = (sac_check_damage){SAC_FAULT_INPUT, i, d.index, d.wanted, d.got};
            return false;
        }
    }
    return true;
}
