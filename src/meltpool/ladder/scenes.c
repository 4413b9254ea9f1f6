/*
 * Frames to check and time the pipeline with: of a simulated build, and the worst there are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/ladder/scenes.h"

#include <math.h>
#include <string.h>

#include "room/check.h"

enum { SIDE = SAC_MELTPOOL_SIM_SIZE, ROI = 40 };
enum { TYPICAL, COMB, CHECKERBOARD, SALT, ALL_ON, ALL_OFF, ONE_PIXEL };

const char *const sac_meltpool_scenes[] = {"typical", "comb",    "checkerboard", "salt",
                                           "all-on",  "all-off", "one-pixel",    NULL};

static sac_status simulate(uint8_t *pixels, ptrdiff_t row, sac_meltpool_signals *signals, int64_t n,
                           uint64_t seed)
{
    sac_simulate_meltpool_desc desc;
    sac_meltpool_sim *sim = NULL;
    sac_meltpool_signals of_frame;
    uint8_t frame[SIDE * SIDE];
    sac_simulate_meltpool_desc_init(&desc);
    desc.n_frames = n;
    desc.seed = seed >> 11; /* below 2^53 */
    const sac_status status = sac_meltpool_sim_open(&sim, &desc, NULL);
    for (int64_t i = 0; status == SAC_OK && sac_meltpool_sim_next(sim, frame, &of_frame, NULL);
         i++) {
        for (int32_t k = 0; k < SIDE * SIDE; k++)
            pixels[(i * SIDE + k / SIDE) * row + k % SIDE] = frame[k];
        if (signals)
            signals[i] = of_frame;
    }
    sac_meltpool_sim_close(&sim);
    return status;
}

/* (x, y) counts from the ROI's first pixel. */
static bool is_bright(int32_t scene, int32_t x, int32_t y, int32_t one, uint64_t random)
{
    switch (scene) {
    case COMB: /* joined by the ROI's last row alone */
        return x % 2 == 0 || y == ROI - 1;
    case CHECKERBOARD:
        return (x + y) % 2 == 0;
    case SALT:
        return random >> 63;
    case ONE_PIXEL:
        return y * ROI + x == one && x >= 0 && x < ROI;
    default:
        return scene == ALL_ON;
    }
}

static void draw(uint8_t *pixels, ptrdiff_t row, int32_t scene, int32_t x0, int32_t y0,
                 uint64_t *random)
{
    const int32_t threshold = 60, one = (int32_t)(sac_check_random(random) % (ROI * ROI));
    for (int32_t k = 0; k < SIDE * SIDE; k++) {
        const int32_t x = k % SIDE, y = k / SIDE;
        const uint64_t r = sac_check_random(random);
        const int32_t value = (int32_t)(r & 0xFFFF);
        pixels[y * row + x] = is_bright(scene, x - x0, y - y0, one, r)
                                  ? (uint8_t)(threshold + value % (256 - threshold))
                                  : (uint8_t)(value % threshold);
    }
}

sac_status sac_meltpool_scene_fill(uint8_t *pixels, ptrdiff_t row, sac_meltpool_signals *signals,
                                   int64_t n, int32_t scene, uint64_t seed)
{
    double m[2][3];
    uint64_t random = seed | 1;
    if (scene == TYPICAL)
        return simulate(pixels, row, signals, n, seed);
    sac_meltpool_sim_calibration(m);
    const int32_t x0 = ((int32_t)floor(m[0][2] + 0.5) - ROI / 2) / 8 * 8;
    const int32_t y0 = (int32_t)floor(m[1][2] + 0.5) - ROI / 2;
    for (int64_t i = 0; i < n; i++) {
        if (signals)
            signals[i] = (sac_meltpool_signals){.laser_on = 1, .counter = (int32_t)i};
        draw(pixels + i * SIDE * row, row, scene, x0, y0, &random);
    }
    return SAC_OK;
}

/* -1 to 1. */
static float between(uint64_t *random)
{
    return (float)((double)(sac_check_random(random) >> 40) / (1 << 23) - 1);
}

/* What a feature of a frame is about, and so its variance the square. */
static double size_of(int32_t feature)
{
    static const double sizes[] = {150, 5, 1, 0.7, 170};
    return feature < 5 ? sizes[feature] : feature < 11 ? 8000 : 0.3;
}

void sac_meltpool_scene_plan_init(sac_meltpool_scene_plan *p)
{
    uint64_t random = 1;
    enum { HIDDEN = SAC_MELTPOOL_SCENE_HIDDEN, FEATURES = SAC_MELTPOOL_FEATURES };
    for (int32_t i = 0; i < FEATURES; i++) {
        const double size = size_of(i % SAC_MELTPOOL_OF_FRAME);
        p->mean[i] = (float)(i < SAC_MELTPOOL_OF_FRAME ? size : size * size / 16);
        p->scale[i] = p->mean[i] / 4;
    }
    for (int32_t i = 0; i < HIDDEN * FEATURES; i++)
        p->w1[i] = between(&random) / 6; /* of about sqrt(FEATURES) */
    for (int32_t i = 0; i < HIDDEN; i++)
        p->b1[i] = between(&random);
    for (int32_t i = 0; i < SAC_MELTPOOL_PREDICTIONS * HIDDEN; i++)
        p->w2[i] = between(&random) / 12;
    for (int32_t i = 0; i < SAC_MELTPOOL_PREDICTIONS; i++)
        p->b2[i] = between(&random);
    p->model = (sac_meltpool_model){.struct_size = sizeof p->model,
                                    .n_hidden = HIDDEN,
                                    .output = SAC_MELTPOOL_SOFTPLUS,
                                    .mean = p->mean,
                                    .scale = p->scale,
                                    .w1 = p->w1,
                                    .b1 = p->b1,
                                    .w2 = p->w2,
                                    .b2 = p->b2};
    sac_meltpool_desc_init(&p->desc);
    sac_meltpool_sim_calibration(p->desc.calibration);
    p->desc.model = &p->model;
}

double sac_meltpool_scene_sway(const sac_meltpool_model *m, const float *features, int32_t output)
{
    const float *w2 = m->w2 + (ptrdiff_t)output * m->n_hidden;
    double all = fabs((double)m->b2[output]);
    for (int32_t h = 0; h < m->n_hidden; h++) {
        const float *w1 = m->w1 + (ptrdiff_t)h * SAC_MELTPOOL_FEATURES;
        double sum = fabs((double)m->b1[h]);
        for (int32_t i = 0; i < SAC_MELTPOOL_FEATURES; i++)
            sum += fabs((double)w1[i]) * (fabs((double)features[i]) + fabs((double)m->mean[i])) /
                   (double)m->scale[i];
        all += fabs((double)w2[h]) * sum;
    }
    return all;
}

static bool predictions_agree(const sac_meltpool_record *want, const sac_meltpool_record *got,
                              const sac_meltpool_model *model)
{
    for (int32_t i = 0; i < SAC_MELTPOOL_PREDICTIONS; i++) {
        const double wanted = (double)want->prediction[i];
        const double error = fabs((double)got->prediction[i] - wanted);
        if (!(error <= 1e-6 * fabs(wanted) || /* S takes its time */
              (model && error <= 2e-5 * sac_meltpool_scene_sway(model, want->features, i))))
            return false;
    }
    return true;
}

const char *sac_meltpool_scene_differs(const sac_meltpool_record *want,
                                       const sac_meltpool_record *got,
                                       const sac_meltpool_model *model)
{
    if (memcmp(&want->signals, &got->signals, sizeof want->signals) != 0)
        return "signals";
    if (want->flags != got->flags)
        return "flags";
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bits are asked for */
    if (memcmp(want->features, got->features, SAC_MELTPOOL_OF_FRAME * sizeof *want->features) != 0)
        return "features 0..19";
    for (int32_t i = SAC_MELTPOOL_OF_FRAME; i < SAC_MELTPOOL_FEATURES; i++) {
        const double wanted = (double)want->features[i];
        if (!(fabs((double)got->features[i] - wanted) <= 1e-5 * fabs(wanted)))
            return "variances";
    }
    return predictions_agree(want, got, model) ? NULL : "predictions";
}
