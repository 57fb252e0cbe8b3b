// Finds the agent that answers a received email: that of the first address in To, else of any other address of ours.
import { addressKey } from '@parley/contract/schema/mailbox';
import type { AnswerRequest } from '../../../../agents/agents/index.ts';
import type { Receiver } from '../../../email-domains/index.ts';
import type { Arrival, InboundRow } from '../store.ts';

type Message = {
  row: Pick<InboundRow, 'to_addresses' | 'cc_addresses' | 'bcc_addresses'> & {
    arrival: Pick<Arrival, 'recipients'>;
  };
  receivers: readonly { receiver: Receiver }[];
};
type Answerer = { agent_id: string; own: string };

export function answererOf({ row, receivers }: Message): Answerer | null {
  const named = [...row.to_addresses, ...row.cc_addresses, ...row.bcc_addresses].map(addressKey);
  const place = (address: string) => named.indexOf(addressKey(address));
  const own = row.arrival.recipients.map((address, index) => ({
    address,
    receiver: receivers[index]?.receiver,
  }));
  const answerers = own.flatMap(({ address, receiver }) => {
    const agent_id = receiver && agentOf(receiver, address);
    return agent_id ? [{ agent_id, own: address }] : [];
  });
  return answerers.sort((one, other) => place(one.own) - place(other.own))[0] ?? null;
}

/** A +tag belongs to the address before it. */
function agentOf({ kind, email_agent_id, agent_addresses }: Receiver, address: string): string | null {
  const local_part = address.slice(0, address.lastIndexOf('@')).split('+', 1)[0]!.toLowerCase();
  const single =
    kind === 'custom' ? agent_addresses.find((each) => each.local_part === local_part) : undefined;
  return single?.agent_id ?? email_agent_id;
}

export const answerRequest = (
  {
    organization_id,
    id,
    conversation_id,
    requested_at,
  }: Pick<InboundRow, 'organization_id' | 'id' | 'conversation_id' | 'requested_at'>,
  { agent_id, own }: Answerer,
): AnswerRequest => ({
  organization_id,
  channel: 'email',
  message_id: id,
  thread_id: conversation_id,
  agent_id,
  own,
  received_at: requested_at,
});
