/*
 * What open refuses of a desc, and says so; its words as numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/numbers.h"
#include "beamform/plan.h"
#include "beamform/sector.h"

#define MAX_POINTS (INT64_C(1) << 28)
#define MAX_SAMPLES (INT64_C(1) << 24) /* a float still counts them */
#define MAX_FRAMES (INT64_C(1) << 24)
#define DEFAULT_TAPER 0.25 /* PICMUS's receive window */

static bool read_share(double *out, const char *text)
{
    const char *end;
    *out = sac_number_read(text, &end);
    return end != text && *end == '\0' && *out >= 0 && *out <= 1;
}

/* False where the text names no window. */
static bool read_window(sac_apodization *out, const char *text)
{
    if (!strcmp(text, "hann"))
        out->window = SAC_WINDOW_HANN;
    else if (!strncmp(text, "tukey:", 6) && read_share(&out->taper, text + 6))
        out->window = out->taper > 0 ? SAC_WINDOW_TUKEY : SAC_WINDOW_RECT;
    else
        return !strcmp(text, "rect");
    return true;
}

sac_status sac_beamform_apodization(sac_apodization *out, const sac_beamform_desc *desc,
                                    sac_error *err)
{
    const char *text = desc->apodization;
    *out = (sac_apodization){.f_number = desc->f_number};
    if (!text) {
        out->window = SAC_WINDOW_TUKEY;
        out->taper = DEFAULT_TAPER;
    } else if (!read_window(out, text)) {
        return sac_fail(err, SAC_E_INVALID,
                        "apodization: expected rect, hann or tukey:A with A of 0 to 1, got `%s`",
                        text);
    }
    return SAC_OK;
}

sac_status sac_beamform_tx_apodization(sac_apodization *out, bool *lines,
                                       const sac_beamform_desc *desc, sac_error *err)
{
    const char *text = desc->tx_apodization ? desc->tx_apodization : "hann";
    *out = (sac_apodization){.f_number = desc->tx_f_number};
    *lines = !strcmp(text, "lines");
    if (*lines || read_window(out, text))
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID,
                    "tx-apodization: expected rect, hann, tukey:A with A of 0 to 1, or lines, got "
                    "`%s`",
                    text);
}

bool sac_beamform_band(double *band_hz, const char *text)
{
    const char *end;
    *band_hz = 1e6 * sac_number_read(text, &end);
    return end != text && *end == '\0' && *band_hz > 0 && isfinite(*band_hz);
}

static sac_status check_band(const sac_beamform_desc *desc, sac_error *err)
{
    double band_hz;
    if (!desc->band)
        return SAC_OK;
    if (strcmp(desc->band, "wide") != 0 && !sac_beamform_band(&band_hz, desc->band))
        return sac_fail(err, SAC_E_INVALID, "band: expected MHz above 0, or wide, got `%s`",
                        desc->band);
    if (desc->dtype == SAC_C64 || (desc->demodulate == SAC_DEMODULATE_NO && !desc->band_pass))
        return sac_fail(err, SAC_E_INVALID, "band: `%s`, and nothing is demodulated or filtered",
                        desc->band);
    return SAC_OK;
}

/* Farther off, squares of distances and clamped samples are no longer what they should be. */
#define FARTHEST_M 1e5

static const char *beyond_what(double x)
{
    return isfinite(x) ? "farther than 100 km" : "not finite";
}

static sac_status check_grid(const sac_beamform_desc *desc, sac_error *err)
{
    static const char axis[] = "xyz";
    if (desc->points_m) {
        if (desc->n_points < 1 || desc->n_points > MAX_POINTS)
            return sac_fail(err, SAC_E_INVALID, "n_points: expected 1 to %lld, got %lld",
                            (long long)MAX_POINTS, (long long)desc->n_points);
        for (int64_t i = 0; i < 3 * desc->n_points; i++)
            if (!(fabs(desc->points_m[i]) <= FARTHEST_M))
                return sac_fail(err, SAC_E_INVALID, "points: point %lld is %s", (long long)(i / 3),
                                beyond_what(desc->points_m[i]));
        return SAC_OK;
    }
    double n_points = 1;
    for (int i = 0; i < 3; i++) {
        const sac_grid *g = &desc->grid;
        if (g->n[i] < 1)
            return sac_fail(err, SAC_E_INVALID,
                            "grid: expected 1 or more points along %c, got %lld", axis[i],
                            (long long)g->n[i]);
        if (!(fabs(g->first_m[i]) <= FARTHEST_M) || !(fabs(g->last_m[i]) <= FARTHEST_M))
            return sac_fail(err, SAC_E_INVALID, "grid: an end along %c is %s", axis[i],
                            beyond_what(g->first_m[i] + g->last_m[i]));
        n_points *= (double)g->n[i];
    }
    if (n_points > (double)MAX_POINTS)
        return sac_fail(err, SAC_E_INVALID, "grid: %.10g points, and at most %lld are possible",
                        n_points, (long long)MAX_POINTS);
    return SAC_OK;
}

/* Given arrivals, whose number only the points tell. */
static sac_status check_arrivals(const sac_beamform_desc *desc, sac_error *err)
{
    const sac_acquisition *a = desc->acquisition;
    const int64_t *n = desc->grid.n,
                  n_points = desc->points_m ? desc->n_points : n[0] * n[1] * n[2];
    for (int32_t t = 0; t < a->n_transmits; t++)
        for (int64_t i = 0; i < n_points && a->transmits[t].kind == SAC_TRANSMIT_ARRIVALS; i++)
            if (!isfinite(a->transmits[t].arrivals_s[i]))
                return sac_fail(err, SAC_E_INVALID,
                                "transmits: arrival of transmit %d at point %lld is not finite", t,
                                (long long)i);
    return SAC_OK;
}

sac_status sac_beamform_check_desc(const sac_beamform_desc *desc, sac_error *err)
{
    if (desc->dtype != SAC_I16 && desc->dtype != SAC_F32 && desc->dtype != SAC_C64)
        return sac_fail(err, SAC_E_SHAPE, "dtype: expected i16 or f32 (RF) or c64 (IQ), got %s",
                        sac_dtype_name(desc->dtype));
    if (desc->n_samples < 1 || desc->n_samples > MAX_SAMPLES)
        return sac_fail(err, SAC_E_SHAPE, "n_samples: expected 1 to %lld, got %lld",
                        (long long)MAX_SAMPLES, (long long)desc->n_samples);
    if (desc->n_frames < 1 || desc->n_frames > MAX_FRAMES)
        return sac_fail(err, SAC_E_SHAPE, "n_frames: expected 1 to %lld, got %lld",
                        (long long)MAX_FRAMES, (long long)desc->n_frames);
    if (desc->layout != SAC_FRAMES_OUTER && desc->layout != SAC_FRAMES_INNER)
        return sac_fail(err, SAC_E_INVALID, "layout: %d is invalid", (int)desc->layout);
    if (desc->device.kind == SAC_DEVICE_CPU && desc->stream)
        return sac_fail(err, SAC_E_INVALID, "stream: is for a GPU, and the device is cpu");
    if (desc->dtype == SAC_C64 && desc->demodulate == SAC_DEMODULATE_YES)
        return sac_fail(err, SAC_E_INVALID, "demodulate: the data is IQ already");
    if (desc->band_pass && (desc->dtype == SAC_C64 || desc->demodulate != SAC_DEMODULATE_NO))
        return sac_fail(err, SAC_E_INVALID,
                        "band-pass: is for RF that stays RF (demodulate no); demodulation filters");
    if (desc->decimation > 1 && (desc->dtype == SAC_C64 || desc->demodulate == SAC_DEMODULATE_NO))
        return sac_fail(err, SAC_E_INVALID, "decimation: %d, and nothing is demodulated",
                        desc->decimation);
    sac_status status = check_band(desc, err);
    status = status ? status : check_grid(desc, err);
    status = status ? status : sac_sector_check(desc, err);
    return status ? status : check_arrivals(desc, err);
}

/* A grid along whose z the envelope of RF can be taken. */
sac_status sac_beamform_check_envelope(const sac_beamform *plan, sac_error *err)
{
    const sac_grid *g = &plan->desc.grid;
    if (plan->iq || plan->desc.output == SAC_OUTPUT_IQ)
        return SAC_OK;
    if (plan->desc.points_m || g->n[2] < 2)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "envelope: the output of RF needs a grid with several z; demodulate, or "
                        "take iq");
    double step = fabs(g->last_m[2] - g->first_m[2]) / (double)(g->n[2] - 1);
    double widest = 0.25 * plan->das.c_m_s / (plan->desc.acquisition->fc_hz * 1.5);
    if (step > widest)
        return sac_fail(
            err, SAC_E_INVALID,
            "grid: the envelope of RF needs steps of at most %.4g mm along z, got %.4g; "
            "or demodulate",
            1e3 * widest, 1e3 * step);
    return SAC_OK;
}
