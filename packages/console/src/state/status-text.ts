// Statuses and end reasons as sentences.
export const end_reason_text: Record<string, string> = {
  callee_hangup: 'The person hung up.',
  agent_hangup: 'The agent hung up.',
  api_hangup: 'The call was ended through the API.',
  max_duration: 'The call reached its maximum duration.',
  silence_timeout: 'There was no speech for too long.',
  not_understood: 'The agent could not understand the person.',
  voicemail: 'A voicemail box answered.',
  busy: 'The line was busy.',
  rejected: 'The person declined the call.',
  ring_timeout: 'The call was not answered in time.',
  unreachable: 'The number cannot be reached.',
  canceled: 'The call was canceled before it was answered.',
  approval_rejected: 'A person rejected the call.',
  approval_expired: 'Nobody approved the call in time.',
  no_number_available: 'No pool number was free in time.',
  setup_error: 'The call could not be connected.',
  trunk_failure: 'The line to the carrier failed.',
  media_failure: 'The audio of the call failed.',
  force_closed: 'The call was ended by the service.',
  not_allowed: 'A rule did not allow the call.',
  llm_not_configured: 'No language model is set.',
  colleague_hangup: 'The colleague hung up.',
  insufficient_funds: 'The balance is used up.',
};

export const final_calls = new Set(['completed', 'failed', 'busy', 'no_answer', 'canceled']);
