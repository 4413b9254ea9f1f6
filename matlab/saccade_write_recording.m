function saccade_write_recording(path, rf, acquisition, varargin)
%SACCADE_WRITE_RECORDING  x
  saccade_mex('write_recording', path, rf, acquisition, varargin{:});
end
