function varargout = saccade_simulate_meltpool(n_frames, varargin)
%SACCADE_SIMULATE_MELTPOOL  x
  [varargout{1:max(nargout, 1)}] = saccade_mex('simulate_meltpool', n_frames, varargin{:});
end
