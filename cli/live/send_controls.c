/*
 * Brightness and the like at a sender: from its own lines, and from receivers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "origin.h"
#include "send.h"

void cli_send_control(cli_sending *s)
{
    sac_adjust_desc left = s->controls;
    cli_live_origin_control(s->origin, &left, s->is_set);
    g_object_set(s->adjust, "brightness", left.brightness, "contrast", left.contrast, "saturation",
                 left.saturation, "gain", left.gain, NULL);
}

/* A control by its name and value as text; a line says what is wrong, or what was done. */
static void set_control(cli_sending *s, const char *name, const char *value, const char *who)
{
    sac_error err = {0};
    if (cli_live_set_control(&s->controls, name, value, &err) != SAC_OK) {
        cli_warn("%s%s", who, err.text);
        return;
    }
    for (int i = 0; i < CLI_LIVE_CONTROLS; i++) {
        s->is_set[i] |= strcmp(name, cli_live_control(i)->name) == 0;
    }
    cli_send_control(s);
    cli_note("%s%s %s", who, name, value);
}

/* What comes from elsewhere is shown, so it must be plain text. */
static bool is_plain(const char *text)
{
    size_t n = 0;
    while (text && n < 32 && g_ascii_isgraph(text[n])) {
        n++;
    }
    return n > 0 && n < 32 && text[n] == '\0';
}

void cli_send_on_control(cli_sending *s, const GstStructure *what)
{
    const char *name = gst_structure_get_string(what, "name");
    const char *value = gst_structure_get_string(what, "value");
    if (is_plain(name) && is_plain(value)) {
        set_control(s, name, value, "from a receiver: ");
    } else {
        cli_warn("from a receiver: a control without a name or a value");
    }
}

void cli_send_on_line(void *ctx, const char *line)
{
    char name[32] = "", value[32] = "";
    if (cli_live_parse_control(name, value, line) == CLI_DONE) {
        set_control(ctx, name, value, "");
    }
}
