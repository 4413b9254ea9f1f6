/*
 * saccade_beamform: channel data and an acquisition to an image on a grid.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "acquisition.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static void close_plan(void *plan)
{
    sac_beamform *p = plan;
    sac_beamform_close(&p);
}

/* The points of a call: a grid, or a list with the sizes of MATLAB's matrices. */
typedef struct points {
    sac_beamform_desc *desc;
    mwSize n_sizes;
    const mwSize *sizes; /* of the matrices x and z */
    bool shows_sector;   /* the picture is to show all of it */
    bool has_f_number;
} points;

static const char *const cartesian[] = {"x", "y", "z"};
static const char *const polar[] = {"azimuth", "elevation", "depth"};

/* The same number several times: a column or row of meshgrid's, no axis of a grid. */
static bool is_constant(const double *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (v[i] != v[0])
            return false;
    return n > 1;
}

/* Numbers at equal steps, which a grid can hold. */
static bool is_even(const double *v, size_t n)
{
    const double step = n > 1 ? (v[n - 1] - v[0]) / (double)(n - 1) : 0;
    bool even = true;
    for (size_t i = 0; i < n && even; i++)
        even = fabs(v[i] - (v[0] + step * (double)i)) <= 1e-6 * fabs(step);
    return even;
}

static const double *axis_numbers(const mxArray *grid, const char *name, const mxArray **value)
{
    *value = mxGetField(grid, 0, name);
    if (!*value)
        return NULL;
    if (!mxIsDouble(*value) || mxIsComplex(*value) || mxIsSparse(*value) || mxIsEmpty(*value))
        mat_fail(SAC_E_INVALID, "grid.%s: expected %s, of class double", name,
                 name[0] == 'a' || name[0] == 'e' ? "radians" : "metres");
    return mxGetData(*value);
}

static bool is_same_size(const mxArray *a, const mxArray *b)
{
    const mwSize n = mxGetNumberOfDimensions(a);
    return mxGetNumberOfDimensions(b) == n &&
           memcmp(mxGetDimensions(a), mxGetDimensions(b), n * sizeof(mwSize)) == 0;
}

/* Three matrices of one size, y optional: each has a coordinate of every point. */
static void take_list(points *to, const mxArray *const value[3], const double *const v[3])
{
    const size_t n = mxGetNumberOfElements(value[0]);
    double *points_m = mat_alloc(3 * n, sizeof *points_m);
    for (int k = 1; k < 3; k++)
        if (v[k] && !is_same_size(value[0], value[k]))
            mat_fail(SAC_E_SHAPE, "grid: x, y and z are matrices, and differ in size");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            points_m[3 * i + k] = v[k] ? v[k][i] : 0;
    to->desc->points_m = points_m;
    to->desc->n_points = (int64_t)n;
    to->n_sizes = mxGetNumberOfDimensions(value[0]);
    to->sizes = mxGetDimensions(value[0]);
}

static bool is_vector(const mxArray *value)
{
    return mxGetNumberOfDimensions(value) == 2 && (mxGetM(value) == 1 || mxGetN(value) == 1);
}

/* Vectors at equal steps; false: matrices, which are a list of points. */
static bool take_axes(sac_grid *g, const char *const names[3], const mxArray *const value[3],
                      const double *const v[3])
{
    for (int k = 0; k < 3; k++)
        if (v[k] && (!is_vector(value[k]) || is_constant(v[k], mxGetNumberOfElements(value[k]))))
            return false;
    for (int k = 0; k < 3; k++) {
        const size_t n = v[k] ? mxGetNumberOfElements(value[k]) : 1;
        if (v[k] && !is_even(v[k], n))
            mat_fail(SAC_E_INVALID,
                     "grid.%s: expected equal steps; for other points give matrices "
                     "x and z as meshgrid makes them",
                     names[k]);
        g->first_m[k] = v[k] ? v[k][0] : 0;
        g->last_m[k] = v[k] ? v[k][n - 1] : 0;
        g->n[k] = (int64_t)n;
    }
    return true;
}

static void take_numbers(double *to, const mxArray *grid, const char *name, size_t n)
{
    const mxArray *value = mxGetField(grid, 0, name);
    if (!value)
        return;
    if (!mxIsDouble(value) || mxIsComplex(value) || mxIsSparse(value) ||
        mxGetNumberOfElements(value) != n)
        mat_fail(SAC_E_INVALID, "grid.%s: expected %zu number%s in metres, of class double", name,
                 n, n > 1 ? "s" : "");
    memcpy(to, mxGetData(value), n * sizeof *to);
}

static void take_grid(points *to, const mxArray *grid)
{
    sac_beamform_desc *d = to->desc;
    const bool is_sector = mxGetField(grid, 0, "azimuth") != NULL;
    const char *const *names = is_sector ? polar : cartesian;
    const mxArray *value[3];
    const double *v[3];
    for (int k = 0; k < 3; k++)
        v[k] = axis_numbers(grid, names[k], &value[k]);
    if (!v[0] || !v[2])
        mat_fail(SAC_E_INVALID, "grid: expected a struct with x and z in metres, or with azimuth "
                                "in radians and depth");
    if (is_sector) {
        d->grid_kind = SAC_GRID_SECTOR;
        take_numbers(d->sector.apex_m, grid, "apex_m", 3);
        take_numbers(&d->sector.radius_m, grid, "radius_m", 1);
    }
    if (!take_axes(&d->grid, names, value, v)) {
        if (is_sector)
            mat_fail(SAC_E_INVALID, "grid: expected vectors at equal steps as azimuth and depth");
        take_list(to, value, v);
    }
}

/* 'auto', or a struct of x and z: to what the envelope of a sector is converted. */
static void take_picture(points *to, const mxArray *picture)
{
    const mxArray *value[3];
    const double *v[3];
    if (!mxIsStruct(picture) || mxGetNumberOfElements(picture) != 1) {
        char text[8] = "";
        to->shows_sector = mxIsChar(picture) && mxGetString(picture, text, sizeof text) == 0 &&
                           strcmp(text, "auto") == 0;
        if (!to->shows_sector)
            mat_fail(SAC_E_INVALID, "picture: expected 'auto', or a struct with x and z in metres");
        return;
    }
    for (int k = 0; k < 3; k++)
        v[k] = axis_numbers(picture, cartesian[k], &value[k]);
    if (!v[0] || !v[2] || !take_axes(&to->desc->picture, cartesian, value, v))
        mat_fail(SAC_E_INVALID, "picture: expected vectors x and z at equal steps, in metres");
}

static mxArray *new_numbers(const double *from, int64_t n)
{
    mxArray *to = mat_new(SAC_F64, 2, (const int64_t[]){1, n});
    memcpy(mxGetData(to), from, (size_t)n * sizeof *from);
    return to;
}

/* Of the image: the picture's, if it was converted. */
static mxArray *new_grid(const sac_beamform_desc *d)
{
    const bool is_sector = d->grid_kind == SAC_GRID_SECTOR && !d->picture.n[0];
    const sac_grid *g = d->picture.n[0] ? &d->picture : &d->grid;
    const char *names[] = {"x", "y", "z", "apex_m", "radius_m"};
    for (int k = 0; k < 3 && is_sector; k++)
        names[k] = polar[k];
    mxArray *to = mxCreateStructMatrix(1, 1, is_sector ? 5 : 3, names);
    for (int k = 0; k < 3; k++) {
        mxArray *axis = mat_new(SAC_F64, 2, (const int64_t[]){1, g->n[k]});
        double *v = mxGetData(axis);
        for (int64_t i = 0; i < g->n[k]; i++)
            v[i] = g->n[k] > 1 ? g->first_m[k] + (double)i * (g->last_m[k] - g->first_m[k]) /
                                                     (double)(g->n[k] - 1)
                               : g->first_m[k];
        mxSetField(to, 0, names[k], axis);
    }
    if (is_sector) {
        mxSetField(to, 0, "apex_m", new_numbers(d->sector.apex_m, 3));
        mxSetField(to, 0, "radius_m", new_numbers(&d->sector.radius_m, 1));
    }
    return to;
}

/* Without one, a rectangle; 'suit': what suits the probe. */
static void choose_grid(sac_beamform_desc *d, bool suit)
{
    sac_error err = {0};
    mat_check(suit ? sac_grid_suit(&d->grid, &d->grid_kind, &d->sector, d->acquisition,
                                   d->n_samples, &err)
                   : sac_grid_default(&d->grid, d->acquisition, d->n_samples, &err),
              &err);
    if (d->demodulate == SAC_DEMODULATE_NO)
        d->grid.n[2] = 2 * d->grid.n[2] + 1; /* as the command: the carrier is sampled */
}

/*
 * The image as MATLAB's, and as the library writes it: (n_frames, n_transmits, n_z, n_y, n_x)
 * becomes (n_z, n_x, n_y, n_transmits, n_frames), without axes that are not there; a list of points
 * has the sizes of its matrices in front.
 */
static mxArray *new_image(sac_array *out, const sac_beamform_desc *d, const points *p)
{
    const int32_t n_lead = d->lri ? 2 : 1, n_space = out->n_dims - n_lead;
    int32_t from[SAC_MAX_DIMS];
    int64_t sizes[SAC_MAX_DIMS];
    int32_t n = 0;
    if (n_space > 1) { /* z first, then x, then y: lines of a picture lie along z */
        from[n++] = n_lead;
        from[n++] = out->n_dims - 1;
    }
    for (int32_t i = n_space > 1 ? n_lead + 1 : n_lead; i < out->n_dims - (n_space > 1); i++)
        from[n++] = i;
    for (int32_t i = n_lead - 1; i >= 0; i--)
        from[n++] = i;
    ptrdiff_t stride = (ptrdiff_t)sac_dtype_size(out->dtype);
    for (int32_t i = 0; i < n; i++) {
        sizes[i] = out->shape[from[i]];
        out->stride[from[i]] = stride;
        stride *= (ptrdiff_t)sizes[i];
    }
    mxArray *image = mat_new(out->dtype, n, sizes);
    out->data = mxGetData(image);
    if (p->sizes) {
        mwSize *all = mat_alloc(p->n_sizes + 2, sizeof *all);
        memcpy(all, p->sizes, p->n_sizes * sizeof *all);
        for (int32_t i = 1; i < n; i++)
            all[p->n_sizes + (mwSize)i - 1] = (mwSize)sizes[i];
        mxSetDimensions(image, all, p->n_sizes + (mwSize)(n - 1));
    }
    return image;
}

/* An image of nothing, as that of a grid in mm instead of metres. */
static void doubt(const sac_array *image, const sac_beamform_desc *d)
{
    const int64_t n = sac_array_count(image);
    bool is_dark = true;
    for (int64_t i = 0; i < n && is_dark; i++) {
        if (image->dtype == SAC_U8)
            is_dark = ((const uint8_t *)image->data)[i] == 0;
        else if (d->output == SAC_OUTPUT_BMODE)
            is_dark = (double)((const float *)image->data)[i] <= -d->dynamic_range_db;
        else
            is_dark = ((const float *)image->data)[image->dtype == SAC_C64 ? 2 * i : i] == 0;
    }
    if (is_dark)
        mexWarnMsgIdAndTxt("saccade:dark",
                           "the image is dark: either the data is 0 or NaN, or no echo "
                           "from the grid (in metres) lies in the record (see t0)");
}

static bool take_option(void *ctx, const char *name, const mxArray *value)
{
    points *to = ctx;
    to->has_f_number =
        to->has_f_number || strcmp(name, "f_number") == 0 || strcmp(name, "f-number") == 0;
    if (strcmp(name, "picture") != 0)
        return false;
    take_picture(to, value);
    return true;
}

/* The third argument, which is neither left out nor []. NULL: 'suit', or none. */
static const mxArray *grid_of(const mat_call *call, bool *suit)
{
    char text[8] = "";
    const mxArray *grid = call->n_in > 2 && !mxIsEmpty(call->in[2]) ? call->in[2] : NULL;
    *suit = grid && mxIsChar(grid) && mxGetString(grid, text, sizeof text) == 0 &&
            strcmp(text, "suit") == 0;
    if (!grid || *suit)
        return NULL;
    if (!mxIsStruct(grid) || mxGetNumberOfElements(grid) != 1)
        mat_fail(SAC_E_INVALID,
                 "grid: expected a struct with x and z in metres, 'suit', or [] before options; "
                 "got %s",
                 mxIsStruct(grid) ? "several" : mxGetClassName(grid));
    return grid;
}

/* Of MUST's param, whatever the case of its name. */
static bool has_fnumber(const mxArray *param)
{
    for (int i = 0; i < mxGetNumberOfFields(param); i++) {
        const mxArray *value = mxGetFieldByNumber(param, 0, i);
        if (strcasecmp(mxGetFieldNameByNumber(param, i), "fnumber") == 0 && value &&
            !mxIsEmpty(value))
            return true;
    }
    return false;
}

void mat_beamform(mat_call *call)
{
    sac_error err = {0};
    sac_beamform *plan = NULL;
    sac_beamform_desc desc;
    points p = {.desc = &desc};
    bool suit;
    mat_expect(call, 2, 2);
    sac_beamform_desc_init(&desc);
    const mxArray *grid = grid_of(call, &suit);
    mat_options(call, 3, sac_beamform_params(), &desc, take_option, &p);
    if (grid)
        take_grid(&p, grid);
    const mat_channels c = mat_channels_take(call->in[0], call->in[1]);
    if (!p.has_f_number && has_fnumber(call->in[1]))
        mexWarnMsgIdAndTxt("saccade:fnumber", "param.fnumber is not used: give 'f_number', F");
    if (*c.note)
        mexWarnMsgIdAndTxt("saccade:assumed", "%s", c.note);
    desc.acquisition = c.acquisition;
    desc.dtype = c.samples.dtype;
    desc.n_frames = c.samples.shape[0];
    desc.n_samples = c.samples.shape[3];
    desc.progress = mat_go_on;
    if (!grid)
        choose_grid(&desc, suit);
    if (p.shows_sector && desc.grid_kind == SAC_GRID_SECTOR)
        sac_sector_picture(&desc.picture, &desc.grid, &desc.sector);
    else if (p.shows_sector && !suit)
        mat_fail(SAC_E_INVALID, "picture: is for a grid of azimuth and depth");
    mat_check(sac_beamform_open(&plan, &desc, &err), &err);
    mat_keep(plan, close_plan);
    sac_array out = sac_beamform_get_output_array(plan);
    call->out[0] = new_image(&out, &desc, &p);
    mat_check(sac_beamform_run(plan, &out, &c.samples, &err), &err);
    doubt(&out, &desc);
    if (call->n_out > 1)
        call->out[1] = p.sizes ? mxDuplicateArray(grid) : new_grid(&desc);
}
