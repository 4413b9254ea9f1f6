/*
 * What a word that is not known may have been meant to be.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

/*
 * The word of `words` (n) that is likest to `text`: one that begins with it, or that some letters
 * more, less, changed or swapped make of it; NULL where none is like it.
 */
const char *cli_nearest(const char *text, const char *const *words, int n);

#endif
