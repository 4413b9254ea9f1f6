/*
 * Watches a simulated melt pool: meltpool [FRAMES]. Prints each frame in which more than 10 pores
 * are predicted on a square millimetre.
 * Shows: a simulation, a model, a calibration, a run a frame as a camera gives them, the counts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/meltpool.h>
#include <saccade/meltpool_model.h>
#include <saccade/simulate_meltpool.h>

static sac_status watch(sac_meltpool_sim *camera, const sac_meltpool_model *model, sac_error *err)
{
    static uint8_t pixels[SAC_MELTPOOL_SIM_SIZE * SAC_MELTPOOL_SIM_SIZE];
    const int64_t shape[] = {SAC_MELTPOOL_SIM_SIZE, SAC_MELTPOOL_SIM_SIZE};
    sac_meltpool_signals signals;
    sac_meltpool_record record;
    sac_meltpool_counts counts = {.struct_size = sizeof counts};
    sac_array frame;
    sac_meltpool *plan = NULL;
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    desc.model = model;
    sac_meltpool_sim_calibration(desc.calibration); /* micrometres of the laser to pixels */
    sac_status st = sac_array_view(&frame, pixels, SAC_U8, 2, shape, err);
    if (st == SAC_OK)
        st = sac_meltpool_open(&plan, &desc, err);
    while (st == SAC_OK && sac_meltpool_sim_next(camera, pixels, &signals, NULL)) {
        st = sac_meltpool_run(plan, &record, &frame, &signals, err); /* microseconds */
        const float pores = record.prediction[0] + record.prediction[1];
        if (st == SAC_OK && !(record.flags & SAC_MELTPOOL_EMPTY) && pores > 10)
            printf("frame %d: %.0f pores/mm^2\n", signals.counter, (double)pores);
    }
    sac_meltpool_get_counts(plan, &counts);
    printf("%lld frames, %lld processed, %lld with the laser off. %s\n", (long long)counts.frames,
           (long long)counts.processed, (long long)counts.empty, sac_meltpool_doubt(&counts));
    sac_meltpool_close(&plan);
    return st;
}

int main(int argc, char **argv)
{
    sac_error err = {0};
    sac_meltpool_model_file *model = NULL;
    sac_meltpool_sim *camera = NULL;
    sac_simulate_meltpool_desc desc;
    sac_simulate_meltpool_desc_init(&desc);
    desc.n_frames = argc > 1 ? atoll(argv[1]) : 2000;
    sac_status st = sac_meltpool_sim_open(&camera, &desc, &err);
    if (st == SAC_OK)
        st = sac_meltpool_model_shipped(&model, &err);
    if (st == SAC_OK)
        st = watch(camera, sac_meltpool_model_get_model(model), &err);
    if (st != SAC_OK)
        fprintf(stderr, "meltpool: %s\n", err.text);
    sac_meltpool_model_close(&model);
    sac_meltpool_sim_close(&camera);
    return st != SAC_OK;
}
