/*
 * Keys, from files that hold nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net/wire.h"

#include <string.h>

#include "base/error.h"
#include "base/system.h"
#include "io/in.h"

sac_status sac_packet_key_check(const sac_packet_key *key, sac_error *err)
{
    return !key || sac_packet_can_use_key()
               ? SAC_OK
               : sac_fail(err, SAC_E_UNSUPPORTED,
                          "key: this build cannot authenticate packets: it lacks libsodium (Debian "
                          "and Ubuntu: libsodium-dev)");
}

const sac_packet_key *sac_packet_key_copy(sac_packet_key *own, const sac_packet_key *key)
{
    if (key)
        *own = *key;
    return key ? own : NULL;
}

static int digit(uint8_t c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool read_digits(sac_packet_key *key, const uint8_t *text, size_t n)
{
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r' || text[n - 1] == ' '))
        n--;
    if (n != 2 * sizeof key->bytes)
        return false;
    for (size_t i = 0; i < sizeof key->bytes; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        key->bytes[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

void sac_packet_key_wipe(sac_packet_key *key)
{
    if (key)
        sac_system_wipe(key->bytes, sizeof key->bytes);
}

/* Closes a file that held a key, and leaves nothing of it. */
static void close_wiped(sac_in *in)
{
    if (in->memory)
        sac_system_wipe(in->memory, (size_t)(in->end - in->memory));
    sac_system_wipe(in->buffer, sizeof in->buffer);
    sac_in_close(in);
}

sac_status sac_packet_key_read(sac_packet_key *key, const char *path, sac_error *err)
{
    if (!key || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", key ? "path" : "key");
    sac_packet_key read;
    sac_in in;
    sac_status st = sac_packet_key_check(key, err);
    st = st ? st : sac_in_open(&in, path, 4096, err);
    if (st != SAC_OK)
        return st;
    uint8_t text[2 * sizeof key->bytes + 8];
    uint64_t n = sac_in_left(&in);
    bool is_key = n <= sizeof text && sac_in_read(&in, text, (size_t)n) &&
                  read_digits(&read, text, (size_t)n);
    close_wiped(&in);
    sac_system_wipe(text, sizeof text);
    if (is_key)
        *key = read;
    sac_packet_key_wipe(&read);
    return is_key ? SAC_OK
                  : sac_fail(err, SAC_E_FORMAT, "%s: is not a key: expected %zu hexadecimal digits",
                             in.name, 2 * sizeof key->bytes);
}
