function must_test(command)
% MUST's structs in memory are taken as the command takes them from MAT files.
% SPDX-License-Identifier: Apache-2.0
  needs(command, 'libmatio');
  folder = test_folder();
  n = 32;
  param = struct('fs', 20e6, 'fc', 5e6, 'pitch', 3e-4, 'Nelements', n, 'bandwidth', 60, ...
                 'c', 1500, 't0', 1e-6, 'PRF', single(5000), 'radius', Inf, 'fnumber', []);
  angles = [-0.1; 0; 0.1];
  x = ((1:n) - (n + 1) / 2) * param.pitch;
  delays = x .* sin(angles) / param.c;
  param.TXdelay = delays - min(delays, [], 2);
  rf = int16(300 * sin((1:700)' / 3 + (1:n) / 5) + 200 * cos((1:700)' .* reshape(1:3, 1, 1, 3)));
  both(command, folder, rf, param, 'RF');
  both(command, folder, complex(single(rf), single(rf) / 3), param, 'IQ'); % its phase is turned

  param.TXdelay = zeros(1, n); % one transmit: the third axis is frames
  both(command, folder, rf, param, 'RF');
  param.TXdelay(2:end) = NaN;  % one element
  both(command, folder, rf, param, 'RF');
  param.TXdelay = 1e-6 * mod(1:n, 5);
  both(command, folder, single(rf) / 7, param, 'RF');
  convex = param;
  convex.radius = 0.05;
  both(command, folder, rf, convex, 'RF', '-10:10:41,5:25:61', ... % where the command gives a sector
       struct('x', linspace(-10e-3, 10e-3, 41), 'z', linspace(5e-3, 25e-3, 61)));

  fails('invalid', 'fs', @() saccade_beamform(rf, rmfield(param, 'fs')));
  fails('format', 'Nelements', @() saccade_beamform(rf(:, 1:9, :), param));
  bad = param;
  bad.fc = [5e6, 6e6];
  fails('format', 'param.fc', @() saccade_beamform(rf, bad));
  bad.fc = 'five';
  fails('format', 'param.fc', @() saccade_beamform(rf, bad));
  bad = param;
  bad.TXdelay = 1:7;
  fails('format', 'param.TXdelay', @() saccade_beamform(rf, bad));
  bad.TXdelay = {1};
  fails('format', 'param.TXdelay', @() saccade_beamform(rf, bad));
  bad = param;
  bad.elements = x;
  fails('format', 'param.elements', @() saccade_beamform(rf, bad));
  bad = param;
  bad.radius = 1e-3;
  fails('invalid', 'param.radius', @() saccade_beamform(rf, bad));
  warning('error', 'saccade:fnumber', 'local');
  bad = param;
  bad.fnumber = 1.5;
  fails('fnumber', 'f_number', @() saccade_beamform(rf, bad));
  saccade_beamform(rf, bad, [], 'f_number', bad.fnumber);
  bad = setfield(param, 'FNumber', 1.5); % names in any case
  fails('fnumber', 'f_number', @() saccade_beamform(rf, bad));
  fails('unsupported', 'param.passive', @() saccade_beamform(rf, setfield(param, 'passive', true)));
  fails('unsupported', 'param.RXangle', @() saccade_beamform(rf, setfield(param, 'RXangle', 0.1)));
  saccade_beamform(rf, setfield(setfield(param, 'passive', false), 'RXangle', 0));
  fails('invalid', 'param.TXdelay', @() saccade_beamform(rf, rmfield(param, 'TXdelay')));
  in_files(command, folder, rf, param);
  warning('error', 'saccade:assumed', 'local');
  fails('assumed', '1540', @() saccade_beamform(rf, rmfield(param, 'c')));
  disk(command, folder);
end

% As a file has it: numbers of class logical, the field passive.
function in_files(command, folder, samples, param)
  in = fullfile(folder, 'in.mat');
  file = struct('RF', samples, 'param', setfield(param, 'passive', true));
  save('-v7', in, '-struct', 'file');
  fails('unsupported', 'param.passive', @() saccade_read_recording(in));
  file.param.passive = false;
  save('-v7', in, '-struct', 'file');
  saccade_read_recording(in);
end

function both(command, folder, samples, param, name, grid_text, grid)
  in = fullfile(folder, 'in.mat');
  out = fullfile(folder, 'out.npy');
  file = struct(name, samples, 'param', param);
  save('-v7', in, '-struct', 'file');
  options = ' --kind iq';
  if nargin < 6
    grid = [];
  else
    options = [options ' --grid ' grid_text];
  end
  run_command(command, ['beamform ' in ' -o ' out options]);
  image = saccade_beamform(samples, param, grid, 'kind', 'iq');
  check(isequaln(image, permute(test_npy_read(out), [2, 1, 3])), ...
        '%s of %s differs from the command', name, class(samples));
end

% MUST's example, where it is.
function disk(command, folder)
  data = getenv('SACCADE_DATA');
  if isempty(data)
    data = fullfile(fileparts(mfilename('fullpath')), '..', '..', '..', 'shared', 'data');
  end
  path = fullfile(data, 'ultrasound', 'PWI_disk.mat');
  if ~exist(path, 'file')
    printf('SKIPPED: no %s (SACCADE_DATA)\n', path);
    return
  end
  file = load(path);
  out = fullfile(folder, 'disk.npy');
  run_command(command, ['beamform ' path ' -o ' out ' --grid -12.5:12.5:251,10:35:251']);
  grid = struct('x', linspace(-12.5e-3, 12.5e-3, 251), 'z', linspace(10e-3, 35e-3, 251));
  warning('off', 'saccade:double', 'local'); % RF is int16 in the file, and double in Octave
  image = saccade_beamform(file.RF, file.param, grid);
  check(isequal(image, permute(test_npy_read(out), [2, 1, 3])), 'PWI_disk.mat differs');
  printf('PWI_disk.mat: %s\n', mat2str(size(image)));
end
