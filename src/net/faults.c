/*
 * Which datagram has which fault, drawn from one sequence of random numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net/faults.h"

#include <string.h>

#include "base/alloc.h"
#include "base/random.h"

enum { NONE, LOSS, REORDER, DUPLICATE, TRUNCATE };

sac_status sac_faults_open(sac_faults *f, const sac_frame_faults *shares, size_t part_bytes,
                           sac_error *err)
{
    const double all[] = {shares->loss, shares->reorder, shares->duplicate, shares->truncate};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        if (!(all[i] >= 0 && all[i] <= 1))
            return sac_fail(err, SAC_E_INVALID, "faults: expected shares of 0 to 1, got %g",
                            all[i]);
        sum += all[i];
    }
    if (sum > 1 + 1e-9)
        return sac_fail(err, SAC_E_INVALID, "faults: expected shares of at most 1 together, got %g",
                        sum);
    *f = (sac_faults){.shares = *shares, .last = -1, .hurt = UINT64_MAX, .part_bytes = part_bytes};
    f->pixels = sac_alloc(SAC_FAULTS_HELD, part_bytes);
    return f->pixels ? SAC_OK : sac_fail(err, SAC_E_NOMEM, "faults: no memory");
}

void sac_faults_close(sac_faults *f)
{
    sac_free(f->pixels);
    f->pixels = NULL;
}

static double draw(sac_faults *f)
{
    return sac_random_uniform(f->shares.seed, f->drawn++);
}

static int choose(sac_faults *f, uint64_t frame)
{
    const sac_frame_faults *s = &f->shares;
    if (frame == 0 || (f->last >= 0 && frame == (uint64_t)f->last))
        return NONE;
    double u = draw(f);
    if (u < s->loss)
        return LOSS;
    if (u < s->loss + s->reorder)
        return f->n_held < SAC_FAULTS_HELD ? REORDER : NONE;
    if (u < s->loss + s->reorder + s->duplicate)
        return DUPLICATE;
    return u < s->loss + s->reorder + s->duplicate + s->truncate ? TRUNCATE : NONE;
}

static void emit(sac_faults *f, const sac_datagram *d)
{
    f->emit(f->ctx, d);
    f->sent.datagrams++;
}

static void hold(sac_faults *f, const sac_datagram *d)
{
    uint8_t *pixels = f->pixels + (size_t)f->n_held * f->part_bytes;
    memcpy(pixels, d->pixels, d->size - d->head_bytes);
    f->held[f->n_held] = *d;
    f->held[f->n_held++].pixels = pixels;
}

static void hurt(sac_faults *f, uint64_t frame)
{
    f->sent.hurt += frame != f->hurt;
    f->hurt = frame;
}

void sac_faults_flush(sac_faults *f)
{
    for (int32_t i = 0; i < f->n_held; i++)
        emit(f, &f->held[i]);
    f->n_held = 0;
}

/* A whole one leaves; behind it those that it overtakes, once it is of a later frame than all. */
static void send_whole(sac_faults *f, const sac_datagram *d, int times)
{
    for (int i = 0; i < times; i++)
        emit(f, d);
    if (f->n_held > 0 && f->held[f->n_held - 1].frame < d->frame) {
        f->sent.reordered += f->n_held;
        sac_faults_flush(f);
    }
}

void sac_faults_send(sac_faults *f, const sac_datagram *d)
{
    sac_datagram cut;
    switch (choose(f, d->frame)) {
    case LOSS:
        f->sent.lost++;
        hurt(f, d->frame);
        break;
    case REORDER:
        hold(f, d);
        break;
    case DUPLICATE:
        f->sent.duplicated++;
        send_whole(f, d, 2);
        break;
    case TRUNCATE:
        cut = *d;
        cut.size = (size_t)(draw(f) * (double)d->size);
        f->sent.truncated++;
        hurt(f, d->frame);
        emit(f, &cut);
        break;
    default:
        send_whole(f, d, 1);
    }
}
