function meltpool_test(command)
% saccade_meltpool gives the numbers of `saccade meltpool`, to the bit.
% SPDX-License-Identifier: Apache-2.0
  needs(command, 'libhdf5');
  needs(command, 'cJSON');
  folder = test_folder();
  path = fullfile(folder, 'in.h5');
  run_command(command, ['simulate meltpool --frames 1500 --seed 25 -o ' path]);
  [frames, signals, calibration, truth] = saccade_read_frames(path);
  [again, on, to_pixels, true_again] = saccade_simulate_meltpool(1500, 'seed', 25);
  check(isequal(frames, again) && isequal(signals, on) && isequal(truth, true_again) && ...
        isequal(calibration, to_pixels), 'the simulation differs from the command');
  part = saccade_read_frames(path, 11, 5);
  check(isequal(part, frames(:, :, 11:15)), 'part of the file differs');

  for options = {{}, {'roi', 32, 'threshold', 70}, {'locate', 'brightest', 'threads', 1}}
    warning('off', 'saccade:model', 'local');
    [result, counts] = saccade_meltpool(frames, signals, 'calibration', calibration, options{1}{:});
    expected = by_command(command, folder, path, test_options(options{1}));
    for i = 1:40
      check(isequal(result.features(:, i), single(expected.(result.names{i}))), ...
            '%s: %s differs from the command', test_options(options{1}), result.names{i});
    end
    check(isequal(result.prediction, single([expected.lof_density, expected.keyhole_density])), ...
          'predictions differ from the command');
    check(isequal(double(result.flags), expected.flags), 'flags differ from the command');
    check(counts.frames == 1500 && counts.processed == nnz(bitand(result.flags, 33) == 0), ...
          'counts: %d processed', counts.processed);
  end
  few = frames(:, :, 1:20);
  blind = saccade_meltpool(few, [], 'locate', 'brightest', 'model', 'none');
  check(size(blind.features, 1) == 20 && ~any(blind.prediction(:)), 'without signals and model');

  signals = struct('laser_on', ones(20, 1), 'counter', 1:20, 'x', zeros(20, 1), 'y', zeros(1, 20));
  fails('shape', 'frames', @() saccade_meltpool(double(few), signals));
  fails('shape', 'frames', @() saccade_meltpool(zeros(96, 96, 0, 'uint8'), signals));
  fails('invalid', 'calibration', @() saccade_meltpool(few, signals));
  fails('invalid', 'calibration', @() saccade_meltpool(few, signals, 'calibration', [1, 2, 3]));
  fails('invalid', 'calibration', @() saccade_meltpool(few, signals, 'calibration', zeros(2, 3)));
  fails('invalid', 'calibration', @() saccade_meltpool(few, signals, 'calibration', 'inches'));
  fails('invalid', 'signals', @() saccade_meltpool(few, 5));
  fails('invalid', 'signals', @() saccade_meltpool(few, struct('x', 1)));
  fails('shape', 'signals.x', @() saccade_meltpool(few, setfield(signals, 'x', 1:3)));
  for wrong = [NaN, Inf, 48.7, 3e9]
    other = setfield(signals, 'x', [zeros(19, 1); wrong]);
    fails('invalid', 'signals.x', @() saccade_meltpool(few, other, 'calibration', 'pixels'));
  end
  fails('shape', 'signals', @() saccade_meltpool(few, [], 'calibration', 'pixels'));
  fails('invalid', 'roi', @() saccade_meltpool(few, signals, 'roi', 4));
  fails('io', 'none.safetensors', @() saccade_meltpool(few, signals, 'calibration', 'pixels', ...
                                                       'model', 'none.safetensors'));
  warning('error', 'saccade:model', 'local');
  fails('model', 'threshold', @() saccade_meltpool(few, signals, 'calibration', 'pixels', ...
                                                   'threshold', 90));
  warning('error', 'saccade:doubt', 'local');
  fails('doubt', 'no pool', @() saccade_meltpool(zeros(96, 96, 500, 'uint8'), [], 'locate', ...
                                                 'fixed', 'model', 'none'));
  fails('invalid', 'first', @() saccade_read_frames(path, 1501));
  fails('invalid', 'first', @() saccade_read_frames(path, 0));
  fails('invalid', 'at most 3', @() saccade_read_frames(path, 1, 2, 'all'));
  fails('io', 'none.h5', @() saccade_read_frames('none.h5'));
  fails('invalid', 'regime', @() saccade_simulate_meltpool(5, 'regime', 'wild'));
  fails('invalid', 'no option', @() saccade_simulate_meltpool(5, 'layers', 1));
  fails('invalid', 'n_frames', @() saccade_simulate_meltpool(0));

  info = saccade_info();
  check(~isempty(strfind(run_command(command, 'info'), info.version)), 'info: %s', info.version);
end

% The command's CSV as a struct of columns.
function columns = by_command(command, folder, path, options)
  out = fullfile(folder, 'out.csv');
  run_command(command, ['meltpool ' path ' -o ' out ' ' options]);
  file = fopen(out);
  names = strsplit(strtrim(fgetl(file)), ',');
  values = fscanf(file, [repmat('%f,', 1, numel(names) - 1), '%f'], [numel(names), Inf]);
  fclose(file);
  columns = cell2struct(num2cell(values', 1), names, 2);
end
