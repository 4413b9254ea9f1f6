/*
 * Clocks, round trips, and windows of numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "timing.h"

#define UNKNOWN_RTT (50 * SAC_MS)
#define MOST_RTT (60000 * SAC_MS)

static int64_t less(int64_t a, int64_t b) /* of clocks that may say anything */
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

void sac_timing_add(sac_timing *t, int64_t t1, int64_t t2, int64_t t3, int64_t t4)
{
    const int64_t answered = less(t3, t2), all = less(t4, t1);
    if (all < 0 || all > MOST_RTT || answered < 0 || answered > all)
        return;
    const int64_t rtt = all - answered, back = less(t3, t4);
    const int at = (int)(t->n % SAC_TIMING_SAMPLES);
    t->rtt_ns[at] = rtt;
    t->offset_ns[at] = less(back, -(rtt / 2)); /* halfway to t2 - t1, which is back + rtt */
    const int64_t error = t->n ? rtt - t->smoothed_ns : 0;
    t->varies_ns =
        t->n ? t->varies_ns + ((error < 0 ? -error : error) - t->varies_ns) / 4 : rtt / 2;
    t->smoothed_ns = t->n ? t->smoothed_ns + error / 8 : rtt;
    t->n++;
}

bool sac_timing_offset(const sac_timing *t, int64_t *offset_ns)
{
    int best = -1;
    for (int i = 0; i < SAC_TIMING_SAMPLES && (uint64_t)i < t->n; i++)
        if (best < 0 || t->rtt_ns[i] < t->rtt_ns[best])
            best = i;
    *offset_ns = best < 0 ? 0 : t->offset_ns[best];
    return best >= 0;
}

int64_t sac_timing_rtt(const sac_timing *t)
{
    return t->n ? t->smoothed_ns : UNKNOWN_RTT;
}

int64_t sac_timing_patience(const sac_timing *t)
{
    const int64_t ns = sac_timing_rtt(t) + (t->n ? 2 * t->varies_ns : UNKNOWN_RTT / 2);
    return ns < 5 * SAC_MS ? 5 * SAC_MS : ns > 500 * SAC_MS ? 500 * SAC_MS : ns;
}

bool sac_window_take(sac_window *w, uint64_t number)
{
    if (number >= w->next) {
        const uint64_t by = number - w->next + 1;
        for (uint64_t i = 0; i < by && i < SAC_WINDOW; i++) {
            const uint64_t at = (number - i) % SAC_WINDOW;
            w->bits[at / 64] &= ~(UINT64_C(1) << at % 64);
        }
        w->next = number + 1;
    } else if (w->next - number > SAC_WINDOW) {
        return false;
    }
    const uint64_t at = number % SAC_WINDOW, bit = UINT64_C(1) << at % 64;
    const bool is_first = !(w->bits[at / 64] & bit);
    w->bits[at / 64] |= bit;
    return is_first;
}
