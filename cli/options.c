/*
 * Options from parameter tables, by which getopt_long's tables are built.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>

#include "nearest.h"

#define FIELD(name) offsetof(shared_values, name)
#define MAX_OPTIONS 192 /* of all forms of a command */

enum { FIRST_VALUE = 256 }; /* getopt's values for long options: behind every character */

/* What every command takes. */
typedef struct shared_values {
    size_t struct_size;
    int32_t durable; /* a sac_durable */
} shared_values;

static shared_values shared;

static const char *const durable_names[] = {"recordings", "all", "none", NULL};

static const sac_param shared_params[] = {
    {"durable", CLI_CHOICE(durable, SAC_DURABLE_RECORDINGS, durable_names), "WHICH",
     "which files to force to the disk before they get their names, so that even a power failure "
     "leaves only complete files; recordings: channel data and frames, which cannot be made again"},
};

static const sac_param_table shared_options = CLI_TABLE("shared", shared_values, shared_params);

/* A command's tables as one list, its own options first, each name once. */
typedef struct option_list {
    const sac_param_table *table[MAX_OPTIONS];
    const sac_param *param[MAX_OPTIONS];
    int n;
} option_list;

static bool is_listed(const option_list *list, const char *name)
{
    int i = 0;
    while (i < list->n && strcmp(list->param[i]->name, name) != 0) {
        i++;
    }
    return i < list->n;
}

static void list_add(option_list *list, const sac_param_table *table)
{
    for (int32_t i = 0; table && i < table->n_params && list->n < MAX_OPTIONS; i++) {
        if (!is_listed(list, table->params[i].name)) {
            list->table[list->n] = table;
            list->param[list->n++] = &table->params[i];
        }
    }
}

static void list_options(option_list *list, const cli_command *command)
{
    list->n = 0;
    list_add(list, command->own);
    list_add(list, command->pipeline ? command->pipeline() : NULL);
    list_add(list, &shared_options);
}

/* What the command line set, in any order. */
static struct {
    const char *name[MAX_OPTIONS];
    int n;
} given;

static const cli_command *parsed;

static const cli_command *option_at_fault(const char *text)
{
    option_list list;
    const size_t length = strcspn(text, ":");
    bool is_option = false;
    list.n = 0;
    if (parsed) {
        list_options(&list, parsed);
    }
    for (int i = 0; i < list.n && !is_option; i++) {
        const char *name = list.param[i]->name;
        is_option = strlen(name) == length && strncmp(name, text, length) == 0;
    }
    return is_option ? parsed : NULL;
}

const cli_command *cli_parsed(void)
{
    return parsed;
}

bool cli_was_given(const char *name)
{
    int i = 0;
    while (i < given.n && strcmp(given.name[i], name) != 0) {
        i++;
    }
    return i < given.n;
}

bool cli_option_is_o(const sac_param *param)
{
    return param->type == SAC_PARAM_STRING && !strcmp(param->name, "output");
}

static void put_head(char *text, size_t size, const sac_param *param)
{
    bool flag = param->type == SAC_PARAM_BOOL;
    snprintf(text, size, "%s--%s%s%s", cli_option_is_o(param) ? "-o, " : "", param->name,
             flag ? "" : " ", flag ? "" : param->metavar);
}

static void put_range(char *text, size_t size, const sac_param *param)
{
    const double endless = 1e9; /* a limit beyond this is the type's, not the option's */
    text[0] = '\0';
    if (param->type == SAC_PARAM_CHOICE) {
        size_t used = 0;
        for (int i = 0; param->choices[i] && used < size; i++) {
            const char *joint = i == 0 ? "" : param->choices[i + 1] ? ", " : " or ";
            used += (size_t)snprintf(text + used, size - used, "%s%s", joint, param->choices[i]);
        }
    } else if (param->type == SAC_PARAM_INT || param->type == SAC_PARAM_INT2 ||
               param->type == SAC_PARAM_FLOAT) {
        const char *gap = param->unit[0] ? " " : "";
        if (param->max >= endless) {
            snprintf(text, size, "at least %g%s%s", param->min, gap, param->unit);
        } else {
            snprintf(text, size, "%.10g to %.10g%s%s", param->min, param->max, gap, param->unit);
        }
    }
}

/* Defaults of a pipeline's table, as the command has them. */
static void set_defaults(const cli_command *command, const sac_param_table *table, void *desc)
{
    sac_param_defaults(table, desc);
    const bool is_pipeline = command->pipeline && table == command->pipeline();
    for (const char *const *d = command->defaults; is_pipeline && d && *d; d += 2) {
        if (sac_param_set(table, desc, d[0], d[1], NULL) != SAC_OK) {
            abort(); /* no such option: a mistake in the command's own rows */
        }
    }
}

void cli_each_option(const cli_command *command, cli_option_fn *visit, void *ctx)
{
    option_list list;
    list_options(&list, command);
    for (int i = 0; i < list.n; i++) {
        const sac_param *param = list.param[i];
        cli_option_text text = {0};
        put_head(text.head, sizeof text.head, param);
        put_range(text.range, sizeof text.range, param);
        if (param->type != SAC_PARAM_STRING && param->type != SAC_PARAM_BOOL) {
            void *desc = cli_grow(NULL, 0, list.table[i]->desc_size, 1);
            set_defaults(command, list.table[i], desc);
            sac_param_get(param, desc, text.def, sizeof text.def);
            free(desc);
        }
        visit(ctx, param, &text);
    }
}

/* An option that is none, with the one that may have been meant. */
static int unknown(const cli_command *command, const option_list *list, const char *item)
{
    const char *names[MAX_OPTIONS + 1] = {"help"};
    for (int i = 0; i < list->n; i++) {
        names[i + 1] = list->param[i]->name;
    }
    char *word = cli_text("%s", item + strspn(item, "-"));
    word[strcspn(word, "=")] = '\0';
    const char *nearest = cli_nearest(word, names, list->n + 1);
    int status =
        cli_misuse(command, "unknown option %s%s%s%s", item, nearest ? ": did you mean --" : "",
                   nearest ? nearest : "", nearest ? "?" : "");
    free(word);
    return status;
}

/* What getopt_long refused, in one line. */
static int refused(const cli_command *command, const option_list *list, char **argv, int found)
{
    const char *item = argv[optind - 1];
    if (found == ':') {
        return cli_misuse(command, "%s needs a value", item);
    }
    if (optopt >= FIRST_VALUE) {
        return cli_misuse(command, "%s: this option has no value", item);
    }
    if (optopt) {
        return cli_misuse(command, "unknown option -%c", optopt);
    }
    return unknown(command, list, item);
}

static void getopt_table(struct option *longs, const option_list *list)
{
    for (int i = 0; i < list->n; i++) {
        bool flag = list->param[i]->type == SAC_PARAM_BOOL;
        longs[i] = (struct option){list->param[i]->name, flag ? no_argument : required_argument,
                                   NULL, FIRST_VALUE + i};
    }
    longs[list->n] = (struct option){"help", no_argument, NULL, 'h'};
}

/* The option that getopt_long found, as an index into the list; -o stands for one. */
static int found_index(const option_list *list, int found)
{
    if (found >= FIRST_VALUE) {
        return found - FIRST_VALUE;
    }
    for (int i = 0; found == 'o' && i < list->n; i++) {
        if (cli_option_is_o(list->param[i])) {
            return i;
        }
    }
    return -1;
}

static int set_option(const cli_command *command, const option_list *list, int index, void *desc,
                      const char *text)
{
    sac_error err = {0};
    const sac_param *param = list->param[index];
    const char *value = param->type == SAC_PARAM_BOOL ? "true" : text;
    if (sac_param_set(list->table[index], desc, param->name, value, &err) != SAC_OK) {
        return cli_misuse(command, "--%s", err.text);
    }
    if (!cli_was_given(param->name)) {
        given.name[given.n++] = param->name;
    }
    return CLI_GO;
}

int cli_parse(const cli_command *command, void *pipeline_desc, void *own_desc, int *argc,
              char ***argv)
{
    option_list list;
    list_options(&list, command);
    struct option longs[MAX_OPTIONS + 2] = {{0}};
    getopt_table(longs, &list);
    if (command->own) {
        sac_param_defaults(command->own, own_desc);
    }
    if (command->pipeline) {
        set_defaults(command, command->pipeline(), pipeline_desc);
    }
    sac_param_defaults(&shared_options, &shared);
    given.n = 0;
    parsed = command;
    cli_option_at_fault = option_at_fault;
    opterr = 0;
    optind = 1;
    int found;
    while ((found = getopt_long(*argc, *argv, ":ho:", longs, NULL)) != -1) {
        if (found == 'h') {
            cli_help(command, stdout);
            return CLI_DONE;
        }
        int index = found == '?' || found == ':' ? -1 : found_index(&list, found);
        if (index < 0) {
            optopt = found == 'o' ? 'o' : optopt;
            return refused(command, &list, *argv, found);
        }
        void *desc = list.table[index] == &shared_options ? (void *)&shared
                     : list.table[index] == command->own  ? own_desc
                                                          : pipeline_desc;
        int status = set_option(command, &list, index, desc, optarg);
        if (status != CLI_GO) {
            return status;
        }
    }
    sac_file_durable((sac_durable)shared.durable);
    *argc -= optind;
    *argv += optind;
    return CLI_GO;
}

void cli_look_ahead(const cli_command *command, int argc, char **argv, const char *option,
                    const char **value, const char **operand)
{
    option_list list = {0};
    struct option longs[MAX_OPTIONS + 2] = {{0}};
    char **words = cli_grow(NULL, 0, (size_t)argc + 1, sizeof *words); /* getopt_long moves them */
    memcpy(words, argv, (size_t)argc * sizeof *words);
    for (const cli_command *form = command; form; form = form->next) {
        list_add(&list, form->own);
        list_add(&list, form->pipeline ? form->pipeline() : NULL);
    }
    list_add(&list, &shared_options);
    getopt_table(longs, &list);
    opterr = 0;
    optind = 1;
    for (int found; (found = getopt_long(argc, words, ":ho:", longs, NULL)) != -1;) {
        const int index = found_index(&list, found);
        if (index >= 0 && strcmp(list.param[index]->name, option) == 0) {
            *value = optarg;
        }
    }
    *operand = optind < argc ? words[optind] : NULL;
    free(words);
}

int cli_launch_axes(uint32_t axes[3], const cli_command *command, const char *option,
                    const char *text)
{
    unsigned x = 0, y = 1, z = 1;
    char more = 0;
    if (!text) {
        return CLI_DONE;
    }
    int n = sscanf(text, "%u,%u,%u%c", &x, &y, &z, &more);
    if (n < 1 || n > 3 || text[strspn(text, "0123456789,")] || x == 0 || y == 0 || z == 0) {
        return cli_misuse(command, "--%s: expected X,Y,Z of 1 or more, got %s", option, text);
    }
    axes[0] = x;
    axes[1] = y;
    axes[2] = z;
    return CLI_DONE;
}

#define LEAST_MTU 256 /* headers take at most 132 of it, over IPv6 152 */

int cli_check_mtu(const cli_command *command, int32_t mtu)
{
    return mtu && mtu < LEAST_MTU
               ? cli_misuse(command, "--mtu: expected at least %d, got %d", LEAST_MTU, mtu)
               : CLI_DONE;
}

int32_t cli_mtu_datagram(const char *to, int32_t mtu)
{
    /* What IP and UDP put before a packet; of IPv6 20 bytes more. */
    return mtu ? mtu - (strchr(to, '[') ? 48 : 28) : 0;
}
