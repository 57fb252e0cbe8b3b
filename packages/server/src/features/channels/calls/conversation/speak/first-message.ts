// The first message of a call comes before anything else that the agent says, whatever the other party does meanwhile.

import type { FirstMessage } from '../conversation-state.ts';
import { type Conversation, currentTurn, resumeTurn } from '../conversation-state.ts';
import { isBackChannel } from '../listen/back-channel.ts';
import type { HeardTurn } from '../listen/listener.ts';
import { isTalking } from '../relay/relay-talk.ts';
import { addTurn } from '../tools/tool-round.ts';
import { firstMessageNote } from '../tools/tools.ts';
import { type AgentTurn, sayText } from '../turns/turn.ts';
import { speakable } from './clauses.ts';
import { isGreeting } from './greetings.ts';

export const newFirstMessage = (text: string | null): FirstMessage =>
  text === null ? { state: 'over' } : { state: 'waiting', text };

/** Whoever has heard less of it cannot react to it: both began to speak at the same time. About 1.5 s of speech. */
const begun_words = 4;
/**
 * About 3 s. Until then a few words are a second "Hello?", whatever recognition makes of it: a short word on its own is
 * what it gets wrong most often.
 */
const settled_words = 8;
const few_words = 4;

/** Null when it is over, or the call has none. */
export function firstMessageTurn(conversation: Conversation, heard: HeardTurn | null): AgentTurn | null {
  const { first_message, turn_deps } = conversation;
  if (first_message.state !== 'waiting') return null;
  const { text } = first_message;
  const turn = sayText(turn_deps, text, { heard });
  conversation.first_message = {
    state: 'speaking',
    text,
    turn,
    began_ms: turn_deps.clock.ms(),
    unanswered: [],
  };
  return turn;
}

/** Whether it is being said. False once another turn has replaced it. */
export const saysFirstMessage = (conversation: Conversation): boolean => {
  const { first_message } = conversation;
  return first_message.state === 'speaking' && currentTurn(conversation) === first_message.turn;
};

/** Whether the agent must say it, or more of it, before anything else. */
export const owesFirstMessage = (conversation: Conversation): boolean => {
  const { first_message } = conversation;
  if (first_message.state !== 'speaking') return first_message.state === 'waiting';
  return saysFirstMessage(conversation) && heardOf(conversation, first_message).length < begun_words;
};

/**
 * True when these words or keys of the other party do not stop it: it goes on where it was paused. `is_early`: they came
 * when it had hardly begun.
 */
export function goesOn(conversation: Conversation, text: string, is_early: boolean): boolean {
  const { first_message } = conversation;
  if (first_message.state !== 'speaking' || !saysFirstMessage(conversation)) return false;
  const needs_no_reply = isBackChannel(text) || isGreeting(text);
  const is_few = wordsOf(text).length <= few_words;
  const is_settled = heardOf(conversation, first_message).length >= settled_words;
  if (!needs_no_reply && !is_early && (is_settled || !is_few)) return false;
  if (!needs_no_reply) first_message.unanswered.push(text);
  resumeTurn(conversation);
  return true;
}

/** Words that are recognized late may have been said before it began. */
export const isEarly = (conversation: Conversation, { started_ms }: HeardTurn): boolean =>
  owesFirstMessage(conversation) ||
  (conversation.first_message.state === 'speaking' && started_ms <= conversation.first_message.began_ms);

/** Ends it before its end. What was heard counts as said; the model or the relay is told what was not. */
export function cutFirstMessage(conversation: Conversation): void {
  const { first_message, turn_deps, turns } = conversation;
  const is_speaking = saysFirstMessage(conversation);
  conversation.first_message = { state: 'over' };
  if (first_message.state !== 'speaking' || !is_speaking) return;
  const heard = heardOf(conversation, first_message);
  const rest = wordsOf(speakable(first_message.text)).slice(heard.length).join(' ');
  const { relay } = turn_deps;
  first_message.turn.stop();
  if (isTalking(relay)) {
    const durationUntilInterruptMs = Math.round(first_message.turn.heard().ms);
    relay.link.send({
      type: 'interrupt',
      utteranceUntilInterrupt: heard.join(' '),
      durationUntilInterruptMs,
    });
  } else if (rest !== '') addTurn(turn_deps.tools, turns, { role: 'note', content: firstMessageNote(rest) });
  for (const text of first_message.unanswered)
    addTurn(turn_deps.tools, turns, { role: 'user', content: text });
}

/** It was said to its end. Returns what the other party said meanwhile and nobody has replied to yet. */
export function finishFirstMessage(conversation: Conversation): string | null {
  const { first_message } = conversation;
  conversation.first_message = { state: 'over' };
  const unanswered = first_message.state === 'speaking' ? first_message.unanswered : [];
  return unanswered.length === 0 ? null : unanswered.join(' ');
}

/** The words of the message itself, without the disclosure before it. */
function heardOf(
  { turn_deps: { disclosure } }: Conversation,
  { turn }: Extract<FirstMessage, { state: 'speaking' }>,
): string[] {
  const text = turn.heard().text;
  const has_disclosure = disclosure.text !== null && !disclosure.is_heard;
  const words = wordsOf(text);
  return has_disclosure ? words.slice(wordsOf(disclosure.text!).length) : words;
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
