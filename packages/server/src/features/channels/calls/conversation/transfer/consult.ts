// The talk with the colleague before they take the call: is it a person, the private briefing, and whether they accept.
import type { TransferFailure } from '@parley/contract/channels/calls/call-transfers';
import type { Conversation } from '../conversation-state.ts';
import type { Player } from '../speak/player.ts';
import { soundsLikeMachine } from '../voicemail/voicemail.ts';
import type { Colleague } from './colleague.ts';
import { sayAside } from './say-aside.ts';
import { transferPhrases } from './transfer-phrases.ts';
import type { TransferRequest } from './transfer-port.ts';

export type Consulted = 'accepted' | Extract<TransferFailure, 'machine' | 'declined' | 'not_accepted'>;

/** A colleague who answers says their name first. */
const greeting_ms = 1500;
const longest_greeting_ms = 8000;
const accept_ms = 15_000;
const questions = 2;

type Answer = 'yes' | 'no' | 'machine' | 'unclear';

/** Rejects when the signal aborts. */
export async function consult(
  conversation: Conversation,
  colleague: Colleague,
  request: TransferRequest,
  brief: Promise<string>,
  signal: AbortSignal,
): Promise<Consulted> {
  if ((await greeting(conversation, colleague, signal)) === 'machine') return 'machine';
  const { disclosure } = conversation.phrases;
  const phrases = transferPhrases(conversation.call.language);
  const needs_answer = request.options.accept === 'yes_or_1';
  const opening = [
    conversation.call.ai_disclosure ? disclosure : '',
    await untilAborted(brief, signal),
    needs_answer ? phrases.accept : '',
  ];
  for (let question = 1; question <= questions; question++) {
    const text = question === 1 ? opening.filter((part) => part !== '').join(' ') : phrases.accept;
    const answer = await ask(conversation, colleague, text, signal, needs_answer);
    if (question === 1) conversation.emit({ kind: 'transfer_briefed', at_ms: conversation.now() });
    if (answer === 'machine') return 'machine';
    if (!needs_answer || answer === 'yes') return 'accepted';
    if (answer === 'no') return 'declined';
  }
  return 'not_accepted';
}

/** Waits until the colleague has greeted, or says nothing. */
function greeting(
  { clock }: Conversation,
  colleague: Colleague,
  signal: AbortSignal,
): Promise<'person' | 'machine'> {
  const { promise, resolve } = Promise.withResolvers<'person' | 'machine'>();
  let cancel = clock.after(greeting_ms, () => resolve('person'));
  colleague.onSpeechStarted = () => {
    cancel();
    cancel = clock.after(longest_greeting_ms, () => resolve('person'));
  };
  colleague.onBeep = () => resolve('machine');
  colleague.onSaid = (text) => resolve(soundsLikeMachine(text) ? 'machine' : 'person');
  return untilAborted(promise, signal).finally(() => {
    cancel();
    colleague.onSpeechStarted = () => {};
  });
}

/** Says the text and waits for the answer, which may come before its end. */
async function ask(
  conversation: Conversation,
  colleague: Colleague,
  text: string,
  signal: AbortSignal,
  needs_answer: boolean,
): Promise<Answer> {
  const { clock, turn_deps } = conversation;
  const { yes, no } = transferPhrases(conversation.call.language);
  const { promise, resolve } = Promise.withResolvers<Answer>();
  colleague.onBeep = () => resolve('machine');
  colleague.onDigit = (digit) => resolve(digit === '1' ? 'yes' : 'no');
  colleague.onSaid = (said) => {
    if (soundsLikeMachine(said)) resolve('machine');
    else if (no.test(said)) resolve('no');
    else if (yes.test(said)) resolve('yes');
    // Something else: the question is asked again.
  };
  const player: Player = { ...turn_deps.player, session: colleague.media };
  const aside =
    text === '' ? null : sayAside(turn_deps, player, text, { is_filler: false, is_private: true });
  const over = promise.then(() => aside?.stop());
  let cancelTimeout = () => {};
  try {
    await untilAborted(Promise.race([aside?.done, over]), signal);
    if (!needs_answer) resolve('unclear');
    cancelTimeout = clock.after(accept_ms, () => resolve('unclear'));
    return await untilAborted(promise, signal);
  } finally {
    cancelTimeout();
    aside?.stop();
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}
