// What is recorded when a person tells the agent of a carrier that they do not want to be contacted any more.
import type { Refusal } from '../../../rules/consents/index.ts';

type NamedCall = {
  id: string;
  organization_id: string;
  conversation_id: string;
  direction: 'inbound' | 'outbound';
  from: string | null;
  to: string;
};

const max_quote_chars = 500;

/** Null when the caller hides its number: then it is not known who refuses. */
export function refusalOn(
  { id: item_id, organization_id, conversation_id, direction, from, to }: NamedCall,
  last_words: string | null,
): Refusal | null {
  const recipient = direction === 'outbound' ? to : from;
  if (!recipient?.startsWith('+')) return null;
  const quote = last_words?.slice(0, max_quote_chars).toWellFormed() ?? null;
  const revoked_by = { kind: 'agent', item_id, conversation_id, quote } as const;
  return { organization_id, recipient, channel: 'call', revoked_by };
}
