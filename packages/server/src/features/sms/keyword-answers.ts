// Applies the opt-out keywords STOP, START and HELP, and answers them where the carrier does not.
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { Ids } from '../../platform/ids.ts';
import { insert, type UnitOfWork } from '../../platform/unit-of-work/unit-of-work.ts';
import type { GuardedCarriers } from '../admission/index.ts';
import type { ConsentRevocations } from '../consents/index.ts';
import type { ConversationStore } from './conversation-store.ts';
import { type OptOutKeyword, optOutKeyword } from './opt-out-keywords.ts';
import { replyTo } from './reply-row.ts';
import { type SmsRow, sms_messages } from './sms-record-store.ts';
import type { SuppressionStore } from './suppression-store.ts';

export type KeywordDeps = {
  unitOfWork: UnitOfWork;
  conversations: ConversationStore;
  suppressions: SuppressionStore;
  revocations: Pick<ConsentRevocations, 'revoke' | 'lift' | 'suspect'>;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
  /** How many automatic texts a conversation may have within a day. */
  automatic_replies: number;
};

/** At most one answer to STOP or HELP, and one to START, in this time: two machines must not text each other in a loop. */
const answer_pause_ms = 300_000;
const day_ms = 86_400_000;

const answers: Record<OptOutKeyword, string> = {
  stop: 'You will get no more texts from this number. Reply START to get them again.',
  start: 'You will get texts from this number again. Reply STOP to stop them.',
  help: 'This is an automated service. Reply STOP to get no more texts from this number.',
};

/** Returns the keyword that was applied; null when the text is an ordinary one, for people and agents. */
export async function applyKeyword(
  deps: KeywordDeps,
  tx: Transaction,
  inbound: SmsRow,
): Promise<OptOutKeyword | null> {
  const keyword = optOutKeyword(inbound.body);
  if (keyword === null) return null;
  const has_effect = await effects[keyword](deps, tx, inbound);
  // No suppression to lift: "yes" was the answer to a question.
  if (keyword === 'start' && !has_effect) return null;
  if (has_effect && canAnswer(deps, inbound) && !(await wasAnswered(deps, tx, inbound, keyword))) {
    const row = answerRow(inbound, deps.ids.next(), answers[keyword]);
    await deps.unitOfWork.commitIn(tx, [{ record: insert(sms_messages, row) }]);
  }
  return keyword;
}

type Effect = (deps: KeywordDeps, tx: Transaction, inbound: SmsRow) => Promise<boolean>;

/** Each returns whether an answer is due. */
const effects: Record<OptOutKeyword, Effect> = {
  // Only the first STOP is confirmed: the law allows one confirmation.
  async stop({ suppressions, revocations, ids }, tx, { id: item_id, organization_id, from, requested_at }) {
    const is_first = await suppressions.add(tx, {
      id: ids.next(),
      organization_id,
      recipient: from,
      channel: 'sms',
      reason: 'opt_out',
      source: 'keyword',
      created_at: requested_at,
    });
    const revoked_by = { kind: 'keyword', item_id } as const;
    await revocations.revoke(tx, { organization_id, recipient: from, channel: 'sms', revoked_by });
    return is_first;
  },
  // Calls only as far as STOP stopped them, not what the person said in a call.
  async start({ suppressions, revocations }, tx, { organization_id, from }) {
    if (!(await suppressions.lift(tx, organization_id, from))) return false;
    await revocations.lift(tx, organization_id, from, ['sms']);
    await revocations.lift(tx, organization_id, from, ['call'], 'keyword');
    return true;
  },
  async help({ conversations, clock, automatic_replies }, tx, { organization_id, conversation_id }) {
    const since = new Date(clock.ms() - day_ms);
    return (
      (await conversations.automaticSince(organization_id, conversation_id, since, tx)) < automatic_replies
    );
  },
};

function canAnswer({ carriers }: KeywordDeps, { from, provider }: SmsRow): boolean {
  return from.startsWith('+') && carriers.byName(provider)?.capabilities.answers_opt_out_keywords === false;
}

function wasAnswered(
  { conversations, clock }: KeywordDeps,
  tx: Transaction,
  { organization_id, conversation_id }: SmsRow,
  keyword: OptOutKeyword,
): Promise<boolean> {
  // START has its own limit: a person who stopped by mistake learns that texts will arrive again.
  const bodies = keyword === 'start' ? [answers.start] : [answers.stop, answers.help];
  const since = new Date(clock.ms() - answer_pause_ms);
  return conversations.wasKeywordAnswered(tx, organization_id, { conversation_id, bodies, since });
}

const answerRow = (inbound: SmsRow, id: string, body: string): SmsRow => ({
  ...inbound,
  ...replyTo(inbound, { id, body, origin: 'keyword' }),
  next_attempt_at: inbound.requested_at,
});
