/*
 * What each element is to give: the library, called for one frame after the other.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_GST_REFERENCE_H
#define SAC_TESTS_GST_REFERENCE_H

#include "harness.h"

typedef enum Element { EQUALIZE, HEATMAP, NOISE, DENOISE, ADJUST, N_ELEMENTS } Element;
extern const char *const element_names[N_ELEMENTS];

/* Plans with default options, but for `view`, for frames of one kind. */
typedef struct Reference {
    Element element;
    int w, h, n_channels;
    int out_w, out_channels; /* of the outputs */
    void *plan;
    uint8_t *previous; /* NULL before the first frame */
} Reference;

/* `view`: sac_noise_view; with SAC_NOISE_BITS outputs are gray, (w + 7) / 8 wide. */
void reference_open(Reference *r, Element element, const Layout *layout, Size size, int view);
void reference_close(Reference *r);

/* ADJUST: its plan from the next frame on. */
void reference_adjust(Reference *r, double brightness, double contrast, double saturation,
                      double gain);

/* Whether it writes into the buffer that it is given. */
gboolean is_in_place(Element element);

/* The output for the next frame; freed by g_free. */
uint8_t *reference_next(Reference *r, const uint8_t *frame);

/* The format of an element's output. */
GstVideoFormat out_format(Element element, GstVideoFormat in);

#endif
