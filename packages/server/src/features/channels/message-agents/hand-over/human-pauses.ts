// Pauses the agent of a conversation when a member or program answers in it, with the console or the API.
import type { Clock } from '../../../../platform/clock.ts';
import type { EmailRecord, ProjectedRecord, Projection, SmsRecord } from '../../../inbox/projector/index.ts';
import type { ReplyStore } from '../replies/reply-store.ts';

const day_ms = 86_400_000;
/** The longest pause that an agent can have. */
const longest_pause_ms = 7 * day_ms;

type Message = EmailRecord | SmsRecord;

const isByHand = (record: ProjectedRecord): record is Message =>
  (record.noun === 'email' || (record.noun === 'sms' && record.origin === 'api')) &&
  record.direction === 'outbound' &&
  !('agent_id' in record.metadata);

/** Runs after the projection of conversations, which adds the message to its conversation. */
export const humanPauses = ({ replies, clock }: { replies: ReplyStore; clock: Clock }): Projection => ({
  name: 'agent_pauses',
  nouns: ['sms', 'email'],
  async project(tx, { records }) {
    const now = clock.ms();
    const written = records
      .filter(isByHand)
      .filter(({ requested_at }) => Date.parse(requested_at) > now - longest_pause_ms);
    if (written.length === 0) return;
    const ids = (noun: string) => written.filter((record) => record.noun === noun).map(({ id }) => id);
    const since = new Date(now - day_ms);
    if (ids('sms').length > 0) await replies.pauseAfterTexts(tx, ids('sms'), since);
    if (ids('email').length > 0) await replies.pauseAfterEmails(tx, ids('email'), since);
  },
});
