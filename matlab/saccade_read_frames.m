function varargout = saccade_read_frames(path, varargin)
%SACCADE_READ_FRAMES  x
  [varargout{1:max(nargout, 1)}] = saccade_mex('read_frames', path, varargin{:});
end
