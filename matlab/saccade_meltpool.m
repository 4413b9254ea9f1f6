function varargout = saccade_meltpool(frames, signals, varargin)
%SACCADE_MELTPOOL  x
  [varargout{1:max(nargout, 1)}] = saccade_mex('meltpool', frames, signals, varargin{:});
end
