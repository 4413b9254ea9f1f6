/*
 * Messages to viewers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "blob.h"

#include <stdlib.h>
#include <string.h>

view_blob *view_blob_open(size_t size)
{
    view_blob *blob = malloc(sizeof *blob);
    unsigned char *memory = malloc(VIEW_HEADROOM + size);
    if (!blob || !memory) {
        free(memory);
        free(blob);
        return NULL;
    }
    *blob = (view_blob){.size = size, .bytes = memory + VIEW_HEADROOM};
    atomic_init(&blob->n_holders, 1);
    return blob;
}

view_blob *view_blob_of(cli_json *json, size_t pixels, void **at)
{
    fflush(json->file);
    const size_t before = pixels ? 4 : 0, padded = pixels ? (json->size + 3) / 4 * 4 : json->size;
    view_blob *blob = view_blob_open(before + padded + pixels);
    if (blob) {
        for (size_t i = 0; i < before; i++) {
            blob->bytes[i] = (unsigned char)(padded >> (8 * i));
        }
        memset(blob->bytes + before, ' ', padded);
        memcpy(blob->bytes + before, json->text, json->size);
        if (at) {
            *at = blob->bytes + before + padded;
        }
    }
    cli_json_discard(json);
    return blob;
}

view_blob *view_blob_hold(view_blob *blob)
{
    if (blob) { /* who holds one hands it on: nothing is read by the count */
        atomic_fetch_add_explicit(&blob->n_holders, 1, memory_order_relaxed);
    }
    return blob;
}

void view_blob_drop(view_blob **blob)
{
    /* Pairs with itself: the last one frees behind all uses by the others. */
    if (*blob && atomic_fetch_sub_explicit(&(*blob)->n_holders, 1, memory_order_acq_rel) == 1) {
        free((*blob)->bytes - VIEW_HEADROOM);
        free(*blob);
    }
    *blob = NULL;
}
