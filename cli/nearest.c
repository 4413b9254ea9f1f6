/*
 * The distance of Damerau and Levenshtein, with neighbours that swap places as one step.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nearest.h"

#include <string.h>

#define MAX_WORD 32

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Steps from a to b; MAX_WORD where either is too long to be looked at. */
static int distance(const char *a, const char *b)
{
    int d[MAX_WORD + 1][MAX_WORD + 1];
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > MAX_WORD || m > MAX_WORD) {
        return MAX_WORD;
    }
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
                            d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[n][m];
}

const char *cli_nearest(const char *text, const char *const *words, int n)
{
    const char *nearest = NULL;
    const int length = (int)strlen(text);
    int closest = 1 + least(3, length / 2); /* of a short word few letters are left */
    for (int i = 0; i < n; i++) {
        const int steps =
            length > 1 && strncmp(words[i], text, strlen(text)) == 0 ? 0 : distance(text, words[i]);
        if (steps < closest) {
            closest = steps;
            nearest = words[i];
        }
    }
    return nearest;
}
