// The table of texts: its columns, and the conditions under which a text may be stored.
import { type Sms, smsLifecycle } from '@parley/contract/channels/sms/sms';
import { sql } from '../../../../platform/db/sql.ts';
import { table } from '../../../../platform/db/table.ts';
import { check } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { SendingTerms } from '../../../rules/admission/index.ts';

/** The columns of a text as the API shows it. */
export const columns = sql`id, organization_id, conversation_id, direction, "from", "to", body, status, error_code,
  segments, encoding, provider, provider_message_id, iso(requested_at) as requested_at, iso(sent_at) as sent_at,
  iso(delivered_at) as delivered_at, iso(failed_at) as failed_at,
  iso(content_erased_at) as content_erased_at, hold,
  iso(scheduled_at) as scheduled_at, metadata, coalesce(labels, '{}') as labels`;

/** A text with its internal columns. */
export type SmsRow = Sms & {
  origin: 'api' | 'agent' | 'keyword' | 'carrier';
  /** The inbound text that this one answers; a text is answered once. */
  answers_id: string | null;
  is_shared_sender: boolean;
  /** The receive rule that blocked it. Agents, conversations and waits do not get the text. */
  blocked_by?: string | null;
  next_attempt_at: string | null;
  attempts: number;
  claims: number;
  handed_at: string | null;
  /** The admission decision at the hand-over, as JSON; null before it. */
  admission: string | null;
  /** What the rules need at the hand-over; null for the defaults. */
  terms: SendingTerms | null;
};

const record_columns = {
  id: 'uuid',
  organization_id: 'uuid',
  conversation_id: 'uuid',
  direction: 'text',
  from: 'text',
  to: 'text',
  body: 'text',
  status: 'text',
  error_code: 'text',
  segments: 'int',
  encoding: 'text',
  provider: 'text',
  provider_message_id: 'text',
  requested_at: 'timestamptz',
  sent_at: 'timestamptz',
  delivered_at: 'timestamptz',
  failed_at: 'timestamptz',
  metadata: 'json',
  origin: 'text',
  answers_id: 'uuid',
  is_shared_sender: 'boolean',
  next_attempt_at: 'timestamptz',
  attempts: 'int',
  claims: 'int',
  handed_at: 'timestamptz',
  admission: 'text',
  hold: 'json',
  scheduled_at: 'timestamptz',
  terms: 'json',
} as const;

export const sms_messages = table<'sms_messages', SmsRow, typeof smsLifecycle>(
  'sms_messages',
  record_columns,
  {
    lifecycle: smsLifecycle,
    duplicates: 'rare',
    often_alike: [
      [
        'organization_id',
        'direction',
        'status',
        'error_code',
        'provider',
        'sent_at',
        'delivered_at',
        'failed_at',
        'metadata',
        'origin',
        'answers_id',
        'is_shared_sender',
        'attempts',
        'claims',
        'handed_at',
        'admission',
        'hold',
        'scheduled_at',
        'terms',
      ],
      ['from', 'provider_message_id'],
      ['segments', 'encoding'],
    ],
  },
);

/** With the columns that a receive rule sets. */
export const received_texts = table<'sms_messages', SmsRow, typeof smsLifecycle>(
  'sms_messages',
  { ...record_columns, labels: 'text[]', blocked_by: 'uuid' },
  { lifecycle: smsLifecycle, duplicates: 'rare' },
);

/** The carrier said that the number is not registered for texts; a state that is not known does not count. */
const is_unregistered = sql`coalesce(sms_registration ->> 'state', '') in ('missing', 'failed') as is_unregistered`;

/** For a row `asked` with organization_id and named: the custom sender id, the oldest number and the named number. */
export const sender_joins = sql`
  left join sms_sender_ids s on s.organization_id = asked.organization_id
  left join lateral (
    select e164, provider, ${is_unregistered} from numbers
     where organization_id = asked.organization_id and provisioning_state = 'active' and 'sms' = any(capabilities)
     order by id limit 1) own on true
  left join lateral (
    select e164, provider, ${is_unregistered} from numbers
     where organization_id = asked.organization_id and provisioning_state = 'active' and 'sms' = any(capabilities)
       and e164 = asked.named limit 1) named on true`;

/** The sender was chosen from cached facts, so the INSERT compares them with the current ones. */
export const senderUnchanged = check({
  refusal: 'sender_changed',
  columns: {
    organization_id: 'uuid',
    named: 'text',
    custom_sender_id: 'text',
    own_e164: 'text',
    named_e164: 'text',
    is_unregistered: 'boolean',
  },
  holds: sql`(
    select s.custom_sender_id is not distinct from asked.custom_sender_id
           and own.e164 is not distinct from asked.own_e164 and named.e164 is not distinct from asked.named_e164
           and coalesce(named.is_unregistered, own.is_unregistered, false) = asked.is_unregistered
      from (values (1)) one ${sender_joins})`,
});

/** No text slips past a STOP, not even one that is being stored while the STOP arrives. Erased people are stored as hashes. */
export const notSuppressed = check({
  refusal: 'suppressed',
  columns: { organization_id: 'uuid', recipient: 'text', recipient_hash: 'text' },
  holds: sql`not exists (
    select from sms_suppressions s
     where s.organization_id = asked.organization_id and s.channel = 'sms'
       and s.recipient in (asked.recipient, asked.recipient_hash))`,
});

/** The holder of the number was cached: the number must still be held, and must not have an agent now. */
export const numberUnchanged = check({
  refusal: 'number_changed',
  columns: { number_id: 'uuid' },
  holds: sql`exists (
    select from numbers n where n.id = asked.number_id and n.provisioning_state = 'active' and n.sms_agent_id is null)`,
});
