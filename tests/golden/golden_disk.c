/*
 * Real channel data: the rotating disk of PyMUST's PWI_disk.mat, all 32 frames, shows a disk where
 * it is, in every frame, and the same by every tier and number of threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/recording.h>

#include "skip.h"

enum { N = 251, N_FRAMES = 32 };

/* The disk in the picture, mm: its echoes fill it; beside it there is water. */
#define CENTER_X (-1.0)
#define CENTER_Z 22.5
#define INSIDE 8.0
#define OUTSIDE 13.0

static int n_faults;

static void expect(bool good, const char *what, int frame, double got)
{
    if (!good)
        printf("frame %d: %s: %g\n", frame, what, got);
    n_faults += !good;
}

static float *beamform(const sac_recording *recording, sac_tier tier, int32_t n_threads,
                       sac_beamform_output output)
{
    sac_error err = {0};
    sac_array in = sac_recording_get_array(recording);
    sac_beamform_desc desc;
    sac_beamform_desc_init(&desc);
    desc.acquisition = sac_recording_get_acquisition(recording);
    desc.dtype = in.dtype;
    desc.n_frames = in.shape[0];
    desc.n_samples = in.shape[3];
    desc.grid =
        (sac_grid){.first_m = {-12.5e-3, 0, 10e-3}, .last_m = {12.5e-3, 0, 35e-3}, .n = {N, 1, N}};
    desc.f_number = 1;
    desc.dynamic_range_db = 30;
    desc.tier = (int32_t)tier;
    desc.n_threads = n_threads;
    desc.output = (int32_t)output;
    sac_beamform *plan = NULL;
    if (sac_beamform_open(&plan, &desc, &err) != SAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    sac_array out = sac_beamform_get_output_array(plan);
    out.data = malloc((size_t)sac_array_count(&out) * sizeof(float));
    if (!out.data || out.shape[0] != N_FRAMES || sac_beamform_run(plan, &out, &in, NULL) != SAC_OK)
        exit(1);
    sac_beamform_close(&plan);
    return out.data;
}

/* Mean dB inside of the disk and outside of it, of one frame. */
static void look(const float *db, int frame)
{
    double inside = 0, outside = 0, n_inside = 0, n_outside = 0, highest = -1000;
    for (int i = 0; i < N * N; i++) {
        double x = -12.5 + 0.1 * (i % N), z = 10 + 0.1 * (double)(i / N), value = (double)db[i];
        double r = hypot(x - CENTER_X, z - CENTER_Z);
        highest = fmax(highest, value);
        inside += r < INSIDE ? value : 0;
        n_inside += r < INSIDE;
        outside += r > OUTSIDE ? value : 0;
        n_outside += r > OUTSIDE;
        expect(value <= 0 && value >= -30, "a value beyond 0 to -30 dB", frame, value);
    }
    expect(highest == 0, "the maximum is not 0 dB", frame, highest);
    expect(inside / n_inside > -15, "dark inside of the disk, dB", frame, inside / n_inside);
    expect(outside / n_outside < -25, "bright beside the disk, dB", frame, outside / n_outside);
}

static double correlation(const float *a, const float *b)
{
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0, n = N * N;
    for (int i = 0; i < N * N; i++) {
        double x = (double)a[i], y = (double)b[i];
        sa += x;
        sb += y;
        saa += x * x;
        sbb += y * y;
        sab += x * y;
    }
    return (sab - sa * sb / n) / sqrt((saa - sa * sa / n) * (sbb - sb * sb / n));
}

/* What the file's README says of it. */
static void look_at_metadata(const sac_recording *recording)
{
    static const int64_t shape[] = {N_FRAMES, 1, 128, 334};
    sac_array a = sac_recording_get_array(recording);
    const sac_acquisition *q = sac_recording_get_acquisition(recording);
    expect(a.dtype == SAC_I16, "another type", 0, a.dtype);
    for (int i = 0; i < 4; i++)
        expect(a.shape[i] == shape[i], "another shape", 0, (double)a.shape[i]);
    expect(fabs(q->fs_hz - 20e6 / 3) < 1e-3, "fs", 0, q->fs_hz);
    expect(q->fc_hz == 5e6, "fc", 0, q->fc_hz);
    expect(q->c_m_s == 1480, "c", 0, q->c_m_s);
    expect(fabs(q->elements[0].position_m[0] + 63.5 * 298e-6) < 1e-12, "element 0's x", 0,
           q->elements[0].position_m[0]);
    expect(fabs(q->elements[5].width_m - 262e-6) < 1e-12, "width", 0, q->elements[5].width_m);
    expect(fabs(q->frame_rate_hz - 10e3) < 1e-6, "frame rate", 0, q->frame_rate_hz);
    expect(q->transmits[0].kind == SAC_TRANSMIT_PLANE && q->transmits[0].azimuth_rad == 0,
           "no plane wave straight ahead", 0, q->transmits[0].azimuth_rad);
    expect(fabs(q->transmits[0].t0_s - 9.95e-6) < 1e-15, "t0", 0, q->transmits[0].t0_s);
}

int main(void)
{
    char path[1024];
    const char *folder = getenv("SACCADE_DATA");
    snprintf(path, sizeof path, "%s/ultrasound/PWI_disk.mat", folder ? folder : "../shared/data");
    sac_recording *recording = NULL;
    sac_error err = {0};
    sac_status status = sac_recording_read(&recording, path, NULL, &err);
    if (status == SAC_E_IO || status == SAC_E_UNSUPPORTED)
        return skip_all(err.text);
    if (status != SAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    look_at_metadata(recording);
    float *db = beamform(recording, SAC_TIER_FP32, 1, SAC_OUTPUT_BMODE);
    for (int f = 0; f < N_FRAMES; f++)
        look(db + f * N * N, f);
    /* It turns: neighbors look alike, frames far apart do not. */
    double near = correlation(db, db + N * N), far = correlation(db, db + 31 * N * N);
    printf("correlation with frame 0: frame 1 %.3f, frame 31 %.3f\n", near, far);
    expect(near > 0.8, "unlike frame 0", 1, near);
    expect(far < near - 0.1, "like frame 0", 31, far);
    size_t size = (size_t)N_FRAMES * N * N * sizeof(float);
    for (int32_t threads = 2; threads <= 7; threads += 5) {
        float *other = beamform(recording, SAC_TIER_FP32, threads, SAC_OUTPUT_BMODE);
        expect(!memcmp(other, db, size), "other bytes with more threads", 0, threads);
        free(other);
    }
    float *fp32 = beamform(recording, SAC_TIER_FP32, 0, SAC_OUTPUT_ENVELOPE);
    float *exact = beamform(recording, SAC_TIER_EXACT, 0, SAC_OUTPUT_ENVELOPE);
    double sum = 0, scale = 0;
    for (size_t i = 0; i < size / sizeof *exact; i++) {
        sum += pow((double)fp32[i] - (double)exact[i], 2);
        scale += pow((double)exact[i], 2);
    }
    printf("fp32 against exact: %.2g\n", sqrt(sum / scale));
    expect(sqrt(sum / scale) < 6e-5, "fp32 differs from exact", 0, sqrt(sum / scale));
    free(exact);
    free(fp32);
    free(db);
    sac_recording_close(&recording);
    return n_faults > 0;
}
