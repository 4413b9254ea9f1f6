/*
 * libFuzzer on files of measured times: any bytes behind this machine's head, or in place of it,
 * give entries whose strings end, or an error with its reason.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "room/wisdom.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sac_variant variants[] = {
        {.name = "ref", .ships = true}, {.name = "avx2", .ships = true}, {0}};
    const sac_room room = {"vhist_u8", variants};
    char head[512] = "";
    sac_wisdom w;
    sac_error err = {0};
    if (size < 1)
        return 0;
    if (data[0] % 8 != 0)
        sac_wisdom_head(head, sizeof head);
    const size_t n = strlen(head) + size - 1;
    char *text = sac_alloc(n + 1, 1);
    memcpy(text, head, strlen(head));
    memcpy(text + strlen(head), data + 1, size - 1);
    const sac_status st = sac_wisdom_parse(&w, text, n, &err);
    if (st != SAC_OK && (w.n != 0 || w.entries || err.text[0] == '\0'))
        abort();
    for (int32_t i = 0; i < w.n; i++)
        if (strlen(w.entries[i].room) >= SAC_WISDOM_NAME ||
            strlen(w.entries[i].variant) >= SAC_WISDOM_NAME || w.entries[i].pixels < 0)
            abort();
    const sac_variant_shape shape = {1 << data[0] % 24, data[0] % 5};
    const sac_variant *v = sac_wisdom_choose(&w, &room, SAC_TIER_EXACT, 0, &shape, &variants[1]);
    if (v != &variants[0] && v != &variants[1])
        abort();
    sac_wisdom_close(&w);
    sac_free(text);
    return 0;
}
