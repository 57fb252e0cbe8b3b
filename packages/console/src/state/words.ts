// States and reasons in whole sentences.
export const end_reason_words: Record<string, string> = {
  callee_hangup: 'The person hung up.',
  agent_hangup: 'The agent hung up.',
  api_hangup: 'The call was ended through the API.',
  max_duration: 'The call reached its longest duration.',
  silence_timeout: 'Nobody said anything for too long.',
  voicemail: 'A voicemail box answered.',
  busy: 'The line was busy.',
  rejected: 'The person declined the call.',
  ring_timeout: 'Nobody picked up in time.',
  unreachable: 'The number cannot be reached.',
  canceled: 'The call was canceled before anybody picked up.',
  no_number_available: 'No number of the pool was free in time.',
  setup_error: 'The call could not be set up.',
  trunk_failure: 'The line to the carrier failed.',
  media_failure: 'The sound of the call failed.',
  force_closed: 'The call was closed by force.',
  insufficient_funds: 'The funds ran out.',
};

export const final_calls = new Set(['completed', 'failed', 'busy', 'no_answer', 'canceled']);
