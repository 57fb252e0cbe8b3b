// Counts recipients against the limits of an organization in the transaction that stores the record, which locks the counters:
// the limits hold exactly over any number of processes, and a crash leaves no count without a record.
import type { Channel } from '@parley/contract/access/admin';
import type { Clock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type KnownParties, partyOf } from '../known-parties/index.ts';
import type { PersonRef, RecipientLimitStore } from './store.ts';

const day_ms = 86_400_000;

export type RecipientLimits = {
  new_recipients_per_day: number | null;
  messages_per_person_per_day: number | null;
};
export type Counting = { organization_id: string; channel: Channel; recipients: readonly string[] };
/** What was counted, so that it can be taken back. */
export type Counted = { new_ones: readonly string[]; people: readonly PersonRef[]; day: string };

type Deps = {
  clock: Clock;
  store: RecipientLimitStore;
  known_parties: Pick<KnownParties, 'newOnes' | 'addCounted' | 'removeCounted'>;
};

const dayOf = (now: Date) => now.toISOString().slice(0, 10);

/** Throws 429 when a limit is reached. */
export async function countRecipients(
  deps: Deps,
  tx: Transaction,
  counting: Counting,
  limits: RecipientLimits,
): Promise<Counted> {
  const { organization_id, channel } = counting;
  const now = deps.clock.now();
  const day = dayOf(now);
  // First, because a batch counts several records: otherwise two of them could wait for each other's people.
  await deps.store.lockOrganization(tx, organization_id);
  const parties = [...new Set(counting.recipients.map(partyOf))].sort();
  const new_ones =
    limits.new_recipients_per_day === null
      ? []
      : await countNew(deps, tx, { ...counting, parties, day, now, max: limits.new_recipients_per_day });
  const max = limits.messages_per_person_per_day;
  if (max === null) return { new_ones, people: [], day };
  const people = parties.map((party) => ({ organization_id, channel, party, day }));
  for (const person of people) await countPerson(deps, tx, person, { max, now });
  return { new_ones, people, day };
}

/** For a record that was counted and waits after all. */
export async function uncountRecipients(
  { store, known_parties }: Deps,
  tx: Transaction,
  { organization_id, channel }: Counting,
  { new_ones, people, day }: Counted,
): Promise<void> {
  await store.lockOrganization(tx, organization_id);
  if (new_ones.length > 0) {
    await store.addNew(tx, { organization_id, channel, day }, -new_ones.length);
    await known_parties.removeCounted(tx, organization_id, new_ones);
  }
  for (const person of people) {
    const { used, last_at } = await store.lockPerson(tx, person, new Date(0));
    await store.setPerson(tx, person, Math.max(0, used - 1), last_at);
  }
}

type CountingNew = {
  organization_id: string;
  channel: Channel;
  parties: readonly string[];
  day: string;
  now: Date;
  max: number;
};

async function countNew(
  { store, known_parties }: Deps,
  tx: Transaction,
  counting: CountingNew,
): Promise<string[]> {
  const { organization_id, channel, parties, day, now, max } = counting;
  const new_ones = await known_parties.newOnes(tx, organization_id, parties);
  if (new_ones.length === 0) return [];
  const used = await store.addNew(tx, { organization_id, channel, day }, new_ones.length);
  if (used > max) throw capped('new_recipient_capped', now, `The limit is ${max} new recipients a day.`);
  const of_founder = (await store.usedByFounder(tx, { organization_id, channel, day })) ?? 0;
  if (of_founder > max) {
    const detail = `All organizations of the person who created this one may contact ${max} new recipients a day together.`;
    throw capped('new_recipient_capped', now, detail);
  }
  await known_parties.addCounted(tx, organization_id, new_ones, now);
  return new_ones;
}

async function countPerson(
  { store }: Deps,
  tx: Transaction,
  person: PersonRef,
  { max, now }: { max: number; now: Date },
): Promise<void> {
  const { organization_id, party } = person;
  const { used, last_at } = await store.lockPerson(tx, person, now);
  const is_heard = used > 0 && (await store.hasHeardFrom(tx, organization_id, party, last_at));
  const unanswered = is_heard ? 0 : used;
  if (unanswered >= max) {
    throw capped(
      'recipient_capped',
      now,
      `${party} got ${unanswered} today and did not answer; the limit is ${max}.`,
    );
  }
  await store.setPerson(tx, person, unanswered + 1, now);
}

const capped = (code: 'new_recipient_capped' | 'recipient_capped', now: Date, detail: string) =>
  new ApiError(code, { detail, retry_after_seconds: Math.ceil((day_ms - (now.getTime() % day_ms)) / 1000) });
