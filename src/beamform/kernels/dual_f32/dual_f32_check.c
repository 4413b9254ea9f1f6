/*
 * dual_f32 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dual_f32.h"

#include <math.h>

#include "room/check.h"

enum { OUT, IMAGES, TAPS };
enum { N_PLANES = 2, N_DEPTHS = 9, FIRST = 2 };

static const char *const modes[] = {"32-waves", "1-wave", "7-waves", NULL};
static const int32_t n_waves[] = {32, 1, 7};
static const char *const contents[] = {"steered", "ahead", "mixed", NULL};
enum { STEERED, AHEAD, MIXED };

static sac_dual_size size_of(const sac_check_case *c)
{
    return (sac_dual_size){
        .n = c->w, .n_depths = N_DEPTHS, .first = FIRST, .n_tx = n_waves[c->mode]};
}

static void shape(sac_check_case *c)
{
    const sac_dual_size size = size_of(c);
    c->arg[OUT] =
        (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .packed = true, .w = size.n, .h = 2};
    c->arg[IMAGES] =
        (sac_check_arg){"images",       SAC_CHECK_IN, .size = 4,
                        .packed = true, .w = size.n,  .h = 2 * N_PLANES * N_DEPTHS * size.n_tx};
    c->arg[TAPS] = (sac_check_arg){"taps",
                                   SAC_CHECK_IN,
                                   .size = sizeof(sac_dual_taps),
                                   .align = _Alignof(sac_dual_taps),
                                   .packed = true,
                                   .w = size.n_tx,
                                   .h = 1};
    c->n_args = 3;
}

static float draw(uint64_t *random)
{
    return (float)(2 * sac_check_uniform(random) - 1);
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    float *images = sac_check_data(c, IMAGES);
    sac_dual_taps *taps = sac_check_data(c, TAPS);
    for (int64_t i = 0; i < c->arg[IMAGES].w * c->arg[IMAGES].h; i++)
        images[i] = draw(&random);
    for (int32_t t = 0; t < n_waves[c->mode]; t++) {
        const bool one = c->content == AHEAD || (c->content == MIXED && t % 3 == 1);
        taps[t] = (sac_dual_taps){.n = one ? 1 : SAC_DUAL_TAPS, .plane = t % N_PLANES};
        taps[t].row = (int32_t)(sac_check_random(&random) >> 40) % (N_DEPTHS - 3) - FIRST;
        for (int k = 0; k < SAC_DUAL_TAPS; k++) {
            taps[t].re[k] = draw(&random);
            taps[t].im[k] = draw(&random);
        }
    }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_dual_size size = size_of(c);
    ((sac_dual_f32_fn)fn)(sac_check_data(c, OUT), sac_check_data(c, IMAGES),
                          sac_check_data(c, TAPS), &size);
}

/* m 2^-24 of the terms' magnitudes, and the result's own rounding. */
static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)v;
    const sac_dual_size size = size_of(want);
    const sac_dual_taps *taps = sac_check_data(want, TAPS);
    double all = 0, m = 0;
    for (int32_t t = 0; t < size.n_tx; t++)
        for (int32_t k = 0; k < taps[t].n; k++, m += 2) {
            const float *x = sac_dual_samples(sac_check_data(want, IMAGES), taps, &size, t) +
                             2 * k * size.n + p->x;
            const double re = (double)x[0], im = (double)x[size.n];
            const double a = (double)taps[t].re[k], b = (double)taps[t].im[k];
            all += p->y ? fabs(a * im) + fabs(b * re) : fabs(a * re) + fabs(b * im);
        }
    sac_check_value(d, p, fabs(p->got - p->wanted), (m + 1) * 0x1p-24 * all);
}

static const sac_check_task tasks[] = {{"volume", 128, 1}, {0}};

const sac_room_check sac_dual_f32_check = {SAC_CHECK_ROOM(sac_dual_f32_room), .one_row = true,
                                           .max_pixels = 1500, .judge = judge, .tasks = tasks};
