function layers_test(command)
% Layers of different speed of sound, from the simulation to the image.
% SPDX-License-Identifier: Apache-2.0
  linear = struct('fs_hz', 20e6, 'fc_hz', 5e6, 'n_elements', 64, 'pitch_m', 3e-4, ...
                  'bandwidth', 0.6, 'height_m', 5e-3 * ones(1, 64), 'transmits', 'plane:3:6');
  point = [1e-3, 0, 0.012, 1];
  layers = '4:1400,1540';
  rf = saccade_simulate_ultrasound(linear, point, 512, 'layers', layers, 'elevation_focus_m', 0.012);
  grid = struct('x', linspace(0, 2e-3, 41), 'z', linspace(11e-3, 13e-3, 101));
  for right = [false, true]
    options = {};
    if right
      options = {'layers', layers};
    end
    image = saccade_beamform(rf, linear, grid, 'kind', 'envelope', options{:});
    [~, at] = max(image(:));
    [z, x] = ind2sub(size(image), at);
    deep = point(3) + ~right * 4e-3 * (1540 / 1400 - 1);
    check(abs(grid.z(z) - deep) < 5e-5 && abs(grid.x(x) - point(1)) < 1e-4, ...
          'the point is at %g, %g', grid.x(x), grid.z(z));
  end
  fails('invalid', 'layers: expected', ...
        @() saccade_simulate_ultrasound(linear, point, 512, 'layers', '4'));
  fails('invalid', 'layers, lens or', @() saccade_simulate_ultrasound(linear, point, 512, 'fat', 4));
end
