/*
 * A message to viewers: bytes that several connections send at their own pace.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_BLOB_H
#define CLI_VIEW_BLOB_H

#include <stdatomic.h>

#include "json.h"

#define VIEW_HEADROOM 64 /* before the bytes: a connection writes a frame's header there */

typedef struct view_blob {
    atomic_int n_holders;
    uint64_t number; /* counts what was published, from 1 */
    size_t size;
    unsigned char *bytes; /* (size), behind VIEW_HEADROOM of the same memory */
} view_blob;

/* Memory for `size` bytes, held once. NULL: there is none. */
view_blob *view_blob_open(size_t size);

/* Of the text that was written; takes it. `pixels` bytes follow it, 4-byte aligned, and before it
 * stands its length, 32 bits little-endian; with `pixels` 0 it is the text alone. NULL: no memory.
 */
view_blob *view_blob_of(cli_json *json, size_t pixels, void **at);

view_blob *view_blob_hold(view_blob *blob); /* NULL: NULL */
void view_blob_drop(view_blob **blob);

#endif
