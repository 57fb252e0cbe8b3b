// What is recorded when a person says in a call that they do not want to be contacted any more.
import type { Refusal } from '../../consents/index.ts';

type NamedCall = {
  id: string;
  organization_id: string;
  direction: 'inbound' | 'outbound';
  from: string | null;
  to: string;
};

/** Null when the caller hides its number: then nobody can be named. */
export function refusalOn({ id: item_id, organization_id, direction, from, to }: NamedCall): Refusal | null {
  const recipient = direction === 'outbound' ? to : from;
  if (!recipient?.startsWith('+')) return null;
  return { organization_id, recipient, channel: 'call', revoked_by: { kind: 'agent', item_id } };
}
