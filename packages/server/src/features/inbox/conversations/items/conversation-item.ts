// What a conversation needs to know of an email, a text or a call.
import { addressKey } from '@parley/contract/schema/mailbox';
import { namedId } from '../../../../platform/ids.ts';
import { isProven } from '../../../access/sender-proof/index.ts';
import type { CallRecord, EmailRecord, SmsRecord } from '../../projector/index.ts';

export type ItemRecord = EmailRecord | SmsRecord | CallRecord;

export type Person = {
  /** The number, or the address in the form in which addresses are compared. */
  party: string;
  channel: 'email' | 'phone';
  address: string;
  name: string | null;
};

export type Item = {
  organization_id: string;
  id: string;
  noun: 'email' | 'sms' | 'call';
  thread_id: string;
  direction: 'inbound' | 'outbound';
  at: string;
  is_automatic: boolean;
  /** Other people than the organization. */
  people: Person[];
  own: Person[];
  subject: string | null;
  preview: string;
  /** Nothing proves that it is of the person whom it names as its sender. */
  is_unproven: boolean;
};

const preview_chars = 200;
const previewOf = (text: string) =>
  text
    .slice(0, preview_chars * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, preview_chars);

const phone = (number: string): Person => ({ party: number, channel: 'phone', address: number, name: null });
const mailbox = (address: string, name: string | null = null): Person => ({
  party: addressKey(address),
  channel: 'email',
  address,
  name,
});

/** `isOwn`: whether an address belongs to the organization. `isAnswer`: whether it answers an email of the organization. */
export function itemOf(
  record: ItemRecord,
  { isOwn, isAnswer }: { isOwn(address: string): boolean; isAnswer: boolean },
): Item {
  const common = {
    organization_id: record.organization_id,
    id: record.id,
    noun: record.noun,
    thread_id: record.thread_id,
    direction: record.direction,
    at: (record.noun === 'email' && record.released_at) || record.requested_at,
    preview: previewOf(record.text),
    subject: null,
    is_automatic: false,
    is_unproven: false,
  };
  if (record.noun === 'email') return { ...common, ...emailFields(record, isOwn, isAnswer) };
  const [ours, theirs] = record.direction === 'inbound' ? [record.to, record.from] : [record.from, record.to];
  return {
    ...common,
    is_automatic: record.noun === 'sms' && record.origin === 'keyword',
    people: theirs ? [phone(theirs)] : [],
    own: ours ? [phone(ours)] : [],
  };
}

function emailFields(email: EmailRecord, isOwn: (address: string) => boolean, isAnswer: boolean) {
  const inbound = email.direction === 'inbound';
  const recipients = [...email.to_addresses, ...email.cc_addresses, ...email.bcc_addresses];
  const sender = mailbox(email.from_address, email.from_name);
  const others = distinct(recipients.map((address) => mailbox(address)));
  const isMine = ({ address }: Person) => isOwn(address);
  return {
    subject: email.subject,
    preview: previewOf(email.text) || previewOf(email.subject),
    is_automatic: email.is_auto_reply,
    is_unproven: inbound && !isProven(email) && !isAnswer,
    people: distinct([...(inbound ? [sender] : []), ...others.filter((each) => !isMine(each))]),
    own: distinct([...(inbound ? [] : [sender]), ...others.filter(isMine)]),
  };
}

const distinct = (people: Person[]): Person[] =>
  [...new Map(people.toReversed().map((person) => [person.party, person])).values()].toReversed();

export const personConversationId = (organization_id: string, party: string) =>
  namedId(organization_id, 'person', party);

export const forgedConversationId = (organization_id: string, item_id: string) =>
  namedId(organization_id, 'forged', item_id);
