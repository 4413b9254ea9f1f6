function motion_test(command)
% saccade_heatmap, saccade_noise, saccade_denoise and saccade_adjust give the bytes of the commands.
% SPDX-License-Identifier: Apache-2.0
  folder = test_folder();
  video = test_video(23, 38, 3, 5);
  gray = test_video(23, 38, 1, 5);
  heatmaps = {{}, {'map', 'turbo'}, {'scale', 510}};
  noises = {{}, {'view', 'overlay', 'threshold', 5}, {'view', 'pure'}};
  filters = {{'method', 'mean'}, {'method', 'gaussian', 'window', 5}, {'method', 'median'}, ...
             {'method', 'temporal', 'strength', 0.5}};
  compare(command, folder, 'heatmap', @saccade_heatmap, video, heatmaps);
  compare(command, folder, 'noise', @saccade_noise, video, noises);
  compare(command, folder, 'denoise', @saccade_denoise, video, filters);
  compare(command, folder, 'denoise', @saccade_denoise, gray, filters);
  compare(command, folder, 'adjust', @saccade_adjust, video, ...
          {{}, {'gain', 1.7}, {'contrast', 1.4, 'brightness', -7.5}, {'saturation', 2.2}});
  compare(command, folder, 'adjust', @saccade_adjust, gray, {{'gain', 0.5}});
  check(isequal(saccade_adjust(video), video), 'the defaults change something');

  current = video(:, :, :, 3);
  previous = video(:, :, :, 2);
  drawn = saccade_heatmap(video);
  check(isequal(drawn(:, :, :, 3), saccade_heatmap(current, previous)), 'two frames differ');
  check(isequal(size(saccade_heatmap(gray)), [23, 38, 3, 5]), 'a gray video has no colors');
  [mask, changed] = saccade_noise(current, previous, 'threshold', 7);
  expected = any(abs(double(current) - double(previous)) > 7, 3);
  check(changed == nnz(expected), '%d pixels changed, not %d', nnz(expected), changed);
  check(isequal(mask(:, :, 1) == 255, expected), 'the mask is another');
  bits = saccade_noise(current, previous, 'threshold', 7, 'view', 'bits');
  rows = reshape(sum(reshape([expected, zeros(23, 2)]', 8, []) .* (2 .^ (0:7)')), 5, 23)';
  check(isequal(double(bits), rows), 'the bits are others');
  [~, level] = saccade_denoise(video);
  check(level > 0, 'no noise is estimated');

  warning('error', 'saccade:still', 'local');
  fails('still', 'previous', @() saccade_heatmap(current));
  fails('still', 'previous', @() saccade_noise(gray(:, :, 1, 1)));
  fails('still', 'median', @() saccade_denoise(current));
  saccade_denoise(current, 'method', 'median');
  saccade_heatmap(current, current);
  warning('off', 'saccade:still', 'local');
  fails('shape', 'previous', @() saccade_heatmap(current, previous(1:5, :, :)));
  fails('shape', 'current', @() saccade_heatmap(single(current), single(previous)));
  fails('shape', 'n_channels', @() saccade_noise(zeros(4, 4, 2, 'uint8')));
  fails('shape', 'previous', @() saccade_noise(current, {}));
  fails('invalid', 'threshold', @() saccade_noise(current, previous, 'threshold', 256));
  fails('invalid', 'map', @() saccade_heatmap(current, previous, 'map', 'pink'));
  fails('invalid', 'window', @() saccade_denoise(current, 'window', 7, 'method', 'mean'));
  fails('invalid', 'at most 1 result', @() two_results(@saccade_mex, 'heatmap', current));
  fails('shape', 'frames', @() saccade_denoise('text'));
  fails('invalid', 'gain', @() saccade_adjust(current, 'gain', 17));
  warning('error', 'saccade:doubt', 'local');
  fails('doubt', 'one gray, 128', @() saccade_adjust(current, 'contrast', 0));
end

function two_results(call, varargin)
  [~, ~] = call(varargin{:});
end

% Frames as raw RGB or gray: what the command reads and writes without loss.
function compare(command, folder, name, call, video, cases)
  [h, w, c, n] = size(video);
  in = fullfile(folder, 'in.raw');
  out = fullfile(folder, 'out.raw');
  format = 'gray';
  if c == 3
    format = 'rgb';
  end
  file = fopen(in, 'w');
  fwrite(file, permute(video, [3, 2, 1, 4]), 'uint8');
  fclose(file);
  for options = cases
    run_command(command, sprintf('%s %s --size %dx%d --format %s -o %s %s', name, in, w, h, ...
                                 format, out, test_options(options{1})));
    file = fopen(out);
    expected = permute(reshape(fread(file, Inf, 'uint8=>uint8'), c, w, h, n), [3, 2, 1, 4]);
    fclose(file);
    check(isequal(call(video, options{1}{:}), expected), '%s%s differs from the command', name, ...
          test_options(options{1}));
  end
end

function video = test_video(h, w, channels, n)
  video = zeros(h, w, channels, n, 'uint8');
  for i = 1:n
    noise = mod((1:h)' * 37 + (1:w) * 101 + i * 53, 13);
    video(:, :, :, i) = circshift(test_picture(h, w, channels, 255), [i, 2 * i]) + uint8(noise);
  end
end
