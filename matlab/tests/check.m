function check(good, varargin)
% check(GOOD, FORMAT, ...): ends the test with the text unless GOOD.
  if ~good
    error('test:failed', varargin{:});
  end
end
