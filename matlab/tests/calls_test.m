function calls_test(command)
% Many calls, good and bad ones: none crashes or keeps memory.
% SPDX-License-Identifier: Apache-2.0
  picture = test_picture(16, 16, 3, 255);
  linear = struct('fs_hz', 20e6, 'fc_hz', 5e6, 'n_elements', 8, 'pitch_m', 3e-4, ...
                  'transmits', 'plane:2:5');
  rf = saccade_simulate_ultrasound(linear, [0, 0, 0.005, 1], 300);
  param = struct('fs', 20e6, 'fc', 5e6, 'pitch', 3e-4, 'c', 1500, 'TXdelay', zeros(1, 8));
  grid = struct('x', (0:3) * 1e-3, 'z', (4:9) * 1e-3);
  calls = {@() saccade_equalize(picture, 'threads', 1), ...
           @() saccade_equalize(picture, 'bins', 'many'), ...
           @() saccade_noise(picture, picture, 'threads', 1), ...
           @() saccade_beamform(rf, linear, grid, 'threads', 1), ...
           @() saccade_beamform(rf, param, grid), ... % two transmits, one described: refused
           @() saccade_beamform(rf(:, :, 1), param, grid, 'threads', 1, 'kind', 'iq'), ...
           @() saccade_beamform(rf(:, :, 1), param, grid, 'threads', 1, 'kind', 'color')};
  call_all(calls, 3000); % Octave's heap grows until then
  before = resident_mb();
  call_all(calls, 2000);
  check(resident_mb() - before < 2, '%d calls keep %.1f MB', 2000 * numel(calls), ...
        resident_mb() - before);
  random_calls(picture, rf, linear, param);
end

function call_all(calls, n)
  for i = 1:n
    for call = calls
      try
        call{1}();
      catch e
        check(strncmp(e.identifier, 'saccade:', 8), '%s: %s', func2str(call{1}), e.message);
      end
    end
  end
end

function mb = resident_mb()
  file = fopen('/proc/self/statm');
  numbers = fscanf(file, '%d', 2);
  fclose(file);
  mb = numbers(2) * 4096 / 1e6;
end

% Arguments of any kind to any function: a result, or an error of ours.
function random_calls(picture, rf, linear, param)
  names = {'equalize', 'heatmap', 'noise', 'denoise', 'adjust', 'beamform', 'read_recording', ...
           'write_recording', 'simulate_ultrasound', 'meltpool', 'read_frames', ...
           'simulate_meltpool', 'info', 'options', 'none'};
  bad = linear;
  bad.transmits = struct('kind', {'delays', 'element'}, 'delays_s', 1:8, 'element', {3, 9});
  worse = setfield(linear, 'position_m', ones(3, 8, 'single'));
  values = {picture, rf, linear, param, bad, worse, [], {}, {1, 'a'}, 'text', '', 0, -1, NaN, ...
            Inf, 1e300, true, 1:5, (1:3)', complex(1, 2), sparse(3, 3), @sin, struct(), ...
            struct('a', {1, 2}), int64(7), single([]), zeros(0, 5), ones(2, 3, 1, 1, 2), ...
            complex(single(rf)), 'threads', 'device', 'cuda', 'kind', 'iq', 'clahe', [2, 2], ...
            'bins', 16, 'calibration', [1, 0, 0; 0, 1, 0], 'simulated', 'model', 'locate', ...
            'fixed', zeros(96, 96, 2, 'uint8'), 'variant', char([1, 200, 10]), ['ab'; 'cd'], ...
            300, struct('x', 0, 'z', 0.01), struct('x', 'a', 'z', {{}}), ...
            struct('laser_on', 1:2, 'counter', 1:2, 'x', 1:2, 'y', 1:2)};
  rand('twister', 7);
  for id = {'double', 'dark', 'fnumber', 'assumed', 'field', 'still', 'model', 'doubt'}
    warning('off', ['saccade:' id{1}], 'local');
  end
  n_good = 0;
  for i = 1:4000
    picked = values(ceil(numel(values) * rand(1, floor(6 * rand()))));
    try
      saccade_mex(names{ceil(numel(names) * rand())}, picked{:});
      n_good++;
    catch e
      check(strncmp(e.identifier, 'saccade:', 8), 'random call %d: %s: %s', i, e.identifier, ...
            e.message);
    end
  end
  printf('random calls: 4000, of which %d gave a result\n', n_good);
  fails('invalid', 'saccade_mex', @() saccade_mex());
end
