/*
 * What `saccade reference` prints for shells: completions from the tables of the options.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REFERENCE_REFERENCE_H
#define CLI_REFERENCE_REFERENCE_H

void cli_print_bash(void);
void cli_print_zsh(void);
void cli_print_fish(void);

#endif
