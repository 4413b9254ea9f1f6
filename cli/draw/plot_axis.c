/*
 * Axes: ranges rounded to steps of 1, 2 or 5 times a power of ten, or to powers of the log's base.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plot_axis.h"

#include <math.h>
#include <stdio.h>

#define WANTED_STEPS 5
#define MAX_LOG_STEPS 8

/* The nice step next to range / WANTED_STEPS. */
static double nice_step(double range)
{
    double raw = range / WANTED_STEPS;
    double power = pow(10, floor(log10(raw)));
    double digit = raw / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static void linear_ticks(cli_scale *scale, double step, bool widen)
{
    step = step > 0 ? step : nice_step(scale->max - scale->min);
    const double slack = 1e-9; /* of a step: rounding of the divisions */
    double first = ceil(scale->min / step - slack);
    double last = floor(scale->max / step + slack);
    if (widen) {
        first = floor(scale->min / step + slack);
        last = ceil(scale->max / step - slack);
        scale->min = first * step;
        scale->max = last * step;
    }
    for (double i = first; i <= last && scale->n_ticks < CLI_MAX_TICKS; i++) {
        scale->tick[scale->n_ticks++] = i * step;
    }
}

static void log_ticks(cli_scale *scale, bool widen)
{
    double base = scale->log_base;
    const double slack = 1e-9;
    double first = floor(log(scale->min) / log(base) + slack);
    double last = ceil(log(scale->max) / log(base) - slack);
    last = last > first ? last : first + 1;
    if (widen) {
        scale->min = pow(base, first);
        scale->max = pow(base, last);
    }
    double every = ceil((last - first) / MAX_LOG_STEPS);
    bool between = scale->log_base == 10 && last - first < 3; /* 2 and 5 too */
    for (double i = first; i <= last; i += every) {
        for (int digit = 1; digit <= (between ? 5 : 1); digit += digit == 1 ? 1 : 3) {
            double value = digit * pow(base, i);
            if (value >= scale->min * (1 - slack) && value <= scale->max * (1 + slack) &&
                scale->n_ticks < CLI_MAX_TICKS) {
                scale->tick[scale->n_ticks++] = value;
            }
        }
    }
}

void cli_scale_open(cli_scale *scale, const cli_axis *axis, double min, double max, bool widen)
{
    bool given = axis->min < axis->max;
    *scale = (cli_scale){.min = given ? axis->min : min,
                         .max = given ? axis->max : max,
                         .to = 1,
                         .log_base = axis->log_base};
    if (!(scale->min < scale->max)) { /* one value, or none */
        scale->min = isfinite(min) ? min : 0;
        scale->max = scale->min + (scale->min != 0 ? fabs(scale->min) : 1);
    }
    if (axis->log_base) {
        scale->min = scale->min > 0 ? scale->min : scale->max * 1e-3;
        log_ticks(scale, widen && !given);
    } else {
        linear_ticks(scale, axis->step, widen && !given);
    }
}

double cli_scale_at(const cli_scale *scale, double value)
{
    double min = scale->min;
    double max = scale->max;
    if (scale->log_base) {
        value = log(value > 0 ? value : min);
        min = log(min);
        max = log(max);
    }
    return scale->from + (scale->to - scale->from) * (value - min) / (max - min);
}

const char *cli_tick_text(char *text, size_t size, double value)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    size_t i = 0;
    while (fabs(value) >= (i == 0 ? 1e4 : 1e3) && i < 4) { /* 4096 is easier read than 4.096k */
        value /= 1000;
        i++;
    }
    snprintf(text, size, "%.4g%s", fabs(value) < 1e-12 ? 0 : value, prefixes[i]);
    return text;
}
