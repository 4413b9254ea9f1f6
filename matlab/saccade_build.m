function saccade_build(varargin)
%SACCADE_BUILD  Compiles saccade's functions for this MATLAB or Octave.
%
%   saccade_build                      where pkg-config knows an installed saccade
%   saccade_build('prefix', FOLDER)    of the saccade that was installed in FOLDER
%   saccade_build('include', FOLDER, 'lib', FOLDER)
%                                      with its headers and libraries in these folders
%   saccade_build(..., 'output', FOLDER)
%                                      writes saccade_mex there instead of next to this file
%
%   Needs a C compiler: in Octave what mkoctfile uses (Debian: octave-dev), in MATLAB (R2018a or
%   later) what `mex -setup C` found. Then add this folder to the path:
%
%       addpath /usr/share/saccade/matlab
%
%   See also SACCADE_INFO.

% SPDX-License-Identifier: Apache-2.0
  here = fileparts(mfilename('fullpath'));
  options = struct('prefix', '', 'include', '', 'lib', '', 'output', here);
  for i = 1:2:numel(varargin)
    name = varargin{i};
    if i == numel(varargin) || ~isfield(options, name)
      error('saccade:invalid', '%s: expected prefix, include, lib or output, and a folder', name);
    end
    options.(name) = varargin{i + 1};
  end
  if ~isempty(options.prefix)
    options.include = fullfile(options.prefix, 'include');
    options.lib = library_folder(options.prefix);
  elseif isempty(options.include)
    options.include = variable('includedir');
    options.lib = variable('libdir');
  end
  found = dir(fullfile(here, 'mex', '*.c'));
  sources = cellfun(@(name) fullfile(here, 'mex', name), sort({found.name}), ...
                    'UniformOutput', false);
  parts = [{['-I' options.include]}, sources, ...
               {['-L' options.lib], '-lsaccade-io', '-lsaccade'}];
  target = fullfile(options.output, ['saccade_mex.' mexext]);
  if exist('OCTAVE_VERSION', 'builtin')
    build_by_mkoctfile(parts, options.lib, target);
  else
    mex('-R2018a', parts{:}, ['LDFLAGS=$LDFLAGS -Wl,-rpath,' options.lib], '-output', target);
  end
  fprintf('%s\n', target);
end

% mkoctfile does not quote names: it writes where a name has no spaces.
function build_by_mkoctfile(parts, lib, target)
  made = [tempname() '.' mexext];
  [output, status] = mkoctfile('--mex', '-R2018a', parts{:}, ['-Wl,-rpath,' lib], '-o', made);
  if status
    error('saccade:unsupported', 'mkoctfile: %s', strtrim(output));
  end
  [good, text] = movefile(made, target, 'f');
  if ~good
    delete(made);
    error('saccade:io', '%s: %s', target, strtrim(text));
  end
end

function folder = library_folder(prefix)
  for pattern = {'lib', fullfile('lib', '*linux*'), 'lib64'}
    found = dir(fullfile(prefix, pattern{1}, 'libsaccade-io.*'));
    if ~isempty(found)
      folder = found(1).folder;
      return
    end
  end
  error('saccade:io', 'prefix: no libsaccade-io in %s', fullfile(prefix, 'lib*'));
end

function value = variable(name)
  [status, value] = system(['pkg-config --variable=' name ' saccade-io']);
  value = strtrim(value);
  if status || isempty(value)
    error('saccade:io', ...
          'pkg-config does not know saccade-io: install saccade, or give ''prefix'', FOLDER');
  end
end
