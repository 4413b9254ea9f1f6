/*
 * Comparing a variant's outputs, and its inputs afterwards, with the reference's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ladder/check_case.h"

#include <string.h>

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
        const double error = (double)(wanted > came ? wanted - came : came - wanted);
        if (d->ok) {
            d->ok = false;
            d->arg = arg;
            d->index = first + x;
            d->wanted = (double)wanted;
            d->got = (double)came;
        }
        d->error = error > d->error ? error : d->error;
        d->n_differ++;
    }
}

void sac_check_compare_arg(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
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

void sac_check_compare(sac_check_diff *d, const sac_room_check *check, const sac_check_case *want,
                       const sac_check_case *got, const sac_variant *v)
{
    *d = (sac_check_diff){.ok = true};
    if (check->compare != NULL) {
        check->compare(d, want, got, v);
        return;
    }
    for (int32_t i = 0; i < want->n_args; i++)
        if (want->arg[i].role != SAC_CHECK_IN)
            sac_check_compare_arg(d, want, got, i);
}

bool sac_check_same_inputs(sac_check_damage *damage, const sac_check_case *want,
                           const sac_check_case *got)
{
    for (int32_t i = 0; i < want->n_args; i++) {
        if (want->arg[i].role != SAC_CHECK_IN)
            continue;
        sac_check_diff d = {.ok = true};
        sac_check_compare_arg(&d, want, got, i);
        if (!d.ok) {
            *damage = (sac_check_damage){SAC_FAULT_INPUT, i, d.index, d.wanted, d.got};
            return false;
        }
    }
    return true;
}
