function beamform_test(command)
% saccade_beamform gives the bytes of `saccade beamform`, for every type of sample and result.
% SPDX-License-Identifier: Apache-2.0
  needs(command, 'libhdf5');
  folder = test_folder();
  path = fullfile(folder, 'in.h5');
  run_command(command, ['simulate ultrasound --elements 32 --transmits plane:3:10 --frames 2' ...
                        ' --noise 40 -o ' path]);
  [rf, acquisition, truth] = saccade_read_recording(path);
  check(isa(rf, 'single') && isequal(size(rf)(2:4), [32, 3, 2]), 'rf: another shape');
  check(size(truth, 2) == 4 && all(truth(:, 4) == 1), 'truth: other points');
  grid = struct('x', linspace(-4e-3, 4e-3, 40), 'z', linspace(8e-3, 20e-3, 60));
  for options = {{}, {'kind', 'iq'}, {'kind', 'envelope', 'f_number', 1}, {'kind', 'gray'}, ...
                 {'lri', true}, {'demodulate', 'no', 'kind', 'iq', 'interp', 'cubic'}}
    expected = by_command(command, folder, path, ['--grid -4:4:40,8:20:60 ' ...
                                                  test_options(options{1})]);
    [image, points] = saccade_beamform(rf, acquisition, grid, options{1}{:});
    same(image, expected, test_options(options{1}));
  end
  check(max(abs(points.z - grid.z)) < 1e-15 && isequal(points.y, 0), 'grid: other points');

  % The default grid; the other types; a list of points; a volume.
  same(saccade_beamform(rf, acquisition), by_command(command, folder, path, ''), 'default grid');
  small = int16(500 * rf / max(abs(rf(:))));
  types(command, folder, small, acquisition, grid);
  types(command, folder, complex(rf, -rf), acquisition, grid);
  [x, z] = meshgrid(grid.x, grid.z);
  listed = saccade_beamform(rf, acquisition, struct('x', x, 'z', z), 'kind', 'envelope');
  image = saccade_beamform(rf, acquisition, grid, 'kind', 'envelope');
  check(isequal(size(listed), size(image)) && ...
        max(abs(listed(:) - image(:))) < 1e-5 * max(image(:)), 'a list of points differs');
  volume = struct('x', grid.x, 'y', [-1e-3, 0, 1e-3], 'z', grid.z);
  same(saccade_beamform(rf, acquisition, volume, 'kind', 'iq'), ...
       by_command(command, folder, path, '--grid3 -4:4:40,-1:1:3,8:20:60 --kind iq'), 'a volume');

  sectors(command, folder);
  simulated(rf, acquisition, truth);
  doubtful(rf, acquisition, grid);
  refused(rf, acquisition, grid, path);
end

% The command's NPY, in MATLAB's order (n_z, n_x, n_y, n_transmits, n_frames).
function image = by_command(command, folder, path, options)
  out = fullfile(folder, 'out.npy');
  run_command(command, ['beamform ' path ' -o ' out ' ' options]);
  image = permute(test_npy_read(out), [2, 1, 3, 4]);
  if ~isempty(strfind(options, 'grid3'))
    image = permute(test_npy_read(out), [3, 1, 2, 4]);
  end
end

function same(image, expected, what)
  check(isequal(class(image), class(expected)) && isequal(size(image), size(expected)), ...
        '%s: %s of %s, not %s of %s', what, class(image), mat2str(size(image)), class(expected), ...
        mat2str(size(expected)));
  check(isequaln(image, expected), '%s differs from the command', what);
end

function types(command, folder, rf, acquisition, grid)
  path = fullfile(folder, 'typed.npy');
  saccade_write_recording(path, rf, acquisition);
  again = saccade_read_recording(path);
  check(isequal(again, rf) && isequal(class(again), class(rf)), 'rf of %s comes back otherwise', ...
        class(rf));
  [some, of_these] = saccade_read_recording(path, 'first_transmit', 2, 'n_transmits', 2);
  check(isequal(some, rf(:, :, 2:3, :)), 'two transmits of %s come back otherwise', class(rf));
  check(isequal(of_these.transmits, acquisition.transmits(2:3)), ...
        'the acquisition is of other transmits');
  same(saccade_beamform(rf, acquisition, grid), ...
       by_command(command, folder, path, '--grid -4:4:40,8:20:60'), class(rf));
end

% Of a curved array: polar, and converted.
function sectors(command, folder)
  path = fullfile(folder, 'curved.h5');
  run_command(command, ['simulate ultrasound --array curved --elements 32 --curvature 30 ' ...
                        '--transmits plane:2:5 --samples 900 -o ' path]);
  [rf, acquisition] = saccade_read_recording(path);
  [image, sector] = saccade_beamform(rf, acquisition, 'suit');
  same(image, by_command(command, folder, path, ''), 'what suits');
  check(numel(sector.azimuth) == size(image, 2) && numel(sector.depth) == size(image, 1) && ...
        max(abs(sector.apex_m - [0, 0, -0.03])) < 1e-9 && abs(sector.radius_m - 0.03) < 1e-9, ...
        'the sector is another');
  same(saccade_beamform(rf, acquisition, sector), image, 'a sector that was given back');
  [image, grid] = saccade_beamform(rf, acquisition, 'suit', 'picture', 'auto');
  same(image, by_command(command, folder, path, '--picture auto'), 'a picture');
  check(numel(grid.x) == size(image, 2) && numel(grid.z) == size(image, 1), 'grid of a picture');
  part = struct('x', linspace(-5e-3, 5e-3, 30), 'z', linspace(8e-3, 20e-3, 40));
  same(saccade_beamform(rf, acquisition, 'suit', 'picture', part), ...
       by_command(command, folder, path, '--picture -5:5:30,8:20:40'), 'part of a picture');
  fails('invalid', 'picture', @() saccade_beamform(rf, acquisition, part, 'picture', 'auto'));
  fails('invalid', 'picture', @() saccade_beamform(rf, acquisition, sector, 'picture', 'odd'));
  sector.radius_m = [1, 2];
  fails('invalid', 'radius_m', @() saccade_beamform(rf, acquisition, sector));
end

% The simulation of the first frame, of the scatterers that its file has.
function simulated(rf, acquisition, truth)
  again = saccade_simulate_ultrasound(acquisition, truth, size(rf, 1), 'seed', 1, 'noise', 40);
  check(isequal(again, rf(:, :, :, 1)), 'the simulation differs from the command');
  linear = struct('fs_hz', 20e6, 'fc_hz', 5e6, 'n_elements', 16, 'pitch_m', 3e-4, ...
                  'transmits', 'plane:2:5');
  echoes = saccade_simulate_ultrasound(linear, [0, 0, 0.01, 1], 400);
  check(isequal(size(echoes), [400, 16, 2]) && any(echoes(:)), 'no echo');
end

% Grids that meshgrid makes of one column or row, and arguments that look like another.
function doubtful(rf, acquisition, grid)
  image = saccade_beamform(rf, acquisition, grid, 'kind', 'envelope');
  [x, z] = meshgrid(grid.x(7), grid.z);
  column = saccade_beamform(rf, acquisition, struct('x', x, 'z', z), 'kind', 'envelope');
  check(isequal(size(column), [60, 1, 2]) && ...
        max(max(abs(column - image(:, 7, :)))) < 1e-5 * max(image(:)), 'a column of meshgrid');
  [x, z] = meshgrid(grid.x, grid.z(9));
  check(isequal(size(saccade_beamform(rf, acquisition, struct('x', x, 'z', z))), [1, 40, 2]), ...
        'a row of meshgrid');
  turned = struct('x', 1e-3 * ones(3, 4), 'z', 0.01 * ones(4, 3));
  fails('shape', 'differ in size', @() saccade_beamform(rf, acquisition, turned));
  fails('invalid', 'grid', @() saccade_beamform(rf, acquisition, 'f_number', 1.5));
  fails('invalid', 'grid', @() saccade_beamform(rf, acquisition, 'kind', 'iq'));
  linear = struct('fs_hz', 20e6, 'fc_hz', 5e6, 'n_elements', 32.5, 'pitch_m', 3e-4, ...
                  'transmits', 'plane:3:10');
  fails('invalid', 'n_elements', @() saccade_beamform(rf, linear, grid));
  linear.n_elements = 32;
  for kind = {'focused', 'diverging', 'element', 'delays'}
    linear.transmits = struct('kind', {'plane', kind{1}, 'plane'});
    fails('invalid', 'transmit 2', @() saccade_beamform(rf, linear, grid));
  end
  warning('error', 'saccade:field', 'local');
  saccade_beamform(rf, acquisition, grid);
  linear.transmits = struct('kind', 'plane', 'angle', {0, 0.1, 0.2});
  fails('field', 'transmits.angle', @() saccade_beamform(rf, linear, grid));
  linear.transmits = 'plane:3:10';
  fails('field', 'acquisition.c ', @() saccade_beamform(rf, setfield(linear, 'c', 1480), grid));
  saccade_beamform(rf, setfield(linear, 't0_s', 0), grid);
end

function refused(rf, acquisition, grid, path)
  warning('error', 'saccade:double', 'local');
  fails('double', 'converted', @() saccade_beamform(double(rf), acquisition, grid));
  warning('off', 'saccade:double', 'local');
  check(isequal(saccade_beamform(double(rf), acquisition, grid), ...
                saccade_beamform(rf, acquisition, grid)), 'double differs from single');
  fails('shape', 'rf', @() saccade_beamform(rf(:, 1:5, :, :), acquisition, grid));
  fails('shape', 'rf', @() saccade_beamform({}, acquisition, grid));
  fails('shape', 'rf', @() saccade_beamform(zeros(0, 32, 3, 'single'), acquisition, grid));
  fails('shape', 'dtype', @() saccade_beamform(uint16(rf), acquisition, grid));
  fails('invalid', 'acquisition', @() saccade_beamform(rf, 5, grid));
  fails('invalid', 'at least 2', @() saccade_mex('beamform', rf));
  fails('invalid', 'grid', @() saccade_beamform(rf, acquisition, 7));
  fails('invalid', 'grid', @() saccade_beamform(rf, acquisition, struct('x', 1)));
  fails('invalid', 'equal steps', ...
        @() saccade_beamform(rf, acquisition, struct('x', [0, 1, 5], 'z', 1)));
  fails('shape', 'differ in size', ...
        @() saccade_beamform(rf, acquisition, struct('x', ones(2), 'z', ones(3))));
  fails('invalid', 'f-number', @() saccade_beamform(rf, acquisition, grid, 'f_number', -1));
  fails('invalid', 'no option', @() saccade_beamform(rf, acquisition, grid, 'fnumber', 1));
  bad = acquisition;
  bad.fs_hz = -1;
  fails('invalid', 'fs', @() saccade_beamform(rf, bad, grid));
  bad = acquisition;
  bad.transmits(2).kind = 'round';
  fails('invalid', 'transmits.kind', @() saccade_beamform(rf, bad, grid));
  bad.transmits = {};
  fails('invalid', 'transmits', @() saccade_beamform(rf, bad, grid));
  bad = acquisition;
  bad.position_m = bad.position_m(1:2, :);
  fails('invalid', 'position_m', @() saccade_beamform(rf, bad, grid));
  warning('error', 'saccade:dark', 'local');
  mm = struct('x', 1e3 * grid.x, 'z', 1e3 * grid.z);
  fails('dark', 'metres', @() saccade_beamform(rf, acquisition, mm));
  fails('io', 'none.mat', @() saccade_read_recording('none.mat'));
  fails('invalid', 'no option', @() saccade_read_recording(path, 'frames', 1));
  fails('invalid', 'first_frame', @() saccade_read_recording(path, 'first_frame', 0));
  fails('invalid', 'first_transmit', @() saccade_read_recording(path, 'first_transmit', 0));
  fails('invalid', 'transmits', @() saccade_read_recording(path, 'n_transmits', 1000));
  fails('invalid', '.txt', @() saccade_write_recording('x.txt', rf, acquisition));
  fails('shape', 'scatterers', @() saccade_simulate_ultrasound(acquisition, [1, 2, 3], 9));
  fails('invalid', 'n_samples', @() saccade_simulate_ultrasound(acquisition, [0, 0, 1, 1], 1.5));
end
