function row_column_test(command)
% Row-column arrays, and elements that do not receive: the bytes of the command, and of files.
% SPDX-License-Identifier: Apache-2.0
  needs(command, 'libhdf5');
  folder = test_folder();
  path = fullfile(folder, 'in.h5');
  run_command(command, ['simulate ultrasound --array row-column --elements 12x10 --noise 40' ...
                        ' --transmits plane:3:8 --line-taper 0.5 --region -1:1,4:6 -o ' path]);
  [rf, acquisition, truth] = saccade_read_recording(path);
  check(isequal(acquisition.shape, [ones(1, 12), 2 * ones(1, 10)]) && ...
        acquisition.line_taper == 0.5, 'shape or line_taper: other ones');
  heard = acquisition.transmits(1).receives;
  check(islogical(heard) && isequal(heard, 1:22 > 12), 'receives: other ones');
  check(isequal(acquisition.transmits(4).receives, ~heard), 'receives: not both ways');

  made = struct('fs_hz', acquisition.fs_hz, 'fc_hz', acquisition.fc_hz, 'n_rows', 12, ...
                'n_columns', 10, 'pitch_m', 1e-3 * 0.25, 'line_taper', 0.5, ...
                'bandwidth', acquisition.bandwidth, 'transmits', 'plane:3:8');
  made.width_m = acquisition.width_m;
  made.height_m = acquisition.height_m;
  for a = {acquisition, made}
    again = saccade_simulate_ultrasound(a{1}, truth, size(rf, 1), 'seed', 1, 'noise', 40);
    check(isequal(again, rf), 'the simulation differs from the command');
  end

  grid = struct('x', linspace(-1e-3, 1e-3, 7), 'y', linspace(-1e-3, 1e-3, 5), ...
                'z', linspace(3e-3, 6e-3, 25));
  words = '--grid3 -1:1:7,-1:1:5,3:6:25 ';
  for options = {{}, {'kind', 'iq'}, {'tier', 'fast', 'method', 'dual-stage'}, ...
                 {'tier', 'fast', 'method', 'direct'}}
    expected = by_command(command, folder, path, [words test_options(options{1})]);
    same(saccade_beamform(rf, acquisition, grid, options{1}{:}), expected, ...
         test_options(options{1}));
    same(saccade_beamform(rf, made, grid, options{1}{:}), expected, 'the same array');
  end
  [volume, points] = saccade_beamform(rf, acquisition);
  check(numel(points.y) > 1, 'the default grid is no volume');
  same(volume, by_command(command, folder, path, ''), 'default grid');

  written(command, folder, rf, acquisition, grid, words);
  areas(command, folder);
  refused(rf, acquisition, made, grid);
end

% The command's NPY, in MATLAB's order (n_z, n_x, n_y).
function image = by_command(command, folder, path, options)
  out = fullfile(folder, 'out.npy');
  run_command(command, ['beamform ' path ' -o ' out ' ' options]);
  image = permute(test_npy_read(out), [3, 1, 2, 4]);
end

function same(image, expected, what)
  check(isequal(class(image), class(expected)) && isequal(size(image), size(expected)) && ...
        isequaln(image, expected), '%s differs from the command', what);
end

function written(command, folder, rf, acquisition, grid, words)
  acquisition.transmits(2).receives(15) = false;
  deaf = rf;
  deaf(:, 15, 2) = 1e9;
  image = saccade_beamform(rf, acquisition, grid);
  check(isequal(saccade_beamform(deaf, acquisition, grid), image), 'a deaf element is heard');
  for name = {'out.h5', 'again.npy'}
    path = fullfile(folder, name{1});
    saccade_write_recording(path, rf, acquisition);
    [samples, got] = saccade_read_recording(path);
    check(isequal(samples, rf) && isequal(got.shape, acquisition.shape) && ...
          isequal({got.transmits.receives}, {acquisition.transmits.receives}) && ...
          got.line_taper == 0.5, '%s comes back otherwise', name{1});
    same(saccade_beamform(samples, got, grid), by_command(command, folder, path, words), name{1});
  end
end

% Of an array of areas, given as numbers for one transmit; all elements receive the other.
function areas(command, folder)
  linear = struct('fs_hz', 20e6, 'fc_hz', 5e6, 'n_elements', 12, 'pitch_m', 3e-4, ...
                  'shape', zeros(1, 12), 'transmits', struct('kind', {'plane', 'plane'}));
  linear.transmits(2).receives = double(mod(1:12, 3) > 0);
  rf = saccade_simulate_ultrasound(linear, [0, 0, 0.01, 1], 400);
  check(any(any(rf(:, 3, 1))) && ~any(any(rf(:, 3, 2))), 'a deaf element records');
  path = fullfile(folder, 'areas.h5');
  saccade_write_recording(path, rf, linear);
  [~, got] = saccade_read_recording(path);
  check(isempty(got.shape) && all(got.transmits(1).receives) && ...
        isequal(got.transmits(2).receives, mod(1:12, 3) > 0), 'receives: comes back otherwise');
  linear.transmits = 'plane:2:5';
  check(size(saccade_simulate_ultrasound(linear, [0, 0, 0.01, 1], 9), 3) == 2, 'not two waves');
end

function refused(rf, acquisition, made, grid)
  for shape = {3, -1, 0.5, NaN}
    bad = acquisition;
    bad.shape(4) = shape{1};
    fails('invalid', 'shape: expected 0', @() saccade_beamform(rf, bad, grid));
  end
  bad = acquisition;
  bad.shape = [1, 2];
  fails('invalid', 'shape: expected 22', @() saccade_beamform(rf, bad, grid));
  for receives = {2 * ones(1, 22), NaN(1, 22)}
    bad = acquisition;
    bad.transmits(2).receives = receives{1};
    fails('invalid', 'receives: expected true', @() saccade_beamform(rf, bad, grid));
  end
  for receives = {true, ones(1, 22, 'single'), sparse(true(1, 22)), {1}}
    bad = acquisition;
    bad.transmits(2).receives = receives{1};
    fails('invalid', 'receives: expected 22', @() saccade_beamform(rf, bad, grid));
  end
  bad = acquisition;
  bad.transmits(2).receives = false(1, 22);
  fails('invalid', 'no element receives', @() saccade_beamform(rf, bad, grid));
  bad = acquisition;
  bad.transmits = 'plane:3:8';
  bad.shape = bad.shape(end:-1:1);
  bad.width_m = bad.width_m + 1e-3;
  bad.height_m = bad.height_m + 1e-3;
  fails('invalid', 'rows, then columns', @() saccade_beamform(rf, bad, grid));
  fails('invalid', 'line_taper', @() saccade_beamform(rf, setfield(made, 'line_taper', 2), grid));
  for n = {0, 1.5, -3, NaN, 1e9}
    fails('invalid', 'n_', @() saccade_beamform(rf, setfield(made, 'n_rows', n{1}), grid));
  end
  fails('invalid', 'n_rows', @() saccade_beamform(rf, rmfield(made, 'n_rows'), grid));
  fails('invalid', 'n_rows', ...
        @() saccade_beamform(rf, setfield(made, 'position_m', acquisition.position_m), grid));
end
