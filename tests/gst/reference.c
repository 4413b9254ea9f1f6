/*
 * The library's own outputs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reference.h"

#include <saccade/equalize.h>
#include <saccade/motion.h>
#include <string.h>

const char *const element_names[N_ELEMENTS] = {"sacequalize", "sacheatmap", "sacnoise",
                                               "sacdenoise", "sacadjust"};

static sac_array view_of(const void *bytes, int w, int h, int n_channels)
{
    sac_array array;
    const int64_t shape[] = {h, w, n_channels};
    assert_int_equal(sac_array_view(&array, (void *)(uintptr_t)bytes, SAC_U8,
                                    n_channels == 1 ? 2 : 3, shape, NULL),
                     SAC_OK);
    return array;
}

static void open_equalize(Reference *r)
{
    sac_equalize_desc desc;
    sac_equalize *plan;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = r->w, desc.h = r->h, desc.n_channels = r->n_channels;
    assert_int_equal(sac_equalize_open(&plan, &desc, NULL), SAC_OK);
    r->plan = plan;
}

static void open_heatmap(Reference *r, const Layout *layout)
{
    sac_heatmap_desc desc;
    sac_heatmap *plan;
    sac_heatmap_desc_init(&desc);
    desc.w = r->w, desc.h = r->h, desc.n_channels = r->n_channels;
    desc.order = (sac_pixel_order)layout->order;
    assert_int_equal(sac_heatmap_open(&plan, &desc, NULL), SAC_OK);
    r->plan = plan;
    r->out_channels = r->n_channels == 1 ? 3 : r->n_channels;
}

static void open_noise(Reference *r, const Layout *layout, int view)
{
    sac_noise_desc desc;
    sac_noise *plan;
    sac_noise_desc_init(&desc);
    desc.w = r->w, desc.h = r->h, desc.n_channels = r->n_channels, desc.view = view;
    desc.order = (sac_pixel_order)layout->order;
    assert_int_equal(sac_noise_open(&plan, &desc, NULL), SAC_OK);
    r->plan = plan;
    if (view == SAC_NOISE_BITS) {
        r->out_channels = 1;
        r->out_w = (r->w + 7) / 8;
    }
}

static void open_denoise(Reference *r)
{
    sac_denoise_desc desc;
    sac_denoise *plan;
    sac_denoise_desc_init(&desc);
    desc.w = r->w, desc.h = r->h, desc.n_channels = r->n_channels;
    assert_int_equal(sac_denoise_open(&plan, &desc, NULL), SAC_OK);
    r->plan = plan;
}

static void open_adjust(Reference *r, const Layout *layout)
{
    sac_adjust_desc desc;
    sac_adjust *plan;
    sac_adjust_desc_init(&desc);
    desc.w = r->w, desc.h = r->h, desc.n_channels = r->n_channels;
    desc.order = (sac_pixel_order)layout->order;
    assert_int_equal(sac_adjust_open(&plan, &desc, NULL), SAC_OK);
    r->plan = plan;
}

void reference_adjust(Reference *r, double brightness, double contrast, double saturation,
                      double gain)
{
    sac_adjust_desc desc;
    sac_adjust_desc_init(&desc);
    desc.brightness = brightness, desc.contrast = contrast;
    desc.saturation = saturation, desc.gain = gain;
    assert_int_equal(sac_adjust_set(r->plan, &desc, NULL), SAC_OK);
}

void reference_open(Reference *r, Element element, const Layout *layout, Size size, int view)
{
    *r = (Reference){.element = element, .w = size.w, .h = size.h};
    r->n_channels = r->out_channels = layout->n_channels;
    r->out_w = r->w;
    switch (element) {
    case EQUALIZE:
        open_equalize(r);
        break;
    case HEATMAP:
        open_heatmap(r, layout);
        break;
    case NOISE:
        open_noise(r, layout, view);
        break;
    case ADJUST:
        open_adjust(r, layout);
        break;
    case DENOISE:
    case N_ELEMENTS:
        open_denoise(r);
        break;
    }
}

void reference_close(Reference *r)
{
    sac_equalize *equalize = r->plan;
    sac_heatmap *heatmap = r->plan;
    sac_noise *noise = r->plan;
    sac_denoise *denoise = r->plan;
    sac_adjust *adjust = r->plan;
    if (r->element == EQUALIZE)
        sac_equalize_close(&equalize);
    else if (r->element == HEATMAP)
        sac_heatmap_close(&heatmap);
    else if (r->element == NOISE)
        sac_noise_close(&noise);
    else if (r->element == ADJUST)
        sac_adjust_close(&adjust);
    else
        sac_denoise_close(&denoise);
    g_free(r->previous);
}

uint8_t *reference_next(Reference *r, const uint8_t *frame)
{
    const size_t n = (size_t)r->w * (size_t)r->h * (size_t)r->n_channels;
    const size_t n_out = (size_t)r->out_w * (size_t)r->h * (size_t)r->out_channels;
    uint8_t *bytes = g_malloc(n_out);
    const sac_array out = view_of(bytes, r->out_w, r->h, r->out_channels),
                    current = view_of(frame, r->w, r->h, r->n_channels),
                    previous =
                        view_of(r->previous ? r->previous : frame, r->w, r->h, r->n_channels);
    sac_status status;
    if (r->element == EQUALIZE)
        status = sac_equalize_run(r->plan, &out, &current, NULL);
    else if (r->element == HEATMAP)
        status = sac_heatmap_run(r->plan, &out, &current, &previous, NULL);
    else if (r->element == NOISE)
        status = sac_noise_run(r->plan, &out, &current, &previous, NULL);
    else if (r->element == ADJUST)
        status = sac_adjust_run(r->plan, &out, &current, NULL);
    else
        status = sac_denoise_run(r->plan, &out, &current, NULL);
    assert_int_equal(status, SAC_OK);
    g_free(r->previous);
    r->previous = g_memdup2(frame, n);
    return bytes;
}

gboolean is_in_place(Element element)
{
    return element == EQUALIZE || element == ADJUST;
}

GstVideoFormat out_format(Element element, GstVideoFormat in)
{
    return element == HEATMAP && in == GST_VIDEO_FORMAT_GRAY8 ? GST_VIDEO_FORMAT_RGB : in;
}
