/*
 * Choosing a variant: what the caller forces, what the environment forces, else the fastest that
 * ships, as measured on this machine or by the order of the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "room/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "room/wisdom.h"

/* One item of "ROOM:NAME,NAME,...": its room (length 0: every room) and its name. */
typedef struct {
    const char *room, *name;
    size_t room_length, name_length;
} item;

static bool next_item(item *out, const char **list)
{
    const char *text = *list;
    if (!text || !*text)
        return false;
    size_t length = strcspn(text, ",");
    const char *colon = memchr(text, ':', length);
    out->room = text;
    out->room_length = colon ? (size_t)(colon - text) : 0;
    out->name = colon ? colon + 1 : text;
    out->name_length = length - (size_t)(out->name - text);
    *list = text + length + (text[length] == ',');
    return true;
}

static bool equals(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && !strncmp(word, text, length);
}

static const sac_variant *find(const sac_room *room, const item *it)
{
    for (const sac_variant *v = room->variants; v->name; v++)
        if (equals(v->name, it->name, it->name_length))
            return v;
    return NULL;
}

static bool concerns(const item *it, const sac_room *room)
{
    return it->room_length == 0 || equals(room->name, it->room, it->room_length);
}

/* What `list` forces in this room; *out is NULL where it forces nothing. */
static sac_status forced(const sac_variant **out, const sac_room *room, const char *list,
                         sac_error *err)
{
    item it;
    *out = NULL;
    while (next_item(&it, &list)) {
        if (!concerns(&it, room))
            continue;
        const sac_variant *v = find(room, &it);
        if (!v && it.room_length)
            return sac_fail(err, SAC_E_INVALID, "variant: %s has no `%.*s`", room->name,
                            (int)it.name_length, it.name);
        if (v)
            *out = v;
    }
    if (*out && ((*out)->needs & ~sac_cpu_usable())) {
        char names[64];
        return sac_fail(err, SAC_E_UNSUPPORTED, "variant: %s:%s needs %s, which this CPU lacks",
                        room->name, (*out)->name,
                        sac_cpu_names((*out)->needs & ~sac_cpu_usable(), names, sizeof names));
    }
    return SAC_OK;
}

const sac_variant *sac_variant_fastest(const sac_room *room, sac_tier tier, uint32_t usable)
{
    const sac_variant *fastest = NULL;
    for (const sac_variant *v = room->variants; v->name; v++)
        if (sac_variant_may_run(v, tier, usable))
            fastest = v;
    return fastest;
}

const sac_variant *sac_variant_of_kind(const sac_variant *table, int32_t kind, sac_tier tier)
{
    const sac_variant *last = NULL;
    for (const sac_variant *v = table; v->name; v++)
        if (v->kind == kind && sac_variant_may_run(v, tier, 0))
            last = v;
    return last;
}

sac_status sac_variant_choose(const sac_variant **out, const sac_room *room, sac_tier tier,
                              const sac_variant_shape *shape, const char *wanted, sac_error *err)
{
    const uint32_t usable = sac_cpu_usable();
    sac_status status = forced(out, room, wanted, err);
    if (status == SAC_OK && !*out)
        status = forced(out, room, getenv("SAC_VARIANT"), err);
    if (status || *out)
        return status;
    *out = sac_variant_fastest(room, tier, usable);
    if (!*out)
        return sac_fail(err, SAC_E_UNSUPPORTED, "%s: no variant runs on this CPU", room->name);
    *out = sac_wisdom_choose(sac_wisdom_get(), room, tier, usable, shape, *out);
    return SAC_OK;
}

sac_status sac_variant_check(const sac_room *const *rooms, int32_t n_rooms, const char *wanted,
                             sac_error *err)
{
    item it;
    while (next_item(&it, &wanted)) {
        bool found = false, has_room = it.room_length == 0;
        for (int32_t i = 0; i < n_rooms; i++) {
            has_room = has_room || concerns(&it, rooms[i]);
            found = found || (concerns(&it, rooms[i]) && find(rooms[i], &it));
        }
        if (found)
            continue;
        char all[160] = "";
        for (int32_t i = 0; i < n_rooms; i++)
            for (const sac_variant *v = rooms[i]->variants; has_room && v->name; v++)
                if (concerns(&it, rooms[i]) && !strstr(all, v->name))
                    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "",
                             v->name);
        for (int32_t i = 0; !has_room && i < n_rooms; i++)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "",
                     rooms[i]->name);
        return sac_fail(err, SAC_E_INVALID, "variant: expected a %s of %s, got `%.*s`",
                        has_room ? "name" : "room", all,
                        (int)(has_room ? it.name_length : it.room_length),
                        has_room ? it.name : it.room);
    }
    return SAC_OK;
}
