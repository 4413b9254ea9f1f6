/*
 * Images as measures see them, and the contrast of a cyst.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/simulate/magnitudes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define INSIDE 0.8 /* radii: what is inside, and where the ring around begins */
#define AROUND 1.2
#define LEAST_SAMPLES 16

void sac_ultrasound_image_init(sac_ultrasound_image *image)
{
    if (!image)
        return;
    *image = (sac_ultrasound_image){.output = SAC_OUTPUT_BMODE};
    sac_grid_init(&image->grid);
}

static const char *expected_type(sac_beamform_output output)
{
    return output == SAC_OUTPUT_IQ ? "c64" : "f32";
}

void sac_image_find(double at[3], const sac_image_view *view, const double p_m[3])
{
    const sac_sector *s = view->sector;
    memcpy(at, p_m, 3 * sizeof *at);
    if (!s)
        return;
    const double x = p_m[0] - s->apex_m[0], y = p_m[1] - s->apex_m[1], z = p_m[2] - s->apex_m[2];
    at[0] = atan2(x, z);
    at[1] = atan2(y, hypot(x, z));
    at[2] = hypot(hypot(x, z), y) - s->radius_m;
}

void sac_image_place(double p_m[3], const sac_image_view *view, const double at[3])
{
    memcpy(p_m, at, 3 * sizeof *at);
    if (view->sector)
        sac_sector_point(p_m, view->sector, at[0], at[1], at[2]);
}

void sac_image_scale(double scale_m[3], const sac_image_view *view, const double at[3])
{
    const double r = view->sector ? view->sector->radius_m + at[2] : 1;
    scale_m[0] = view->sector ? r * cos(at[1]) : 1;
    scale_m[1] = r;
    scale_m[2] = 1;
}

sac_status sac_image_view_of(sac_image_view *view, const sac_ultrasound_image *image,
                             const sac_sector *sector, sac_error *err)
{
    if (!image)
        return sac_fail(err, SAC_E_INVALID, "image: is NULL");
    const sac_array *a = image->samples;
    const sac_grid *grid = &image->grid;
    sac_status status = sac_array_check(a, "image", err);
    if (status)
        return status;
    if (image->output >= SAC_OUTPUT_GRAY)
        return sac_fail(err, SAC_E_SHAPE, "image: %s",
                        image->output == SAC_OUTPUT_GRAY
                            ? "gray is for the eye; bmode can be measured"
                            : "expected iq, envelope or bmode");
    if (a->dtype != (image->output == SAC_OUTPUT_IQ ? SAC_C64 : SAC_F32) ||
        a->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_SHAPE, "image: expected %s on the CPU, got %s%s",
                        expected_type(image->output), sac_dtype_name(a->dtype),
                        image->output == SAC_OUTPUT_IQ ? ": RF has no envelope yet" : "");
    *view = (sac_image_view){.data = a->data, .sector = sector, .output = image->output};
    int32_t last = a->n_dims - 1;
    int32_t axis[3] = {last, a->n_dims == 3 ? 1 : -1, 0};
    for (int i = 0; i < 3; i++) {
        bool fits = a->n_dims == 2 || a->n_dims == 3;
        int64_t n = fits && axis[i] >= 0 ? a->shape[axis[i]] : 1;
        if (!fits || n != grid->n[i] || n < 1)
            return sac_fail(err, SAC_E_SHAPE,
                            "image: expected (n_z, n_x) or (n_z, n_y, n_x) of the grid's %lld x "
                            "%lld x %lld places in x, y, z, got %d axes",
                            (long long)grid->n[0], (long long)grid->n[1], (long long)grid->n[2],
                            a->n_dims);
        double length = grid->last_m[i] - grid->first_m[i];
        if (!isfinite(length) || (n > 1 && length == 0))
            return sac_fail(err, SAC_E_INVALID, "grid: %c runs from %g to %g m", "xyz"[i],
                            grid -> first_m[i], grid -> last_m[i]);
        view->n[i] = n;
        view->stride[i] = n > 1 ? a->stride[axis[i]] : 0;
        view->first_m[i] = grid->first_m[i];
        view->step_m[i] = n > 1 ? length / (double)(n - 1) : 0;
    }
    return SAC_OK;
}

double sac_image_db(const sac_image_view *view, int64_t x, int64_t y, int64_t z)
{
    float s[2] = {0, 0};
    const char *at = view->data + x * view->stride[0] + y * view->stride[1] + z * view->stride[2];
    memcpy(s, at, view->output == SAC_OUTPUT_IQ ? sizeof s : sizeof s[0]);
    double db = view->output == SAC_OUTPUT_BMODE ? (double)s[0]
                                                 : 20 * log10(hypot((double)s[0], (double)s[1]));
    return db > SAC_SILENCE_DB ? db : SAC_SILENCE_DB; /* NaN too */
}

/* The samples of a region, as magnitudes and in dB; relative to nothing. */
typedef struct region {
    double *db, *magnitude;
    int64_t n, most;
} region;

typedef struct moments {
    double mean, variance;
} moments;

static moments moments_of(const double *values, int64_t n)
{
    moments m = {0, 0};
    for (int64_t i = 0; i < n; i++)
        m.mean += values[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        m.variance += (values[i] - m.mean) * (values[i] - m.mean) / (double)n;
    return m;
}

static void add_sample(region *to, double db)
{
    if (to->n < to->most) {
        to->db[to->n] = db;
        to->magnitude[to->n] = pow(10, db / 20);
    }
    to->n++;
}

/* Counts both regions, and keeps as many samples as they have room for. */
static void gather(region *inside, region *outside, const sac_image_view *view,
                   const double center_m[3], double radius_m)
{
    const double most = AROUND * AROUND + INSIDE * INSIDE;
    inside->n = outside->n = 0;
    for (int64_t z = 0; z < view->n[2]; z++)
        for (int64_t x = 0; x < view->n[0]; x++) {
            const double at[3] = {view->first_m[0] + (double)x * view->step_m[0], 0,
                                  view->first_m[2] + (double)z * view->step_m[2]};
            double p[3];
            sac_image_place(p, view, at);
            double dx = p[0] - center_m[0], dz = p[2] - center_m[2];
            double r2 = (dx * dx + dz * dz) / (radius_m * radius_m);
            region *to = r2 <= INSIDE * INSIDE                 ? inside
                         : r2 >= AROUND * AROUND && r2 <= most ? outside
                                                               : NULL;
            for (int64_t y = 0; to && y < view->n[1]; y++)
                add_sample(to, sac_image_db(view, x, y, z));
        }
}

static void count(double share[SAC_GCNR_BINS], const region *of, double low, double high)
{
    for (int64_t i = 0; i < of->n; i++) {
        double bin = (of->magnitude[i] - low) / (high - low) * SAC_GCNR_BINS;
        share[bin < SAC_GCNR_BINS - 1 ? (int)bin : SAC_GCNR_BINS - 1] += 1 / (double)of->n;
    }
}

static double gcnr(const region *inside, const region *outside)
{
    double low = INFINITY, high = -INFINITY, overlap = 0;
    double in[SAC_GCNR_BINS] = {0}, out[SAC_GCNR_BINS] = {0};
    const region *both[2] = {inside, outside};
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < both[k]->n; i++) {
            low = fmin(low, both[k]->magnitude[i]);
            high = fmax(high, both[k]->magnitude[i]);
        }
    if (!(high > low))
        return 0;
    count(in, inside, low, high);
    count(out, outside, low, high);
    for (int i = 0; i < SAC_GCNR_BINS; i++)
        overlap += fmin(in[i], out[i]);
    return 1 - overlap;
}

static void measure(sac_cyst_measure *out, const region *inside, const region *outside)
{
    moments in = moments_of(inside->magnitude, inside->n);
    moments around = moments_of(outside->magnitude, outside->n);
    moments in_db = moments_of(inside->db, inside->n);
    moments around_db = moments_of(outside->db, outside->n);
    *out = (sac_cyst_measure){
        .contrast_db = 20 * log10(in.mean / around.mean),
        .cnr_picmus_db = 20 * log10(fabs(in_db.mean - around_db.mean) /
                                    sqrt((in_db.variance + around_db.variance) / 2)),
        .cnr_cubdl = fabs(in.mean - around.mean) / sqrt(in.variance + around.variance),
        .gcnr = gcnr(inside, outside),
        .speckle_snr = around.mean / sqrt(around.variance),
        .n_inside = inside->n,
        .n_outside = outside->n,
    };
}

static sac_status check_cyst(const sac_image_view *view, const double center_m[3], double radius_m,
                             sac_error *err)
{
    if (!isfinite(center_m[0] + center_m[2]) || !(isfinite(radius_m) && radius_m > 0))
        return sac_fail(err, SAC_E_INVALID,
                        "cyst: expected a center and a radius above 0, got (%g, %g) and %g m",
                        center_m[0], center_m[2], radius_m);
    region inside = {0}, outside = {0};
    gather(&inside, &outside, view, center_m, radius_m);
    if (inside.n < LEAST_SAMPLES || 2 * outside.n < inside.n)
        return sac_fail(err, SAC_E_INVALID,
                        "cyst: at (%g, %g) mm, radius %g mm, lie %lld samples inside and %lld "
                        "around; expected %d and half as many as inside",
                        1e3 * center_m[0], 1e3 * center_m[2], 1e3 * radius_m, (long long)inside.n,
                        (long long)outside.n, LEAST_SAMPLES);
    return SAC_OK;
}

static sac_status measure_cyst(sac_cyst_measure *out, const sac_ultrasound_image *image,
                               const sac_sector *sector, const double center_m[3], double radius_m,
                               sac_error *err)
{
    sac_image_view view;
    if (!out || !center_m)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "center" : "out");
    sac_status status = sac_image_view_of(&view, image, sector, err);
    if (status == SAC_OK)
        status = check_cyst(&view, center_m, radius_m, err);
    if (status)
        return status;
    region inside = {0}, outside = {0};
    gather(&inside, &outside, &view, center_m, radius_m);
    inside.most = inside.n;
    outside.most = outside.n;
    double *memory = sac_alloc((size_t)(inside.n + outside.n), 2 * sizeof *memory);
    if (!memory)
        return sac_fail(err, SAC_E_NOMEM, "cyst: no memory for %" PRId64 " samples",
                        inside.n + outside.n);
    inside.db = memory;
    inside.magnitude = inside.db + inside.n;
    outside.db = inside.magnitude + inside.n;
    outside.magnitude = outside.db + outside.n;
    gather(&inside, &outside, &view, center_m, radius_m);
    measure(out, &inside, &outside);
    sac_free(memory);
    return SAC_OK;
}

sac_status sac_measure_cyst(sac_cyst_measure *out, const sac_ultrasound_image *image,
                            const double center_m[3], double radius_m, sac_error *err)
{
    return measure_cyst(out, image, NULL, center_m, radius_m, err);
}

sac_status sac_measure_sector_cyst(sac_cyst_measure *out, const sac_ultrasound_image *image,
                                   const sac_sector *sector, const double center_m[3],
                                   double radius_m, sac_error *err)
{
    return sector ? measure_cyst(out, image, sector, center_m, radius_m, err)
                  : sac_fail(err, SAC_E_INVALID, "sector: is NULL");
}
