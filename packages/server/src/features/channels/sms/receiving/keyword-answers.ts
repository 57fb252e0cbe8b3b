// Applies the opt-out keywords STOP, START and HELP, and answers them where the carrier does not.
import type { Clock } from '../../../../platform/clock.ts';
import type { Transaction } from '../../../../platform/db/database.ts';
import type { Ids } from '../../../../platform/ids.ts';
import { insert, type UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { GuardedCarriers } from '../../../rules/admission/index.ts';
import type { ConsentRevocations } from '../../../rules/consents/index.ts';
import { type SmsRow, sms_messages } from '../sending/sms-record-store.ts';
import type { SuppressionStore } from '../suppression-store.ts';
import type { ConversationStore } from './conversation-store.ts';
import { answersTo, type OptOutKeyword, optOutKeyword, optOutLanguage } from './opt-out-keywords.ts';
import { opt_out_words } from './opt-out-words.ts';
import { replyTo } from './reply-row.ts';

export type KeywordDeps = {
  unitOfWork: UnitOfWork;
  conversations: ConversationStore;
  suppressions: SuppressionStore;
  revocations: Pick<ConsentRevocations, 'revoke' | 'lift' | 'suspect'>;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
};

/**
 * How often a conversation gets each answer: two machines must not text each other in a loop. One does not count against
 * another: who stopped by mistake, or asks for help after STOP, is answered at once.
 */
const answer_limits: Record<OptOutKeyword, { within_ms: number; max: number }> = {
  stop: { within_ms: 300_000, max: 1 },
  start: { within_ms: 300_000, max: 1 },
  // Carriers demand an answer to each HELP, whatever else was answered before.
  help: { within_ms: 86_400_000, max: 5 },
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
  const language = optOutLanguage(inbound.body, inbound.from);
  if (has_effect && canAnswer(deps, inbound, language) && (await isWithinLimit(deps, tx, inbound, keyword))) {
    const row = answerRow(inbound, deps.ids.next(), opt_out_words[language].answers[keyword]);
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
  help: async () => true,
};

function canAnswer({ carriers }: KeywordDeps, { from, provider }: SmsRow, language: string): boolean {
  const carrier = carriers.byName(provider);
  if (!from.startsWith('+') || !carrier) return false;
  // Carriers that answer know the English words only.
  return language !== 'en' || !carrier.capabilities.answers_opt_out_keywords;
}

async function isWithinLimit(
  { conversations, clock }: KeywordDeps,
  tx: Transaction,
  { organization_id, conversation_id }: SmsRow,
  keyword: OptOutKeyword,
): Promise<boolean> {
  const { within_ms, max } = answer_limits[keyword];
  const since = new Date(clock.ms() - within_ms);
  const query = { conversation_id, bodies: answersTo(keyword), since };
  return (await conversations.keywordAnswers(tx, organization_id, query)) < max;
}

const answerRow = (inbound: SmsRow, id: string, body: string): SmsRow => ({
  ...inbound,
  ...replyTo(inbound, { id, body, origin: 'keyword' }),
  next_attempt_at: inbound.requested_at,
});
