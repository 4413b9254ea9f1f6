/*
 * The order of every room's table against the figures in src/room/figures.csv, for the CPUs that
 * they are of and for lesser ones with fewer instruction sets. Nothing is timed here. A variant has
 * a figure of one CPU at least; those that have none of a CPU are left out there.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "room/check.h"

#define TIE 1.03 /* times that differ by less are the same */
#define MOST 2000

typedef struct figure {
    char room[40], variant[40], cpu[96];
    uint32_t sets;
    double ns;
} figure;

static figure figures[MOST];
static int n_figures;

static const struct {
    const char *name;
    uint32_t bit;
} sets[] = {{"avx2", SAC_CPU_AVX2},
            {"v3", SAC_CPU_V3},
            {"v4", SAC_CPU_V4},
            {"avx512vbmi", SAC_CPU_AVX512_VBMI},
            {"avx512vnni", SAC_CPU_AVX512_VNNI}};
enum { N_SETS = sizeof sets / sizeof sets[0] };

/* What CPUs are like: each has what the one before it has, but for the last two. */
static const uint32_t classes[] = {
    0,
    SAC_CPU_AVX2 | SAC_CPU_V3,
    SAC_CPU_AVX2 | SAC_CPU_V3 | SAC_CPU_V4,
    SAC_CPU_AVX2 | SAC_CPU_V3 | SAC_CPU_V4 | SAC_CPU_AVX512_VNNI,
    SAC_CPU_AVX2 | SAC_CPU_V3 | SAC_CPU_V4 | SAC_CPU_AVX512_VBMI,
    SAC_CPU_AVX2 | SAC_CPU_V3 | SAC_CPU_V4 | SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI,
};
enum { N_CLASSES = sizeof classes / sizeof classes[0] };

static uint32_t read_sets(char *text)
{
    uint32_t all = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int i = 0;
        while (i < N_SETS && strcmp(word, sets[i].name) != 0)
            i++;
        if (i == N_SETS)
            fail_msg("figures.csv: no instruction set `%s`", word);
        all |= sets[i].bit;
    }
    return all;
}

/* room,variant,ns,cpu,sets,shape,commit */
static int read_figures(void **state)
{
    char line[400], of[100];
    FILE *file = fopen(SAC_FIGURES, "r");
    (void)state;
    if (!file || !fgets(line, sizeof line, file))
        return -1;
    for (; fgets(line, sizeof line, file) && n_figures < MOST; n_figures++) {
        figure *f = &figures[n_figures];
        if (sscanf(line, "%39[^,],%39[^,],%lf,%95[^,],%99[^,],", f->room, f->variant, &f->ns,
                   f->cpu, of) != 5)
            return -1;
        f->sets = read_sets(of);
    }
    fclose(file);
    return n_figures < MOST ? 0 : -1;
}

/* The first of its CPU's, in the file's order. */
static bool is_first(int i)
{
    for (int k = 0; k < i; k++)
        if (!strcmp(figures[k].cpu, figures[i].cpu))
            return false;
    return true;
}

static const figure *find(const char *cpu, const char *room, const char *variant)
{
    for (int i = 0; i < n_figures; i++)
        if (!strcmp(figures[i].cpu, cpu) && !strcmp(figures[i].room, room) &&
            !strcmp(figures[i].variant, variant))
            return &figures[i];
    return NULL;
}

/* A pipeline's own rungs are no kernel's: no planner chooses among them. */
static bool is_kernel(const sac_room_entry *entry)
{
    return strcmp(entry->pipeline, entry->check->room->name) != 0;
}

/* Its variants are all of one tier: another tier chooses the same. */
static bool has_one_tier(const sac_room *room)
{
    for (const sac_variant *v = room->variants; v->name; v++)
        if (v->tier != SAC_TIER_EXACT)
            return false;
    return true;
}

static bool is_alone(const sac_room *room, sac_tier tier, uint32_t usable)
{
    int n = 0;
    for (const sac_variant *v = room->variants; v->name; v++)
        n += sac_variant_may_run(v, tier, usable);
    return n < 2;
}

/* 0: it has one of other CPUs alone. */
static double ns_of(const char *cpu, const sac_room *room, const sac_variant *v)
{
    const figure *f = find(cpu, room->name, v->name);
    for (int i = 0; f == NULL; i++) {
        if (i == n_figures)
            fail_msg("%s:%s has no figure: `scripts/figures SACCADE --only %s --merge` takes one",
                     room->name, v->name, room->name);
        if (!strcmp(figures[i].room, room->name) && !strcmp(figures[i].variant, v->name))
            return 0;
    }
    return f->ns;
}

static int compare_choice(const char *cpu, const sac_room *room, sac_tier tier, uint32_t usable)
{
    if (is_alone(room, tier, usable) || (tier != SAC_TIER_EXACT && has_one_tier(room)))
        return 0;
    const sac_variant *chosen = sac_variant_fastest(room, tier, usable);
    const double ns = ns_of(cpu, room, chosen);
    int n_faults = 0;
    for (const sac_variant *v = room->variants; v->name; v++) {
        if (!sac_variant_may_run(v, tier, usable))
            continue;
        const double other_ns = ns_of(cpu, room, v);
        if (other_ns > 0 && ns > TIE * other_ns) {
            char names[64];
            print_error("%s on a CPU with %s, tier %d: the planner takes %s, %.0f ns, and %s takes "
                        "%.0f ns (%s)\n",
                        room->name, sac_cpu_names(usable, names, sizeof names), (int)tier,
                        chosen->name, ns, v->name, other_ns, cpu);
            n_faults++;
        }
    }
    return n_faults;
}

static void tables_are_in_the_order_of_the_figures(void **state)
{
    int n_faults = 0, n_cpus = 0;
    (void)state;
    for (int i = 0; i < n_figures; i++)
        for (int32_t k = 0; k < sac_n_rooms && is_first(i); k++) {
            n_cpus += k == 0;
            for (int c = 0; c < N_CLASSES && is_kernel(&sac_rooms[k]); c++)
                for (int tier = 0; tier <= SAC_TIER_FAST; tier++)
                    if (!(classes[c] & ~figures[i].sets))
                        n_faults += compare_choice(figures[i].cpu, sac_rooms[k].check->room,
                                                   (sac_tier)tier, classes[c]);
        }
    assert_true(n_cpus > 0);
    assert_int_equal(n_faults, 0);
}

/* A figure of what is gone would say nothing. */
static void figures_are_of_variants_that_there_are(void **state)
{
    (void)state;
    for (int i = 0; i < n_figures; i++) {
        bool is_there = false;
        for (int32_t k = 0; k < sac_n_rooms; k++) {
            const sac_room *room = sac_rooms[k].check->room;
            for (const sac_variant *v = room->variants; v->name; v++)
                is_there = is_there || (!strcmp(room->name, figures[i].room) &&
                                        !strcmp(v->name, figures[i].variant) && v->ships);
        }
        if (!is_there)
            fail_msg("figures.csv: %s:%s does not ship", figures[i].room, figures[i].variant);
        assert_true(figures[i].ns > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_in_the_order_of_the_figures),
        cmocka_unit_test(figures_are_of_variants_that_there_are),
    };
    if (!SAC_X86)
        return skip_all("figures.csv has none of this architecture");
    return cmocka_run_group_tests(tests, read_figures, NULL);
}
