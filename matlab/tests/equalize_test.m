function equalize_test(command)
% saccade_equalize gives the bytes of `saccade equalize`, and refuses what it cannot take.
% SPDX-License-Identifier: Apache-2.0
  folder = test_folder();
  for top = [255, 65535]
    for channels = [1, 3]
      picture = test_picture(37, 53, channels, top);
      for options = {{}, {'scale', 'max'}, {'bins', 64}, {'clahe', [4, 3], 'clip', 3}, ...
                     {'clahe', 5, 'threads', 1}}
        result = saccade_equalize(picture, options{1}{:});
        expected = by_command(command, folder, picture, options{1});
        check(isequal(result, expected) && strcmp(class(result), class(picture)), ...
              'equalize of %d channel(s) to %d differs from the command', channels, top);
      end
    end
  end
  video = cat(4, picture, picture(end:-1:1, :, :));
  both = saccade_equalize(video);
  check(isequal(both(:, :, :, 2), saccade_equalize(video(:, :, :, 2))), ...
        'pictures of a video differ');

  bytes = uint8(picture / 256);
  fails('shape', 'picture', @() saccade_equalize(ones(4, 4, 1, 1, 2)));
  fails('shape', 'dtype', @() saccade_equalize(double(picture)));
  fails('shape', 'picture', @() saccade_equalize({1}));
  fails('shape', 'picture', @() saccade_equalize(sparse(4, 4)));
  fails('shape', 'empty', @() saccade_equalize(uint8([])));
  fails('shape', 'n_channels', @() saccade_equalize(zeros(4, 4, 7, 'uint8')));
  fails('invalid', 'no option `colour`', @() saccade_equalize(bytes, 'colour', 1));
  fails('invalid', 'bins', @() saccade_equalize(bytes, 'bins', 1));
  fails('invalid', 'bins', @() saccade_equalize(bytes, 'bins', 'many'));
  fails('invalid', 'bins', @() saccade_equalize(bytes, 'bins', [1, 2, 3]));
  fails('invalid', 'bins', @() saccade_equalize(bytes, 'bins', {}));
  fails('invalid', 'clahe', @() saccade_equalize(bytes, 'clahe', sparse([8, 0])));
  fails('invalid', 'clahe', @() saccade_equalize(bytes, 'clahe', sparse(0)));
  fails('invalid', 'clahe', @() saccade_equalize(bytes, 'clahe', sparse(true)));
  check(isequal(saccade_equalize(bytes, 'clahe', int32([4, 3])), ...
                saccade_equalize(bytes, 'clahe', single([4, 3])), ...
                saccade_equalize(bytes, 'clahe', '4x3')), 'two numbers of other classes');
  fails('invalid', 'character 0', @() saccade_equalize(bytes, ['bins', char(0), 'x'], 16));
  fails('invalid', 'character 0', @() saccade_read_recording(['in.h5', char(0), 'x']));
  fails('invalid', 'value', @() saccade_equalize(bytes, 'bins'));
  fails('invalid', 'name of an option', @() saccade_equalize(bytes, 7, 8));
  fails('invalid', 'at least 1', @() saccade_mex('equalize'));
  fails('invalid', 'variant', @() saccade_equalize(bytes, 'variant', 'none_such'));
end

function result = by_command(command, folder, picture, options)
  in = fullfile(folder, 'in.pnm');
  out = fullfile(folder, 'out.pnm');
  test_pnm_write(in, picture);
  run_command(command, ['equalize ' in ' -o ' out ' ' test_options(options)]);
  result = test_pnm_read(out);
end
