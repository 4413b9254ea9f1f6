% Equalizes a picture: as a whole, and by tiles.
[x, y] = meshgrid(1:320, 1:240);
dark = uint8(40 + 20 * sin(x / 20) .* cos(y / 30)); % or imread('in.png')
picture = repmat(dark, [1, 1, 3]);                   % (h, w, 3)
bright = saccade_equalize(picture);
local = saccade_equalize(picture, 'clahe', [8, 6], 'clip', 3);
fprintf('%d to %d became %d to %d; by tiles %d to %d\n', min(picture(:)), max(picture(:)), ...
        min(bright(:)), max(bright(:)), min(local(:)), max(local(:)));
