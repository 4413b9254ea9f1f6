function rf = saccade_simulate_ultrasound(acquisition, scatterers, n_samples, varargin)
%SACCADE_SIMULATE_ULTRASOUND  x
  rf = saccade_mex('simulate_ultrasound', acquisition, scatterers, n_samples, varargin{:});
end
