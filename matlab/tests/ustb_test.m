function ustb_test(command)
% Structs with the fields of USTB's channel_data give the image of the same acquisition.
% SPDX-License-Identifier: Apache-2.0
  for wave = {'plane:3:10', 'diverging:3', 'focused:3:20'}
    a = struct('fs_hz', 20e6, 'fc_hz', 5e6, 'n_elements', 32, 'pitch_m', 3e-4, ...
               'transmits', wave{1});
    rf = saccade_simulate_ultrasound(a, [0, 0, 0.012, 1; 2e-3, 0, 0.015, 1], 700);
    x = ((1:32)' - 16.5) * 3e-4;
    data = struct('data', rf, 'sampling_frequency', 20e6, 'initial_time', 0, ...
                  'sound_speed', 1540, ...
                  'modulation_frequency', 0, 'pulse', struct('center_frequency', 5e6), ...
                  'probe', struct('geometry', [x, zeros(32, 2)]), 'sequence', sequence(wave{1}));
    [samples, acquisition] = saccade_from_ustb(data);
    grid = struct('x', linspace(-4e-3, 4e-3, 41), 'z', linspace(8e-3, 18e-3, 60));
    image = saccade_beamform(samples, acquisition, grid);
    expected = saccade_beamform(rf, a, grid);
    check(max(abs(image(:) - expected(:))) < 0.01, '%s: off by %g dB', wave{1}, ...
          max(abs(image(:) - expected(:))));
  end
  fires = {};
  for i = 1:3
    fires{i} = double(abs((1:32)' - 8 * i) < 6);
    data.sequence(i).apodization = struct('window', 0, 'apodization_vector', fires{i});
  end
  [~, acquisition] = saccade_from_ustb(data);
  check(isequal(acquisition.transmits(3).apodization, fires{3}'), 'other elements fire');
  lines = saccade_beamform(rf, acquisition, grid, 'tx_apodization', 'lines');
  fan = saccade_beamform(rf, a, grid, 'tx_apodization', 'lines');
  check(max(abs(lines(:) - fan(:))) > 1, 'lines lead from the same elements');
  data.sequence(2).apodization = struct('window', 5);
  fails('unsupported', 'wave 2 is a window', @() saccade_from_ustb(data));
  data.sequence(2).apodization = struct('window', 0, 'apodization_vector', 1:31);
  fails('invalid', 'each of 32 elements, got 31', @() saccade_from_ustb(data));
  data.sequence = sequence('focused:3:20');
  other = data;
  other.sequence(2).wavefront = 2; % photoacoustic: no way to the point
  fails('unsupported', 'wave 2', @() saccade_from_ustb(other));
  other = data;
  other.data = complex(data.data, 1); % analytic: no IQ
  fails('unsupported', 'modulation_frequency', @() saccade_from_ustb(other));
  data.sequence(1).source.distance = 0;
  fails('unsupported', 'wave 1', @() saccade_from_ustb(data));
  data.pulse = [];
  fails('invalid', 'center_frequency', @() saccade_from_ustb(data));
end

function waves = sequence(text)
  offset = {-4.65e-3, 0, 4.65e-3}; % half the array's width
  for i = 1:3
    angle = (i - 2) * 10 * pi / 180;
    source = struct('azimuth', angle, 'elevation', 0, 'distance', Inf);
    depth = 4.65e-3 * -(text(1) == 'd') + 20e-3 * (text(1) == 'f');
    if depth ~= 0
      source.azimuth = atan2(offset{i}, depth);
      source.distance = norm([offset{i}, depth]);
    end
    waves(i) = struct('wavefront', depth ~= 0, 'source', source, 'delay', 0);
  end
end
