/*
 * Memory of a recording while it is read: elements, transmits, and tables of both.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/parts.h"

/* In place of what is at *memory, which is NULL after a failure. */
static sac_status allocate(void **memory, const sac_draft *draft, const char *what, uint64_t n,
                           uint64_t max, size_t size, sac_error *err)
{
    sac_free(*memory);
    *memory = NULL;
    if (n < 1 || n > max)
        return sac_fail(err, SAC_E_FORMAT, "%s: %" PRIu64 " %s: expected 1 to %" PRIu64,
                        draft->name, n, what, max);
    *memory = sac_alloc((size_t)n, size);
    return *memory ? SAC_OK
                   : sac_fail(err, SAC_E_NOMEM, "%s: no memory for %" PRIu64 " %s", draft->name, n,
                              what);
}

sac_status sac_draft_elements(sac_draft *draft, uint64_t n, sac_error *err)
{
    sac_recording *r = draft->recording;
    void *memory = r->elements;
    sac_status st =
        allocate(&memory, draft, "elements", n, SAC_IO_MAX_LISTED, sizeof *r->elements, err);
    r->elements = memory;
    r->acquisition.elements = memory;
    r->acquisition.n_elements = memory ? (int32_t)n : 0;
    for (int32_t i = 0; i < r->acquisition.n_elements; i++)
        sac_element_init(&r->elements[i]);
    return st;
}

sac_status sac_draft_transmits(sac_draft *draft, uint64_t n, sac_error *err)
{
    sac_recording *r = draft->recording;
    void *memory = r->transmits;
    sac_status st =
        allocate(&memory, draft, "transmits", n, SAC_IO_MAX_LISTED, sizeof *r->transmits, err);
    r->transmits = memory;
    r->acquisition.transmits = memory;
    r->acquisition.n_transmits = memory ? (int32_t)n : 0;
    for (int32_t i = 0; i < r->acquisition.n_transmits; i++) {
        sac_transmit_init(&r->transmits[i], SAC_TRANSMIT_PLANE);
        r->transmits[i].t0_s = NAN;
    }
    return st;
}

sac_status sac_draft_table(double **table, const sac_draft *draft, const char *what,
                           uint64_t n_transmits, uint64_t n_elements, sac_error *err)
{
    if (n_transmits > SAC_IO_MAX_LISTED || n_elements > SAC_IO_MAX_LISTED)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: %s of %" PRIu64 " transmits, %" PRIu64
                        " elements: expected at most %d",
                        draft->name, what, n_transmits, n_elements, SAC_IO_MAX_LISTED);
    void *memory = *table;
    sac_status st =
        allocate(&memory, draft, what, n_transmits * n_elements, UINT64_MAX, sizeof(double), err);
    *table = memory;
    return st;
}

sac_status sac_draft_shapes(sac_draft *draft, sac_error *err)
{
    sac_recording *r = draft->recording;
    void *memory = r->shapes;
    sac_status st = allocate(&memory, draft, "shapes", (uint64_t)r->acquisition.n_elements,
                             SAC_IO_MAX_LISTED, sizeof *r->shapes, err);
    r->acquisition.shapes = r->shapes = memory;
    return st;
}

sac_status sac_draft_receives(sac_draft *draft, uint64_t n_elements, sac_error *err)
{
    sac_recording *r = draft->recording;
    const uint64_t n = (uint64_t)r->acquisition.n_transmits;
    void *memory = r->receives;
    sac_status st =
        n_elements > SAC_IO_MAX_LISTED
            ? sac_fail(err, SAC_E_FORMAT, "%s: receives: too many elements", draft->name)
            : allocate(&memory, draft, "receivers", n * n_elements, UINT64_MAX, 1, err);
    r->acquisition.receives = r->receives = memory;
    if (st == SAC_OK)
        memset(memory, 1, (size_t)(n * n_elements));
    return st;
}
