function varargout = saccade_noise(current, varargin)
%SACCADE_NOISE  x
  [varargout{1:max(nargout, 1)}] = saccade_mex('noise', current, varargin{:});
end
