/* What README.md's example leaves to its reader: two frames of 4 x 2 pixels, each equalized. */
#include <stdio.h>

enum { W = 4, H = 2, N_FRAMES = 2 };

static int n_taken;

static bool next_frame(uint8_t *pixels)
{
    for (int i = 0; i < 3 * W * H; i++)
        pixels[i] = (uint8_t)(100 + i);
    return n_taken++ < N_FRAMES;
}

int main(void)
{
    uint8_t pixels[3 * W * H] = {0};
    sac_error err;
    if (equalize_frames(pixels, W, H, &err) != SAC_OK) {
        printf("%s\n", err.text);
        return 1;
    }
    return n_taken != N_FRAMES + 1;
}
