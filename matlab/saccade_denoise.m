function varargout = saccade_denoise(frames, varargin)
%SACCADE_DENOISE  x
  [varargout{1:max(nargout, 1)}] = saccade_mex('denoise', frames, varargin{:});
end
