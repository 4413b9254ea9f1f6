/*
 * The options of beamform, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/beamform.h>

#include "base/param_rows.h"

#define OFFSET(field) offsetof(sac_beamform_desc, field)

static const char *const interps[] = {"nearest", "linear", "cubic", NULL};
static const char *const outsides[] = {"zero", "clamp", NULL};
static const char *const tiers[] = {"exact", "fp32", "fast", NULL};
static const char *const outputs[] = {"iq", "envelope", "bmode", "gray", NULL};
static const char *const overs[] = {"auto", "transmit", "compound", "all", NULL};
static const char *const methods[] = {"auto", "direct", "dual-stage", NULL};
static const char *const demodulates[] = {"auto", "yes", "no", NULL};

static const sac_param params[] = {
    {"f-number", SAC_PARAM_FLOAT, OFFSET(f_number), 0, 100, 1.75, NULL, "", "F",
     "depth over width of the receive aperture; 0: all elements everywhere, with weight 1"},
    {"apodization", SAC_PARAM_STRING, OFFSET(apodization), 0, 0, 0, NULL, "", "WINDOW",
     "window over the receive aperture: rect, hann, or tukey:A with tapers of share A; default: "
     "tukey:0.25"},
    {"tx-f-number", SAC_PARAM_FLOAT, OFFSET(tx_f_number), 0, 100, 0, NULL, "", "F",
     "depth over width of the field of each diverging or focused wave, or element that fires; 0: "
     "all waves everywhere"},
    {"tx-apodization", SAC_PARAM_STRING, OFFSET(tx_apodization), 0, 0, 0, NULL, "", "WINDOW",
     "window over the field of each wave: rect, hann, tukey:A; or lines, where each point takes "
     "the one transmit whose axis is nearest; default: hann"},
    {"interp", SAC_PARAM_CHOICE, OFFSET(interp), 0, 2, SAC_INTERP_LINEAR, interps, "", "WAY",
     "interpolation between samples: nearest, linear or cubic (Catmull-Rom)"},
    {"outside", SAC_PARAM_CHOICE, OFFSET(outside), 0, 1, SAC_OUTSIDE_ZERO, outsides, "", "WAY",
     "value outside a record: zero, or clamp (the first or last sample)"},
    {"tier", SAC_PARAM_CHOICE, OFFSET(tier), 0, 2, SAC_TIER_FP32, tiers, "", "TIER",
     "precision: exact (delays in double), fp32, or fast (also half precision, on a GPU, within "
     "1e-3)"},
    {"lri", SAC_PARAM_BOOL, OFFSET(lri), 0, 1, 0, NULL, "", "",
     "output every transmit's low-resolution image instead of their sum"},
    {"kind", SAC_PARAM_CHOICE, OFFSET(output), 0, 3, SAC_OUTPUT_BMODE, outputs, "", "WHAT",
     "output: iq (complex; real if RF is not demodulated), envelope, bmode in dB, or gray (bmode "
     "in 8 bits)"},
    {"dynamic-range", SAC_PARAM_FLOAT, OFFSET(dynamic_range_db), 1, 200, 60, NULL, "dB", "DB",
     "bmode, gray: range shown below a frame's maximum"},
    {"demodulate", SAC_PARAM_CHOICE, OFFSET(demodulate), 0, 2, SAC_DEMODULATE_AUTO, demodulates, "",
     "WHEN",
     "demodulate RF to IQ before beamforming; auto: all RF, since IQ needs fewer points and "
     "samples; yes: also refuse data that is IQ already"},
    {"decimation", SAC_PARAM_INT, OFFSET(decimation), 1, 1024, 1, NULL, "", "N",
     "demodulated data: keep one of N samples"},
    {"band-pass", SAC_PARAM_BOOL, OFFSET(band_pass), 0, 1, 0, NULL, "", "",
     "with demodulate no: first filter RF to the band of the pulse"},
    {"band", SAC_PARAM_STRING, OFFSET(band), 0, 0, 0, NULL, "", "MHZ",
     "band that demodulation and band-pass keep, by its -6 dB width in MHz; wide: three times the "
     "pulse's, or what of it fits; default: the pulse's bandwidth, wide if that is unknown"},
    {"reduction", SAC_PARAM_STRING, OFFSET(reduction), 0, 0, 0, NULL, "", "HOW",
     "what becomes of element signals: sum, or adaptive weights: cf (coherence factor), gcf:M0 "
     "(generalised, 2 M0 + 1 low frequencies; M0 is 1), scf:P (sign coherence to the power P, 1), "
     "dmas:P (delay-multiply-and-sum of P-th roots, 2), slsc:Q (short-lag spatial coherence of Q "
     "lags, 0.3), mv:L (minimum variance of subarrays of L elements, 0.25); Q and L below 1 are "
     "shares of the aperture; default: sum"},
    {"reduction-over", SAC_PARAM_CHOICE, OFFSET(reduction_over), 0, 3, SAC_OVER_AUTO, overs, "",
     "WHICH",
     "signals that adaptive weights are computed from: each transmit's; those after compounding; "
     "all, of elements and transmits (cf, scf, dmas); auto: compound for mv, else transmit"},
    {"reduction-loading", SAC_PARAM_FLOAT, OFFSET(reduction_loading), 1e-3, 10, 1e-2, NULL, "",
     "SHARE",
     "mv: diagonal loading, as a share of the mean of the covariance matrix's diagonal; more is "
     "closer to the sum"},
    SAC_ROWS_PLAN(sac_beamform_desc, "cpu, cuda or cuda:N",
                  "on the CPU: variants (implementations) to use, NAME or ROOM:NAME,...; default: "
                  "the fastest "
                  "on this machine"),
    {"memory", SAC_PARAM_INT, OFFSET(memory_mb), 0, 1 << 20, 0, NULL, "MB", "MB",
     "on a GPU: memory to take at most for channel data and images, unless a single frame needs "
     "more; 0: a quarter of what is free"},
    {"method", SAC_PARAM_CHOICE, OFFSET(method), 0, 2, SAC_METHOD_AUTO, methods, "", "METHOD",
     "of row-column arrays: direct, or dual-stage (a few planes, then the volume from these, "
     "within "
     "a sixteenth of a wavelength); auto: dual-stage with --tier fast, where it can be"},
    {"layers", SAC_PARAM_STRING, OFFSET(layers), 0, 0, 0, NULL, "", "MM:M_S,...,M_S",
     "speeds of sound by depth: thickness in mm and speed in m/s of each layer from the probe on, "
     "the last without end, as 5:1450,1540; default: one speed, the recording's"},
    {"lens", SAC_PARAM_STRING, OFFSET(lens), 0, 0, 0, NULL, "", "MM:M_S",
     "thickness in mm and speed of sound in m/s of the lens in front of the elements, as 1:1000; "
     "default: none, or what the recording's times already hold"},
};

SAC_PARAM_TABLE(sac_beamform_params, "beamform", sac_beamform_desc, params,
                "delay-and-sum ultrasound channel data to a B-mode picture or volume")

void sac_beamform_desc_init(sac_beamform_desc *desc)
{
    if (!desc)
        return;
    sac_param_defaults(sac_beamform_params(), desc);
    desc->n_frames = 1;
    sac_grid_init(&desc->grid);
}
