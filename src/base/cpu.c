/*
 * What the CPU has: CPUID says what it can do, XCR0 what the operating system saves.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/device.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"

static const struct {
    const char *name;
    uint32_t bit;
} names[] = {
    {"avx2", SAC_CPU_AVX2},
    {"v3", SAC_CPU_V3},
    {"v4", SAC_CPU_V4},
    {"avx512vbmi", SAC_CPU_AVX512_VBMI},
    {"avx512vnni", SAC_CPU_AVX512_VNNI},
    {"neon", SAC_CPU_NEON},
};
#define N_NAMES (sizeof names / sizeof names[0])

#if defined(__x86_64__)
#include <cpuid.h>

#define BIT(n) (UINT32_C(1) << (n))
#define XCR0_AVX 0x6u     /* xmm, ymm */
#define XCR0_AVX512 0xe6u /* xmm, ymm, mask registers, zmm */

static uint32_t xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static bool has(uint32_t value, uint32_t bits)
{
    return (value & bits) == bits;
}

/* Bits as in Intel's and AMD's CPUID tables; levels as in the x86-64 psABI. */
static uint32_t detect(void)
{
    uint32_t a, b, c, d, c1, b7, c7, c81 = 0;
    if (!__get_cpuid(1, &a, &b, &c1, &d) || !has(c1, BIT(27))) /* OSXSAVE */
        return 0;
    if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d))
        return 0;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d))
        c81 = c;
    uint32_t saved = xcr0(), features = 0;
    if (!has(saved, XCR0_AVX) || !has(c1, BIT(28)) || !has(b7, BIT(5))) /* AVX, AVX2 */
        return 0;
    features |= SAC_CPU_AVX2;
    /* FMA, MOVBE, F16C; BMI1, BMI2; LZCNT */
    if (!has(c1, BIT(12) | BIT(22) | BIT(29)) || !has(b7, BIT(3) | BIT(8)) || !has(c81, BIT(5)))
        return features;
    features |= SAC_CPU_V3;
    /* AVX-512 F, DQ, CD, BW, VL */
    if (!has(saved, XCR0_AVX512) || !has(b7, BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31)))
        return features;
    features |= SAC_CPU_V4;
    if (has(c7, BIT(1) | BIT(6))) /* VBMI, VBMI2 */
        features |= SAC_CPU_AVX512_VBMI;
    if (has(c7, BIT(11)))
        features |= SAC_CPU_AVX512_VNNI;
    return features;
}
#elif defined(__aarch64__)
static uint32_t detect(void)
{
    return SAC_CPU_NEON; /* part of the base architecture */
}
#else
static uint32_t detect(void)
{
    return 0;
}
#endif

uint32_t sac_cpu_features(void)
{
    return detect();
}

uint32_t sac_cpu_usable(void)
{
    uint32_t features = detect();
    const char *mask = getenv("SAC_CPU_MASK");
    if (!mask || !*mask || !strcmp(mask, "all"))
        return features;
    uint32_t allowed = 0;
    for (const char *item = mask; *item;) {
        size_t length = strcspn(item, ",");
        for (size_t i = 0; i < N_NAMES; i++)
            if (strlen(names[i].name) == length && !strncmp(names[i].name, item, length))
                allowed |= names[i].bit;
        item += length + (item[length] == ',');
    }
    return features & allowed;
}

const char *sac_cpu_names(uint32_t features, char *text, size_t size)
{
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (size_t i = 0; i < N_NAMES; i++) {
        if (!(features & names[i].bit) || used >= size)
            continue;
        int n = snprintf(text + used, size - used, "%s%s", used ? "," : "", names[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

const char *sac_cpu_model(char *text, size_t size)
{
    snprintf(text, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return text;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon)
            continue;
        colon[1 + strcspn(colon + 1, "\n")] = '\0';
        snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    fclose(file);
    return text;
}

int32_t sac_cpu_count(void)
{
#if SAC_LINUX
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set))
        return (int32_t)CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int32_t)n : 1;
}
