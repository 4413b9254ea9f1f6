function picture = test_picture(h, w, channels, top)
% Dark, uneven and the same each time: (h, w, channels) of uint8 or, with a top of 65535, uint16.
  [y, x, c] = ndgrid(1:h, 1:w, 1:channels);
  value = 0.5 + 0.3 * sin(x / 5 + c) .* cos(y / 7) + 0.1 * sin(31 * x + 17 * y + 3 * c);
  picture = feval(sprintf('uint%d', log2(top + 1)), round(0.6 * top * value .^ 2));
end
