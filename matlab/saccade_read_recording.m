function varargout = saccade_read_recording(path, varargin)
%SACCADE_READ_RECORDING  x
  [varargout{1:max(nargout, 1)}] = saccade_mex('read_recording', path, varargin{:});
end
