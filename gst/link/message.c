/*
 * The layout of messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "message.h"

#include <string.h>

static void put(uint8_t *at, int n, uint64_t value)
{
    for (int i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, int n)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static bool is_zero(const uint8_t *at, size_t n)
{
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= at[i];
    return any == 0;
}

void sac_message_write(uint8_t *bytes, const sac_message *m)
{
    memcpy(bytes, "SL", 2);
    bytes[2] = SAC_MESSAGE_VERSION;
    bytes[3] = (uint8_t)m->type;
    put(bytes + 4, 2, m->size);
    put(bytes + 6, 6, m->number);
    put(bytes + 12, 4, m->connection);
}

int32_t sac_message_length(const uint8_t *bytes, size_t n)
{
    if (n < 6)
        return 0;
    const uint64_t size = get(bytes + 4, 2);
    const bool is_one = memcmp(bytes, "SL", 2) == 0 && bytes[2] == SAC_MESSAGE_VERSION &&
                        bytes[3] >= SAC_MESSAGE_HELLO && bytes[3] < SAC_MESSAGE_TYPES &&
                        size >= SAC_MESSAGE_LEAST && size <= SAC_MESSAGE_MOST;
    return is_one ? (int32_t)size : -1;
}

bool sac_message_read(sac_message *m, const uint8_t *bytes, size_t n)
{
    const int32_t length = sac_message_length(bytes, n);
    if (length <= 0 || (size_t)length != n)
        return false;
    *m = (sac_message){
        .type = (sac_message_type)bytes[3],
        .size = (uint16_t)n,
        .number = get(bytes + 6, 6),
        .connection = (uint32_t)get(bytes + 12, 4),
    };
    return true;
}

/* The head of a message before there is a connection. */
static uint8_t *begin(uint8_t *bytes, sac_message_type type, int size)
{
    const sac_message m = {.type = type, .size = (uint16_t)size};
    sac_message_write(bytes, &m);
    return bytes + SAC_MESSAGE_HEAD;
}

void sac_hello_write(uint8_t *bytes, const sac_hello *h)
{
    uint8_t *body = begin(bytes, SAC_MESSAGE_HELLO, SAC_HELLO_BYTES);
    put(body, 8, (uint64_t)h->is_sender | (uint64_t)h->has_key << 8);
    memcpy(body + 8, h->nonce, sizeof h->nonce);
    memcpy(body + 40, h->cookie, sizeof h->cookie);
    memcpy(body + 72, h->proof, sizeof h->proof);
}

bool sac_hello_read(sac_hello *h, const uint8_t *bytes, size_t n)
{
    const uint8_t *body = bytes + SAC_MESSAGE_HEAD;
    if (n != SAC_HELLO_BYTES || body[0] > 1 || body[1] > 1 || !is_zero(body + 2, 6))
        return false;
    h->is_sender = body[0];
    h->has_key = body[1];
    memcpy(h->nonce, body + 8, sizeof h->nonce);
    memcpy(h->cookie, body + 40, sizeof h->cookie);
    memcpy(h->proof, body + 72, sizeof h->proof);
    return true;
}

void sac_challenge_write(uint8_t *bytes, const uint8_t *nonce, const uint8_t *cookie)
{
    uint8_t *body = begin(bytes, SAC_MESSAGE_CHALLENGE, SAC_CHALLENGE_BYTES);
    memcpy(body, nonce, SAC_MESSAGE_NONCE);
    memcpy(body + 32, cookie, SAC_MESSAGE_NONCE);
}

bool sac_challenge_read(uint8_t *nonce, uint8_t *cookie, const uint8_t *bytes, size_t n)
{
    if (n != SAC_CHALLENGE_BYTES)
        return false;
    memcpy(nonce, bytes + SAC_MESSAGE_HEAD, SAC_MESSAGE_NONCE);
    memcpy(cookie, bytes + SAC_MESSAGE_HEAD + 32, SAC_MESSAGE_NONCE);
    return true;
}

void sac_accept_write(uint8_t *bytes, const sac_accept *a)
{
    uint8_t *body = begin(bytes, SAC_MESSAGE_ACCEPT, SAC_ACCEPT_BYTES);
    put(body, 8, a->connection);
    memcpy(body + 8, a->nonce, sizeof a->nonce);
    memcpy(body + 40, a->waiter, sizeof a->waiter);
    memcpy(body + 72, a->proof, sizeof a->proof);
}

bool sac_accept_read(sac_accept *a, const uint8_t *bytes, size_t n)
{
    const uint8_t *body = bytes + SAC_MESSAGE_HEAD;
    if (n != SAC_ACCEPT_BYTES || !is_zero(body + 4, 4))
        return false;
    a->connection = (uint32_t)get(body, 4);
    memcpy(a->nonce, body + 8, sizeof a->nonce);
    memcpy(a->waiter, body + 40, sizeof a->waiter);
    memcpy(a->proof, body + 72, sizeof a->proof);
    return true;
}

void sac_refuse_write(uint8_t *bytes, const uint8_t *nonce, sac_refusal why)
{
    uint8_t *body = begin(bytes, SAC_MESSAGE_REFUSE, SAC_REFUSE_BYTES);
    memcpy(body, nonce, SAC_MESSAGE_NONCE);
    put(body + 32, 8, why);
}

bool sac_refuse_read(uint8_t *nonce, sac_refusal *why, const uint8_t *bytes, size_t n)
{
    const uint8_t *body = bytes + SAC_MESSAGE_HEAD;
    if (n != SAC_REFUSE_BYTES || body[32] < SAC_REFUSED_PASSPHRASE || body[32] > SAC_REFUSED_FULL ||
        !is_zero(body + 33, 7))
        return false;
    memcpy(nonce, body, SAC_MESSAGE_NONCE);
    *why = (sac_refusal)body[32];
    return true;
}

size_t sac_fragment_write(uint8_t *body, const sac_fragment *f)
{
    put(body, 8, f->number);
    put(body + 8, 8, (uint64_t)f->captured_ns);
    put(body + 16, 4, f->size);
    put(body + 20, 4, f->offset);
    put(body + 24, 2, f->part);
    put(body + 26, 2, f->flags);
    memcpy(body + SAC_FRAGMENT_HEAD, f->bytes, f->n);
    return SAC_FRAGMENT_HEAD + (size_t)f->n;
}

bool sac_fragment_read(sac_fragment *f, const uint8_t *body, size_t n)
{
    enum { FLAGS = SAC_LINK_IS_KEY | SAC_LINK_IS_RESENT | SAC_LINK_IS_FORM };
    if (n <= SAC_FRAGMENT_HEAD)
        return false;
    *f = (sac_fragment){
        .number = get(body, 8),
        .captured_ns = (int64_t)get(body + 8, 8),
        .size = (uint32_t)get(body + 16, 4),
        .offset = (uint32_t)get(body + 20, 4),
        .part = (uint16_t)get(body + 24, 2),
        .flags = body[26],
        .bytes = body + SAC_FRAGMENT_HEAD,
        .n = (uint32_t)(n - SAC_FRAGMENT_HEAD),
    };
    if ((f->flags & ~FLAGS) != 0 || body[27] != 0 || f->part == 0 || f->size == 0 ||
        f->size > SAC_LINK_MOST_PACKET || f->offset >= f->size || f->offset % f->part != 0 ||
        f->number >= UINT64_C(1) << 62)
        return false;
    const uint32_t rest = f->size - f->offset;
    return f->n == (rest < f->part ? rest : f->part);
}

size_t sac_ranges_write(uint8_t *body, const sac_range *ranges, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        put(body + SAC_NACK_RANGE * i, 8, ranges[i].number);
        put(body + SAC_NACK_RANGE * i + 8, 4, ranges[i].first);
        put(body + SAC_NACK_RANGE * i + 12, 4, ranges[i].n);
    }
    return (size_t)SAC_NACK_RANGE * n;
}

bool sac_ranges_read(sac_range ranges[SAC_NACK_MOST], uint32_t *n, const uint8_t *body, size_t size)
{
    if (size == 0 || size % SAC_NACK_RANGE != 0 || size > (size_t)SAC_NACK_RANGE * SAC_NACK_MOST)
        return false;
    *n = (uint32_t)(size / SAC_NACK_RANGE);
    for (uint32_t i = 0; i < *n; i++)
        ranges[i] = (sac_range){
            .number = get(body + SAC_NACK_RANGE * i, 8),
            .first = (uint32_t)get(body + SAC_NACK_RANGE * i + 8, 4),
            .n = (uint32_t)get(body + SAC_NACK_RANGE * i + 12, 4),
        };
    return true;
}

size_t sac_numbers_write(uint8_t *body, const uint64_t *numbers, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        put(body + 8 * i, 8, numbers[i]);
    return (size_t)8 * n;
}

bool sac_numbers_read(uint64_t *numbers, uint32_t n, const uint8_t *body, size_t size)
{
    if (size != (size_t)8 * n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = get(body + 8 * i, 8);
    return true;
}

void sac_form_write(uint8_t *bytes, const sac_link_form *form)
{
    put(bytes, 2, form->w);
    put(bytes + 2, 2, form->h);
    put(bytes + 4, 4, form->rate_n);
    put(bytes + 8, 4, form->rate_d);
    put(bytes + 12, 4, form->pixel_n);
    put(bytes + 16, 4, form->pixel_d);
    memcpy(bytes + 20, form->format, sizeof form->format);
}

bool sac_form_read(sac_link_form *form, const uint8_t *bytes, size_t n)
{
    if (n != SAC_LINK_FORM_BYTES)
        return false;
    *form = (sac_link_form){
        .w = (uint16_t)get(bytes, 2),
        .h = (uint16_t)get(bytes + 2, 2),
        .rate_n = (uint32_t)get(bytes + 4, 4),
        .rate_d = (uint32_t)get(bytes + 8, 4),
        .pixel_n = (uint32_t)get(bytes + 12, 4),
        .pixel_d = (uint32_t)get(bytes + 16, 4),
    };
    memcpy(form->format, bytes + 20, sizeof form->format);
    for (size_t i = 0; i < sizeof form->format; i++) /* "RGBx": letters and digits, then zeros */
        if (i + 1 == sizeof form->format || (i > 0 && form->format[i - 1] == '\0')
                ? form->format[i] != '\0'
                : form->format[i] != '\0' && !(form->format[i] >= '0' && form->format[i] <= '9') &&
                      !((form->format[i] | 32) >= 'a' && (form->format[i] | 32) <= 'z'))
            return false;
    const uint32_t most = INT32_MAX;
    return form->w > 0 && form->h > 0 && form->rate_n <= most && form->rate_d > 0 &&
           form->rate_d <= most && form->pixel_n > 0 && form->pixel_n <= most &&
           form->pixel_d > 0 && form->pixel_d <= most;
}
