// Why a call ended as it did: one explanation for each end reason and each status of a call.

import type { ExplanationDefinition } from '../../operations/explain/explanation-definition.ts';
import type { StateOf } from '../../schema/lifecycle.ts';
import type { CallEndReason, callLifecycle } from './call-records.ts';

const done = { who: 'none', retry: 'no' } as const;

export const callEndExplanations = {
  callee_hangup: {
    ...done,
    summary: 'The other party hung up.',
    fix: 'Nothing is wrong. Read the transcript to see how far the conversation came.',
  },
  agent_hangup: {
    ...done,
    summary: 'The agent said goodbye and ended the call.',
    fix: 'Nothing is wrong. Read the transcript and the result.',
  },
  api_hangup: {
    who: 'you',
    summary: 'A request of your organization hung up the answered call.',
    fix: 'Nothing is wrong if you meant it. The request log shows which credential did it.',
    retry: 'now_with_new_key',
  },
  max_duration: {
    who: 'you',
    summary: 'The call reached its longest allowed duration.',
    fix: 'Place the call with a larger max_duration_seconds, or raise the budget if it shortened the call.',
    retry: 'now_with_new_key',
  },
  silence_timeout: {
    who: 'recipient',
    summary: 'Nothing was said for too long, so the agent ended the call.',
    fix: 'Call again later. If the person did speak, check the language of the agent and listen to the recording.',
    retry: 'later',
  },
  not_understood: {
    who: 'parley',
    summary: 'The person spoke, and the agent could not understand them several times in a row.',
    fix: 'Read the detail and listen to the recording. Check the speech recognition and its language; if it was late, let the server run fewer calls at once or give it more processors. Then call again.',
    retry: 'later',
  },
  voicemail: {
    who: 'recipient',
    summary: 'A voicemail or an answering machine took the call, and no message was left.',
    fix: 'Call at another time of day, or let the agent leave a message: set action in voicemail of the agent to leave_message.',
    retry: 'later',
  },
  busy: {
    who: 'recipient',
    summary: 'The line of the recipient was busy.',
    fix: 'Call again in some minutes with a new Idempotency-Key.',
    retry: 'later',
  },
  rejected: {
    who: 'recipient',
    summary: 'The recipient, or a call blocker on their phone, rejected the call.',
    fix: 'Do not call again at once. Write first, or ask when a call is welcome.',
    retry: 'no',
  },
  ring_timeout: {
    who: 'recipient',
    summary: 'The phone rang and was not answered.',
    fix: 'Call again at another time, or let it ring longer with ring_timeout_seconds.',
    retry: 'later',
  },
  unreachable: {
    who: 'recipient',
    summary: 'The number is not in service or cannot be reached.',
    fix: 'Check the number and correct the contact. Use another channel.',
    retry: 'no',
  },
  canceled: {
    who: 'you',
    summary: 'The call was canceled before it was answered.',
    fix: 'Place the call again if it is still needed.',
    retry: 'now_with_new_key',
  },
  no_number_available: {
    who: 'you',
    summary: 'No number was free to call from before the time was up.',
    fix: 'Get another voice number with POST /v1/numbers, send "from", or place fewer calls at once.',
    retry: 'later',
  },
  setup_error: {
    who: 'carrier',
    summary: 'The carrier did not accept the call, or it could not be set up.',
    fix: 'Read the detail: it has the words of the carrier. Check the account, the number and the address of the trunk with the carrier, then call again.',
    retry: 'later',
  },
  trunk_failure: {
    who: 'carrier',
    summary: 'The network of the carrier failed before the call was answered.',
    fix: 'Call again in some minutes. If it keeps failing, give the provider_call_id to the support of the carrier.',
    retry: 'later',
  },
  media_failure: {
    who: 'carrier',
    summary: 'The audio of the call could not be opened, or was lost.',
    fix: 'Check that the carrier reaches this server for audio (PARLEY_BASE_URL, firewall, RTP ports) and accepts G.711, then call again.',
    retry: 'later',
  },
  force_closed: {
    who: 'parley',
    summary: 'The service was stopped or lost the call.',
    fix: 'Place the call again. The operator can let calls end before a restart with PARLEY_STOP_CALLS_SECONDS.',
    retry: 'now_with_new_key',
  },
  insufficient_funds: {
    who: 'you',
    summary: 'The balance does not cover the call.',
    fix: 'Ask the operator to credit the organization (GET /v1/funds shows the balance), then place the call again.',
    retry: 'now_with_new_key',
  },
  not_allowed: {
    who: 'policy',
    summary: 'A rule stopped the call before it was dialed.',
    fix: 'The admission entry of the timeline names the rule. Change the rule, or call when it allows it.',
    retry: 'later',
  },
  llm_not_configured: {
    who: 'you',
    summary: 'No language model was configured for the call.',
    fix: 'Set one with PUT /v1/providers/llm, or send "llm" with the call, then place it again. An inbound call needs the first: the person can then call again.',
    retry: 'now_with_new_key',
  },
  approval_rejected: {
    who: 'policy',
    summary: 'A person rejected the call.',
    fix: 'Read the note of the approval. Change the call accordingly and place a new one.',
    retry: 'now_with_new_key',
  },
  approval_expired: {
    who: 'policy',
    summary: 'The approval expired before a person decided.',
    fix: 'Tell an approver, and place the call again.',
    retry: 'now_with_new_key',
  },
  colleague_hangup: {
    ...done,
    summary: 'The colleague to whom the call was transferred hung up.',
    fix: 'Nothing is wrong. Read the field transfer of the call.',
  },
} as const satisfies Record<CallEndReason, ExplanationDefinition>;

/** What the timeline tells about a call that the end reason does not. */
export const callOutcomeExplanations = {
  speech_lost: {
    who: 'parley',
    summary: 'The person spoke, and a part of it became no turn of the conversation.',
    fix: 'Listen to the recording at the entries not_understood of the timeline. Check the speech recognition and its language; if it was late, let the server run fewer calls at once or give it more processors.',
    retry: 'later',
  },
  message_left: {
    ...done,
    summary: 'A voicemail or an answering machine took the call, and the agent left its message.',
    fix: 'Nothing is wrong. Call at another time of day if the person must answer.',
  },
} as const satisfies Record<string, ExplanationDefinition>;

const broken: ExplanationDefinition = {
  who: 'carrier',
  summary: 'The call failed, and no reason is stored.',
  fix: 'Call again later. Give the provider_call_id to the support of the carrier if it keeps failing.',
  retry: 'later',
};

export const callStatusExplanations = {
  queued: {
    ...done,
    summary: 'The call waits for a free line or number.',
    fix: 'Wait for the event of the call, or read it with wait_seconds.',
  },
  dialing: { ...done, summary: 'The carrier is dialing.', fix: 'Wait for the end of the call.' },
  ringing: { ...done, summary: 'The phone is ringing.', fix: 'Wait for the end of the call.' },
  in_progress: { ...done, summary: 'The call is in progress.', fix: 'Wait for the end of the call.' },
  completed: { ...done, summary: 'The call took place.', fix: 'Nothing is wrong. Read the transcript.' },
  failed: broken,
  busy: callEndExplanations.busy,
  no_answer: callEndExplanations.ring_timeout,
  canceled: callEndExplanations.canceled,
} as const satisfies Record<StateOf<typeof callLifecycle>, ExplanationDefinition>;

/** What failed before or during a call that ended as setup_error or media_failure, by the layer that the timeline names. */
export const engineExplanations = {
  llm: {
    who: 'provider',
    summary: 'The language model failed during the call.',
    fix: 'Read the detail, test the model with POST /v1/providers/llm/test, and correct its address, key or model name. Then place the call again.',
    retry: 'now_with_new_key',
  },
  stt: {
    who: 'provider',
    summary: 'The speech recognition failed during the call.',
    fix: 'Read the detail, and check the account and the key of the speech-to-text engine. Then place the call again.',
    retry: 'now_with_new_key',
  },
  tts: {
    who: 'provider',
    summary: 'The speech synthesis failed during the call.',
    fix: 'Read the detail, and check the account, the key and the voice of the text-to-speech engine. Then place the call again.',
    retry: 'now_with_new_key',
  },
  relay: {
    who: 'you',
    summary: 'Your relay server could not be reached or ended the connection with an error.',
    fix: 'Read the detail. Check that the relay accepts WebSocket connections of this server with the url and the secret of the agent, and responds in time. Then place the call again.',
    retry: 'now_with_new_key',
  },
  number: {
    who: 'you',
    summary: 'The number to call from was released before the call was dialed.',
    fix: 'Place the call again with "from" set to an active number of GET /v1/numbers, or without "from".',
    retry: 'now_with_new_key',
  },
  service: {
    who: 'parley',
    summary: 'The service could not set the call up.',
    fix: 'Place the call again. If it keeps failing, give the detail and the id of the call to the operator: the log of the service has the cause.',
    retry: 'now_with_new_key',
  },
} as const satisfies Record<string, ExplanationDefinition>;
