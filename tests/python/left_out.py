"""How these tests say what they leave out, as tests/skip.h does: scripts/skipped lists it.

SPDX-License-Identifier: Apache-2.0
"""


def left_out(why):
    """A part of a test; the rest goes on. The line stands alone: unittest's dots have no line end."""
    print("\nSKIPPED: %s" % why, flush=True)
