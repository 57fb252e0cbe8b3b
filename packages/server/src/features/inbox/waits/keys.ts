// Keys: what a wait is about, and what an event or a received message is about. An equal key is a reason to look.

import type { WaitCondition } from '@parley/contract/inbox/waits';
import { addressKey } from '@parley/contract/schema/mailbox';

export const keyOfRecord = (id: string) => `id:${id.toLowerCase()}`;
export const keyOfConversation = (id: string) => `in:${id.toLowerCase()}`;

type MessageChannel = 'email' | 'sms';
type Parties = { from?: string | null | undefined; to?: string | null | undefined };

const isAddress = (party: string) => party.includes('@');
const partyKey = (party: string) => (isAddress(party) ? addressKey(party) : party);

/** One key is enough: the one that fewer messages have. */
function keyOfMessages(channel: MessageChannel, { from, to }: Parties): string {
  if (from) return `${channel}:from:${partyKey(from)}`;
  return to ? `${channel}:to:${partyKey(to)}` : `${channel}:any`;
}

/** The channels on which a code can arrive: an address is on one, a number on the other. */
export function codeChannels(condition: Extract<WaitCondition, { kind: 'code' }>): MessageChannel[] {
  const parties = [condition.from, condition.to].filter((party) => party != null);
  return (['email', 'sms'] as const).filter(
    (channel) =>
      (condition.channel ?? channel) === channel &&
      parties.every((party) => isAddress(party) === (channel === 'email')),
  );
}

export function keysOf(condition: WaitCondition): string[] {
  switch (condition.kind) {
    case 'reply':
      return [keyOfConversation(condition.conversation_id)];
    case 'email':
    case 'sms':
      return [keyOfMessages(condition.kind, condition)];
    case 'code':
      return codeChannels(condition).map((channel) => keyOfMessages(channel, condition));
    case 'call':
      return [keyOfRecord(condition.call_id)];
    case 'outcome':
    case 'result':
      return [keyOfRecord(condition.id)];
    case 'approval':
      return [keyOfRecord(condition.approval_id)];
  }
}

export type ReceivedMessage = {
  noun: MessageChannel;
  thread_id: string;
  from: string;
  /** All recipients. */
  to: string[];
};

export const keysOfMessage = ({ noun, thread_id, from, to }: ReceivedMessage): string[] => [
  `${noun}:any`,
  `${noun}:from:${partyKey(from)}`,
  ...to.map((party) => `${noun}:to:${partyKey(party)}`),
  keyOfConversation(thread_id),
];
