function fails(status, text, call)
% fails(STATUS, TEXT, CALL): the call is an error saccade:STATUS whose text has TEXT in it.
  try
    call();
  catch e
    check(strcmp(e.identifier, ['saccade:' status]) && ~isempty(strfind(e.message, text)), ...
          'expected saccade:%s with `%s`, got %s: %s', status, text, e.identifier, e.message);
    return
  end
  check(false, 'expected saccade:%s with `%s`, got no error', status, text);
end
