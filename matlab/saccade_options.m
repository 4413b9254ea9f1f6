function options = saccade_options(name)
%SACCADE_OPTIONS  The options of a function, with ranges and defaults.
%
%   options = saccade_options(name)   of 'equalize', 'heatmap', 'noise', 'denoise', 'adjust',
%       'beamform' or 'meltpool': a struct array of name, doc, value (what it expects), default, unit
%   saccade_options(name)             prints them
%
%   These are the options of the command `saccade`, from the library itself. Names may have _ for
%   -. Values are numbers, text, true or false; [8, 6] for NxM.

% SPDX-License-Identifier: Apache-2.0
  options = saccade_mex('options', name);
  if nargout == 0
    for i = 1:numel(options)
      fprintf('  ''%s''   %s', options(i).name, options(i).value);
      if ~isempty(options(i).default)
        fprintf('; default %s', options(i).default);
      end
      fprintf('\n%s', wrapped(options(i).doc));
    end
    clear options
  end
end

% Lines of at most 90 columns, indented.
function text = wrapped(words)
  text = '';
  line = '     ';
  for word = strsplit(words, ' ')
    if numel(line) + 1 + numel(word{1}) > 90
      text = [text, line, sprintf('\n')];
      line = '     ';
    end
    line = [line, ' ', word{1}];
  end
  text = [text, line, sprintf('\n')];
end
