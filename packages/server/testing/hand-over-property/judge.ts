// Judges every hand-over by the rules of its moment, and that its record explains it.
import assert from 'node:assert/strict';
import { checkNames } from '@parley/contract/rules/admission-checks';
import type { Database } from '../../src/platform/db/database.ts';
import { sql } from '../../src/platform/db/sql.ts';
import type { HandOver } from './recorder.ts';
import { type Book, forbiddenBecause, type Sent } from './rules.ts';
import type { World } from './world.ts';

type Origin = Sent['origin'];
type Stored = {
  organization_id: string;
  origin: Origin;
  admission: string | null;
  /** Texts: what agents write has no number of a request. */
  body: string | null;
  /** Texts; null for others. */
  segments: number | null;
  requested_at_ms: number;
  was_released: boolean;
};

/** Null for mail of the service itself, which is not stored as an email. */
export function storedRecord(
  db: Database,
  { channel, record_id: id, tag }: HandOver,
): Promise<Stored | null> {
  const moment = sql`extract(epoch from requested_at)::float8 * 1000 as requested_at_ms`;
  if (channel === 'sms')
    return db.maybe(sql`
      select organization_id, origin, admission, body, segments, ${moment}, released_at is not null as was_released
        from sms_messages where id = ${id}`);
  if (channel === 'calls')
    return db.maybe(sql`
      select organization_id, 'api' as origin, admission, null as body, null::int as segments, ${moment}, released_at is not null as was_released
        from calls where id = ${id}`);
  if (tag !== null)
    return db.maybe(sql`
      select organization_id, 'api' as origin, admission, null as body, null::int as segments, ${moment}, released_at is not null as was_released
        from emails where id = ${id}`);
  return db.maybe(sql`
    select f.organization_id, 'forward' as origin, f.admission, null as body, null::int as segments,
           extract(epoch from f.forwarded_at)::float8 * 1000 as requested_at_ms, false as was_released
      from email_forwards f where email_id = ${id}`);
}

export function sentOf(world: World, handed: HandOver, stored: Stored | null): Sent {
  const { channel, recipients, at_ms, tag } = handed;
  const request = tag === null ? undefined : world.requests.get(tag);
  return {
    channel,
    recipients,
    at_ms,
    organization_id: stored?.organization_id ?? null,
    origin: stored?.origin ?? 'system',
    purpose: request?.purpose ?? 'conversational',
    batch_size: request?.batch_size ?? 1,
    is_by_person: request?.is_by_person ?? false,
    is_approved: request?.is_approved ?? world.approved_texts.has(stored?.body ?? ''),
  };
}

/** Every check, in the order in which they run, and none of them stopped it. */
function explain(handed: HandOver, { admission }: Stored): void {
  assert.ok(admission, `${handed.channel} ${handed.record_id} has no admission`);
  const { outcome, checks } = JSON.parse(admission) as {
    outcome: string;
    checks: { name: string; outcome: string }[];
  };
  const described = `${handed.channel} ${handed.record_id}: ${admission}`;
  assert.equal(outcome, 'allow', described);
  assert.deepEqual(
    checks.map(({ name }) => name),
    [...checkNames],
    described,
  );
  assert.ok(
    checks.every((check) => check.outcome === 'allow' || check.outcome === 'skip'),
    described,
  );
}

/** `also`: the rules before a change that was made at the same time. */
export async function judge(world: World, from: number, also: Book | null): Promise<void> {
  for (const handed of world.recorder.handed.slice(from)) {
    const stored = await storedRecord(world.db, handed);
    const sent = sentOf(world, handed, stored);
    const why = forbiddenBecause(handed.book, sent);
    const is_allowed = why === null || (also !== null && forbiddenBecause(also, sent) === null);
    assert.ok(is_allowed, `${why}, but was handed over: ${described(handed, sent)}`);
    // A later attempt may have been stopped by a rule, and its decision is stored instead.
    if (stored && handed.is_taken) explain(handed, stored);
  }
}

const described = ({ record_id }: HandOver, sent: Sent) =>
  JSON.stringify({ record_id, ...sent, at: new Date(sent.at_ms).toISOString() });

/** After a crash a forward may be sent a second time: the relay may not have it, and losing mail is worse. */
const most = (handed: HandOver) => (handed.channel === 'emails' && handed.tag === null ? 2 : 1);

export function requireOnce(world: World): void {
  const times = new Map<string, number>();
  for (const handed of world.recorder.handed) {
    if (!handed.is_taken || (handed.channel === 'emails' && handed.tag === null && handed.text !== ''))
      continue;
    const count = (times.get(handed.record_id) ?? 0) + 1;
    times.set(handed.record_id, count);
    assert.ok(count <= most(handed), `${handed.channel} ${handed.record_id} was handed over ${count} times`);
  }
}
