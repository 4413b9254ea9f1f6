function varargout = saccade_beamform(rf, acquisition, varargin)
%SACCADE_BEAMFORM  x
  [varargout{1:max(nargout, 1)}] = saccade_mex('beamform', rf, acquisition, varargin{:});
end
