/*
 * The options of adaptive weights: their words as numbers, and what they do not go with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/numbers.h"
#include "beamform/plan.h"

/* The names, with what follows a colon: from `least` to `most`, or a share below 1. */
typedef struct name {
    const char *text, *amount; /* amount: as a message calls it */
    sac_reduction_kind kind;
    double least, most, standard;
    bool whole, share, line; /* line: the order of the elements counts */
} name;

static const name names[] = {
    {"sum", NULL, SAC_REDUCE_SUM, 0, 0, 0, false, false, false},
    {"cf", NULL, SAC_REDUCE_CF, 0, 0, 0, false, false, false},
    {"gcf", "gcf:M0 with M0 of 0 to 100", SAC_REDUCE_GCF, 0, 100, 1, true, false, true},
    {"scf", "scf:P with P of 0.1 to 10", SAC_REDUCE_SCF, 0.1, 10, 1, false, false, false},
    {"dmas", "dmas:P with P of 1 to 10", SAC_REDUCE_DMAS, 1, 10, 2, false, false, false},
    {"slsc", "slsc:Q with Q of 1 to 4096 lags, or a share of the aperture between 0 and 1",
     SAC_REDUCE_SLSC, 1, 4096, 0.3, true, true, true},
    {"mv", "mv:L with L of 1 to 4096 elements, or a share of the aperture above 0, at most 0.5",
     SAC_REDUCE_MV, 1, 4096, 0.25, true, true, true},
};

static const name *find_name(const char *text)
{
    const size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].text) == length && !strncmp(text, names[i].text, length))
            return &names[i];
    return NULL;
}

/* What follows the name; false where it does not suit. */
static bool read_amount(double *amount, const name *n, const char *text)
{
    const char *end;
    text += strlen(n->text);
    *amount = n->standard;
    if (*text == '\0')
        return true;
    *amount = sac_number_read(text + 1, &end);
    if (!n->amount || end == text + 1 || *end != '\0')
        return false;
    if (n->share && *amount > 0 && *amount < 1)
        return n->kind != SAC_REDUCE_MV || *amount <= 0.5;
    return *amount >= n->least && *amount <= n->most && !(n->whole && *amount != floor(*amount));
}

static sac_status read_name(const name **found, double *amount, const char *text, sac_error *err)
{
    const name *n = *found = find_name(text);
    if (!n)
        return sac_fail(err, SAC_E_INVALID,
                        "reduction: expected sum, cf, gcf, scf, dmas, slsc or mv, got `%s`", text);
    if (read_amount(amount, n, text))
        return SAC_OK;
    return sac_fail(err, SAC_E_INVALID, "reduction: expected %s, got `%s`",
                    n->amount ? n->amount : n->text, text);
}

/* Whether neighbouring elements are equally far from each other, within a tenth. */
static bool is_line(const sac_acquisition *a)
{
    double least = INFINITY, most = 0;
    for (int32_t r = 1; r < a->n_elements; r++) {
        const double apart = sac_distance(a->elements[r].position_m, a->elements[r - 1].position_m);
        least = fmin(least, apart);
        most = fmax(most, apart);
    }
    return a->n_elements < 2 || most <= 1.1 * least;
}

static sac_status check_over(const sac_beamform_desc *d, const sac_reduction *r, const name *n,
                             sac_error *err)
{
    if (r->over == SAC_OVER_ALL && r->kind != SAC_REDUCE_CF && r->kind != SAC_REDUCE_SCF &&
        r->kind != SAC_REDUCE_DMAS)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "reduction-over: all is for cf, scf and dmas; %s takes transmit or "
                        "compound",
                        n->text);
    const bool field =
        d->tx_f_number > 0 || (d->tx_apodization && !strcmp(d->tx_apodization, "lines"));
    if (r->over != SAC_OVER_TRANSMIT && (d->lri || field))
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "reduction-over: %s of %s needs each transmit's own value: take transmit",
                        n->text, d->lri ? "low-resolution images (lri)" : "transmit apodization");
    return SAC_OK;
}

sac_status sac_beamform_reduction(sac_reduction *out, const sac_beamform_desc *desc, sac_error *err)
{
    const name *n;
    *out = (sac_reduction){.loading = desc->reduction_loading};
    const sac_status status =
        read_name(&n, &out->amount, desc->reduction ? desc->reduction : "sum", err);
    if (status)
        return status;
    out->kind = n->kind;
    out->over = (sac_reduction_over)desc->reduction_over;
    if (out->over == SAC_OVER_AUTO)
        out->over = out->kind == SAC_REDUCE_MV ? SAC_OVER_COMPOUND : SAC_OVER_TRANSMIT;
    if (out->kind == SAC_REDUCE_SUM)
        return desc->reduction_over == SAC_OVER_AUTO
                   ? SAC_OK
                   : sac_fail(err, SAC_E_INVALID,
                              "reduction-over: is for adaptive weights, and "
                              "reduction is sum");
    if (desc->dtype != SAC_C64 && desc->demodulate == SAC_DEMODULATE_NO)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "reduction: %s is of IQ: leave out demodulate no, so that RF becomes IQ",
                        n->text);
    if (sac_beamform_needs_groups(desc->acquisition))
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "reduction: %s is not known of arrays of lines, or where not all elements "
                        "receive",
                        n->text);
    if (n->line && !is_line(desc->acquisition))
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "reduction: %s needs equally spaced elements along one line or arc",
                        n->text);
    return check_over(desc, out, n, err);
}
