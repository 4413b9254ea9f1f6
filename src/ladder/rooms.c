/*
 * Every room of rooms.def as one table: what the check program, the ladder and the bench walk over.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "room/check.h"

#define SAC_ROOM(pipeline, room) extern const sac_room_check sac_##room##_check;
#include "room/rooms.def"
#undef SAC_ROOM

#define SAC_ROOM(pipeline, room) {#pipeline, &sac_##room##_check},
const sac_room_entry sac_rooms[] = {
#include "room/rooms.def"
};
#undef SAC_ROOM

const int32_t sac_n_rooms = (int32_t)(sizeof sac_rooms / sizeof sac_rooms[0]);
