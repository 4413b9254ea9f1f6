/*
 * Runs in groups: where not all elements receive all transmits, or where they are lines. Each group
 * is a delay-and-sum of its own, of transmits that the same elements receive, all areas or lines
 * side by side; the image is the sum of the groups.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/acquisition.h"
#include "beamform/plan.h"

/* Element e as a line. */
static sac_das_line line_of(const sac_acquisition *a, int32_t e)
{
    const int32_t shape = a->shapes ? a->shapes[e] : SAC_SHAPE_AREA;
    if (shape == SAC_SHAPE_AREA)
        return (sac_das_line){SAC_SHAPE_AREA, 0, 0};
    return (sac_das_line){.shape = shape,
                          .middle_m = a->elements[e].position_m[shape == SAC_SHAPE_ROW ? 0 : 1],
                          .half_m = 0.5 * sac_acquisition_line_m(a, e)};
}

static bool is_same_line(const sac_das_line *a, const sac_das_line *b)
{
    return a->shape == b->shape && a->middle_m == b->middle_m && a->half_m == b->half_m;
}

static bool fires(const sac_acquisition *a, int32_t t, int32_t e)
{
    const sac_transmit *wave = &a->transmits[t];
    if (wave->kind == SAC_TRANSMIT_ELEMENT && wave->element != e)
        return false;
    if (wave->kind == SAC_TRANSMIT_DELAYS && wave->delays_s[e] != wave->delays_s[e])
        return false;
    return sac_acquisition_amplitude(a, t, e) != 0;
}

/* What sends transmit t. The arrival of a plane wave, and one that is given, depends on none. */
static sac_status find_tx_line(sac_das_line *line, const sac_acquisition *a, int32_t t,
                               sac_error *err)
{
    const sac_transmit_kind kind = a->transmits[t].kind;
    bool any = false;
    *line = (sac_das_line){SAC_SHAPE_AREA, 0, 0};
    if (kind == SAC_TRANSMIT_PLANE || kind == SAC_TRANSMIT_ARRIVALS)
        return SAC_OK;
    for (int32_t e = 0; e < a->n_elements; e++) {
        const sac_das_line own = line_of(a, e);
        if (!fires(a, t, e))
            continue;
        if (any && !is_same_line(line, &own))
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "transmits: transmit %d fires rows, columns or other elements at once: "
                            "only a plane wave's arrival is known of these",
                            t);
        *line = own;
        any = true;
    }
    return SAC_OK;
}

static bool is_same_set(const sac_acquisition *a, int32_t t, int32_t u)
{
    return !a->receives ||
           memcmp(a->receives + (ptrdiff_t)t * a->n_elements,
                  a->receives + (ptrdiff_t)u * a->n_elements, (size_t)a->n_elements) == 0;
}

/* Kinds of elements, and of which each is; sets of elements that receive, by a transmit of each. */
typedef struct cut {
    const sac_acquisition *a;
    sac_das_line kind[SAC_BEAMFORM_KINDS];
    int32_t n_kinds, n_sets;
    int32_t *kind_of;  /* (n_elements) */
    int32_t *first_of; /* (n_sets): its first transmit */
    int32_t *set_of;   /* (n_transmits) */
} cut;

static sac_status find_kinds(cut *c, sac_error *err)
{
    for (int32_t e = 0; e < c->a->n_elements; e++) {
        const sac_das_line line = line_of(c->a, e);
        int32_t k = 0;
        while (k < c->n_kinds && !is_same_line(&c->kind[k], &line))
            k++;
        if (k == SAC_BEAMFORM_KINDS)
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "shapes: lines of more than %d lengths and places",
                            SAC_BEAMFORM_KINDS - 1);
        c->kind[k] = line;
        c->n_kinds += k == c->n_kinds;
        c->kind_of[e] = k;
    }
    return SAC_OK;
}

static void find_sets(cut *c)
{
    for (int32_t t = 0; t < c->a->n_transmits; t++) {
        int32_t s = 0;
        while (s < c->n_sets && !is_same_set(c->a, c->first_of[s], t))
            s++;
        if (s == c->n_sets)
            c->first_of[c->n_sets++] = t;
        c->set_of[t] = s;
    }
}

/* Element e as the group's points see it: sac_das_receive_at. */
static sac_element seen(const sac_element *e, const sac_das_line *line)
{
    sac_element own = *e;
    if (line->shape == SAC_SHAPE_AREA)
        return own;
    own.position_m[0] = e->position_m[line->shape == SAC_SHAPE_ROW ? 1 : 0];
    own.position_m[1] = 0;
    return own;
}

static sac_status allocate_group(sac_beamform_group *p, const sac_acquisition *a, int32_t n,
                                 sac_error *err)
{
    const size_t n_rx = (size_t)a->n_elements, n_tx = (size_t)n;
    p->elements = sac_alloc(n_rx, sizeof *p->elements);
    p->own_elements = sac_alloc(n_rx, sizeof *p->own_elements);
    p->transmits = sac_alloc(n_tx, sizeof *p->transmits);
    p->own_transmits = sac_alloc(n_tx, sizeof *p->own_transmits);
    p->tx_weight = sac_alloc(n_tx, sizeof *p->tx_weight);
    p->tx_lines = sac_alloc(n_tx, sizeof *p->tx_lines);
    return p->elements && p->own_elements && p->transmits && p->own_transmits && p->tx_weight &&
                   p->tx_lines
               ? SAC_OK
               : sac_fail(err, SAC_E_NOMEM, "beamform: no memory for the groups of %d elements",
                          a->n_elements);
}

/* What elements of kind k receive of the transmits of set s; nothing, where there are none. */
static sac_status add_group(sac_beamform *plan, const cut *c, int32_t s, int32_t k, sac_error *err)
{
    const sac_acquisition *a = c->a;
    sac_beamform_group *p = &plan->groups[plan->n_groups];
    int32_t e = 0;
    while (e < a->n_elements &&
           !(c->kind_of[e] == k && sac_acquisition_receives(a, c->first_of[s], e)))
        e++;
    if (e == a->n_elements)
        return SAC_OK;
    plan->n_groups++;
    int32_t n_tx = 0;
    for (int32_t t = 0; t < a->n_transmits; t++)
        n_tx += c->set_of[t] == s;
    const sac_status status = allocate_group(p, a, n_tx, err);
    for (; e < a->n_elements && status == SAC_OK; e++)
        if (c->kind_of[e] == k && sac_acquisition_receives(a, c->first_of[s], e)) {
            p->own_elements[p->n_rx] = seen(&plan->elements[e], &c->kind[k]);
            p->elements[p->n_rx++] = e;
        }
    for (int32_t t = 0; t < a->n_transmits && status == SAC_OK; t++)
        if (c->set_of[t] == s) {
            p->own_transmits[p->n_tx] = plan->transmits[t];
            p->tx_weight[p->n_tx] = plan->tx_weight[t];
            p->tx_lines[p->n_tx] = plan->tx_lines[t];
            p->transmits[p->n_tx++] = t;
        }
    p->line = c->kind[k];
    return status;
}

static sac_status add_groups(sac_beamform *plan, cut *c, sac_error *err)
{
    sac_status status = find_kinds(c, err);
    if (status)
        return status;
    find_sets(c);
    plan->groups = sac_alloc((size_t)c->n_sets * (size_t)c->n_kinds, sizeof *plan->groups);
    if (!plan->groups)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for %d groups", c->n_sets);
    for (int32_t i = 0; i < c->n_sets * c->n_kinds && status == SAC_OK; i++)
        status = add_group(plan, c, i / c->n_kinds, i % c->n_kinds, err);
    return status;
}

static sac_status find_tx_lines(sac_beamform *plan, const sac_acquisition *a, sac_error *err)
{
    sac_status status = SAC_OK;
    plan->tx_lines = sac_alloc((size_t)a->n_transmits, sizeof *plan->tx_lines);
    if (!plan->tx_lines)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for %d transmits", a->n_transmits);
    for (int32_t t = 0; t < a->n_transmits && status == SAC_OK; t++)
        status = find_tx_line(&plan->tx_lines[t], a, t, err);
    plan->das.tx_lines = plan->tx_lines;
    return status;
}

bool sac_beamform_needs_groups(const sac_acquisition *a)
{
    for (int32_t e = 0; a->shapes && e < a->n_elements; e++)
        if (a->shapes[e] != SAC_SHAPE_AREA)
            return true;
    for (int64_t i = 0; a->receives && i < (int64_t)a->n_transmits * a->n_elements; i++)
        if (!a->receives[i])
            return true;
    return false;
}

sac_status sac_beamform_open_groups(sac_beamform *plan, sac_error *err)
{
    const sac_acquisition *a = plan->desc.acquisition;
    if (!sac_beamform_needs_groups(a))
        return SAC_OK;
    cut c = {.a = a};
    sac_status status = find_tx_lines(plan, a, err);
    if (status)
        return status;
    c.kind_of = sac_alloc((size_t)a->n_elements, sizeof *c.kind_of);
    c.first_of = sac_alloc((size_t)a->n_transmits, sizeof *c.first_of);
    c.set_of = sac_alloc((size_t)a->n_transmits, sizeof *c.set_of);
    status = c.kind_of && c.first_of && c.set_of
                 ? add_groups(plan, &c, err)
                 : sac_fail(err, SAC_E_NOMEM, "beamform: no memory for its groups");
    sac_free(c.kind_of);
    sac_free(c.first_of);
    sac_free(c.set_of);
    return status;
}

void sac_beamform_close_groups(sac_beamform *plan)
{
    for (int32_t i = 0; i < plan->n_groups; i++) {
        sac_beamform_group *p = &plan->groups[i];
        void *memory[] = {p->elements,      p->own_elements, p->transmits,
                          p->own_transmits, p->tx_weight,    p->tx_lines};
        for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
            sac_free(memory[k]);
    }
    sac_free(plan->groups);
    sac_free(plan->tx_lines);
}

sac_das sac_beamform_group_das(const sac_beamform *plan, const sac_das *das,
                               const sac_beamform_group *p)
{
    sac_das own = *das;
    own.n_tx = p->n_tx;
    own.n_rx = p->n_rx;
    own.elements = p->own_elements;
    own.transmits = p->own_transmits;
    own.tx_weight = p->tx_weight;
    own.line = p->line;
    own.tx_lines = p->tx_lines;
    own.firing = plan->elements;
    own.n_firing = plan->das.n_rx;
    own.x0_m = p->own_elements[0].position_m[0];
    own.pitch_m = sac_beamform_pitch(p->own_elements, p->n_rx);
    own.tx = own.rx * own.n_rx;
    own.data = (const char *)das->data + p->first * plan->scalar_size;
    return own;
}

size_t sac_beamform_groups_layout(sac_beamform *plan)
{
    const int32_t n_values = plan->iq ? 2 : 1;
    size_t all = 0;
    int64_t n_records = 0;
    for (int32_t i = 0; i < plan->n_groups; i++) {
        sac_beamform_group *p = &plan->groups[i];
        p->first_record = n_records;
        n_records += (int64_t)p->n_tx * p->n_rx;
        sac_das das = sac_beamform_group_das(plan, &plan->das, p);
        const size_t n = sac_das_layout(&das, n_values, plan->scalar_size);
        p->first = all;
        if (n == 0 || __builtin_add_overflow(all, n, &all))
            return 0;
    }
    return all;
}

bool sac_beamform_is_linear(const sac_beamform *plan)
{
    bool linear = plan->n_groups > 0 || plan->das.pitch_m > 0;
    for (int32_t i = 0; i < plan->n_groups; i++)
        linear =
            linear && sac_beamform_pitch(plan->groups[i].own_elements, plan->groups[i].n_rx) > 0;
    return linear;
}

int64_t sac_beamform_records(const sac_beamform *plan)
{
    int64_t n = plan->n_groups ? 0 : (int64_t)plan->das.n_tx * plan->das.n_rx;
    for (int32_t i = 0; i < plan->n_groups; i++)
        n += (int64_t)plan->groups[i].n_tx * plan->groups[i].n_rx;
    return n;
}

sac_beamform_record sac_beamform_record_of(const sac_beamform *plan, int64_t k)
{
    const sac_das *das = &plan->das;
    if (!plan->n_groups)
        return (sac_beamform_record){(int32_t)(k / das->n_rx), (int32_t)(k % das->n_rx),
                                     k * das->rx};
    int32_t low = 0; /* the last group that begins at k or before */
    for (int32_t high = plan->n_groups; high - low > 1;) {
        const int32_t middle = low + (high - low) / 2;
        *(plan->groups[middle].first_record <= k ? &low : &high) = middle;
    }
    const sac_beamform_group *p = &plan->groups[low];
    k -= p->first_record;
    return (sac_beamform_record){p->transmits[k / p->n_rx], p->elements[k % p->n_rx],
                                 (ptrdiff_t)p->first + k * das->rx};
}

/* out += a group's images, each where its transmit's is. */
static void add_images(float *restrict out, const float *restrict images,
                       const sac_beamform_group *p, const sac_das *das, int32_t n_points,
                       int32_t n_values)
{
    for (int32_t i = 0; i < n_points; i++)
        for (int32_t t = 0; t < (das->lri ? p->n_tx : 1); t++, images += n_values) {
            float *to = out + (ptrdiff_t)n_values * ((ptrdiff_t)i * sac_das_images(das) +
                                                     (das->lri ? p->transmits[t] : 0));
            for (int32_t k = 0; k < n_values; k++)
                to[k] += images[k];
        }
}

void sac_beamform_groups_block(const sac_beamform *plan, float *out, const sac_das *das,
                               int64_t first, int32_t n, int32_t worker)
{
    const int32_t n_values = das->n_frames * (plan->iq ? 2 : 1);
    float *images = plan->group_images + (size_t)worker * plan->block_floats;
    memset(out, 0, (size_t)n * (size_t)sac_das_images(das) * (size_t)n_values * sizeof *out);
    for (int32_t i = 0; i < plan->n_groups; i++) {
        const sac_das group = sac_beamform_group_das(plan, das, &plan->groups[i]);
        plan->beamform(images, &group, first, n);
        add_images(out, images, &plan->groups[i], das, n, n_values);
    }
}

uint64_t sac_beamform_active(const sac_beamform *plan)
{
    uint64_t n = plan->n_groups ? 0 : sac_das_active(&plan->das, 0, plan->das.n_points);
    for (int32_t i = 0; i < plan->n_groups; i++) {
        const sac_das group = sac_beamform_group_das(plan, &plan->das, &plan->groups[i]);
        n += sac_das_active(&group, 0, group.n_points);
    }
    return n;
}

/* What element r of the plan is a group's, as which; NULL: of none. */
static const sac_beamform_group *group_of(int32_t *place, const sac_beamform *plan, int32_t t,
                                          int32_t r)
{
    for (int32_t i = 0; i < plan->n_groups; i++) {
        const sac_beamform_group *p = &plan->groups[i];
        bool sends = t < 0;
        for (int32_t k = 0; k < p->n_tx && !sends; k++)
            sends = p->transmits[k] == t;
        for (*place = 0; *place < p->n_rx && sends; ++*place)
            if (p->elements[*place] == r)
                return p;
    }
    return NULL;
}

double sac_beamform_receive_s(const sac_beamform *plan, int32_t t, int32_t r, const double p_m[3],
                              double *weight)
{
    const sac_das *das = &plan->das;
    const sac_element *e = &das->elements[r];
    double q[3] = {p_m[0], p_m[1], p_m[2]};
    int32_t place;
    const sac_beamform_group *group = group_of(&place, plan, t, r);
    if (group) {
        e = &group->own_elements[place];
        sac_das_receive_at(&q[0], &q[1], &group->line);
    }
    const bool counts = group || plan->n_groups == 0;
    *weight = counts ? sac_das_weight(&das->apodization, e, q) : 0;
    if (plan->layered)
        return sac_beamform_layered_receive_s(plan, r, p_m);
    return counts ? sac_distance(q, e->position_m) / das->c_m_s : NAN;
}
