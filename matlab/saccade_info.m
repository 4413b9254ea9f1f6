function info = saccade_info()
%SACCADE_INFO  This build of saccade, and this machine.
%
%   info = saccade_info()   struct: version, commit, compiler, options, libraries, cpu, features,
%                           n_cores, gpus (names)
%
%   See also SACCADE_BUILD.

% SPDX-License-Identifier: Apache-2.0
  info = saccade_mex('info');
end
