// Compares what budgets count with what was handed over: no more than allowed, nothing left out, and nothing twice.
import assert from 'node:assert/strict';
import { storedRecord } from './judge.ts';
import type { HandOver } from './recorder.ts';
import { prices, windowOf } from './rules.ts';
import type { Tenant } from './tenant.ts';
import { need, type World } from './world.ts';

/** One message or call, and when it may have been counted: at one moment, or at one of several. */
type Counted = {
  channel: HandOver['channel'];
  by: 'api_key' | 'agent' | 'other';
  moments_ms: readonly number[];
  is_certain: boolean;
  /** What it costs at least, and what may be reserved for it. */
  micros: { least: number; most: number };
  /** Calls: when it was created and when it was dialed. */
  dialed: { created_ms: number; at_ms: readonly number[] } | null;
};

type Shown = {
  id: string;
  subject: { kind: 'organization' | 'api_key' | 'agent' };
  channel: HandOver['channel'] | 'all';
  window: 'hour' | 'day';
  max_count: number | null;
  used_count: number;
  max_amount_micros: number | null;
  used_micros: number;
  created_at: string;
};

export async function judgeBudgets(
  world: World,
  tenant: Tenant,
  { is_exact }: { is_exact: boolean },
): Promise<void> {
  const { items } = await need<{ items: Shown[] }>(tenant.person('GET', '/v1/budgets'));
  if (items.length === 0) return;
  const counted = await countedOf(world, tenant);
  for (const budget of items) {
    const { subject, channel, window, used_count } = budget;
    const max_count = budget.max_count ?? Number.POSITIVE_INFINITY;
    const now = windowOf(window, world.clock.ms());
    const created_ms = Date.parse(budget.created_at);
    const own = counted.filter(
      (each) =>
        (channel === 'all' || each.channel === channel) &&
        (subject.kind === 'organization' || each.by === subject.kind),
    );
    const isIn = (at_ms: number) => windowOf(window, at_ms) === now && at_ms > created_ms;
    const certain_ones = own.filter((each) => each.is_certain && each.moments_ms.every(isIn));
    // One of the moment at which the budget was set may be counted or not.
    const mayBeIn = (at_ms: number) => windowOf(window, at_ms) === now && at_ms >= created_ms;
    const [certain, possible] = [
      certain_ones.length,
      own.filter(({ moments_ms }) => moments_ms.some(mayBeIn)).length,
    ];
    const about = `${JSON.stringify(budget)}: ${certain} to ${possible} were handed over`;
    // The money of a call belongs to the window in which it was dialed.
    const may_cost = own.filter(({ moments_ms, dialed }) =>
      [...moments_ms, ...(dialed?.at_ms ?? [])].some(mayBeIn),
    );
    judgeMoney(budget, { certain: certain_ones, possible: may_cost, about, is_exact });
    assert.ok(used_count <= max_count && certain <= max_count, `exceeded: ${about}`);
    assert.ok(certain <= used_count, `not counted: ${about}`);
    // A process that crashes between counting and sending leaves it counted.
    if (is_exact) assert.ok(used_count <= possible, `counted twice: ${about}`);
  }
}

type Judged = { certain: readonly Counted[]; possible: readonly Counted[]; about: string; is_exact: boolean };

function judgeMoney(budget: Shown, { certain, possible, about, is_exact }: Judged): void {
  const { used_micros, max_amount_micros } = budget;
  const sum = (ones: readonly Counted[], which: 'least' | 'most') =>
    ones.reduce((micros, each) => micros + each.micros[which], 0);
  const max_micros = max_amount_micros ?? Number.POSITIVE_INFINITY;
  assert.ok(used_micros <= max_micros && sum(certain, 'least') <= max_micros, `money exceeded: ${about}`);
  assert.ok(sum(certain, 'least') <= used_micros, `money not counted: ${about}`);
  if (is_exact) assert.ok(used_micros <= sum(possible, 'most'), `money counted twice: ${about}`);
  for (const { dialed } of certain) {
    if (!dialed || dialed.created_ms <= Date.parse(budget.created_at)) continue;
    const [first_ms = 0] = dialed.at_ms;
    const before = certain.filter(({ moments_ms }) => moments_ms.every((at_ms) => at_ms < first_ms));
    const needed = sum(before, 'least') + prices.call_minute;
    assert.ok(needed <= max_micros, `a call was dialed that the budget does not pay: ${about}`);
  }
}

const noMoney = { least: 0, most: 0 };
const costOf = (channel: HandOver['channel'], segments: number): Counted['micros'] => {
  if (channel === 'emails') return noMoney;
  // A call that was not answered costs nothing, but a minute is reserved until it ends.
  if (channel === 'calls') return { least: 0, most: prices.call_minute };
  return { least: segments * prices.sms_segment, most: segments * prices.sms_segment };
};

async function countedOf(world: World, { organization_id }: Tenant): Promise<Counted[]> {
  const attempts = Map.groupBy(world.recorder.handed, ({ record_id }) => record_id);
  const counted: Counted[] = [];
  const seen = new Set<string>();
  for (const [record_id, handed] of attempts) {
    const [first] = handed as [HandOver];
    const stored = await storedRecord(world.db, first);
    if (stored?.organization_id !== organization_id || stored.origin === 'keyword') continue;
    seen.add(record_id);
    const { channel, tag } = first;
    const request = tag === null ? undefined : world.requests.get(tag);
    const was_held = request?.was_held ?? stored.was_released;
    const at = [...new Set(handed.map(({ at_ms }) => at_ms))];
    const is_at_create = !was_held && stored.origin !== 'forward';
    const moments_ms = is_at_create ? [stored.requested_at_ms] : channel === 'calls' ? at : [first.at_ms];
    const by = stored.origin === 'agent' ? 'agent' : request && !request.is_by_person ? 'api_key' : 'other';
    const dialed = channel === 'calls' ? { created_ms: stored.requested_at_ms, at_ms: at } : null;
    const micros = costOf(channel, stored.segments ?? 0);
    counted.push({ channel, by, moments_ms, is_certain: moments_ms.length === 1, micros, dialed });
  }
  for (const { record_id, channel, was_held, created_ms, ...request } of world.requests.values()) {
    if (request.organization_id !== organization_id || record_id === null || seen.has(record_id)) continue;
    const by = request.is_by_person ? 'other' : 'api_key';
    const micros = costOf(channel, 1);
    if (!was_held)
      counted.push({ channel, by, moments_ms: [created_ms], is_certain: false, micros, dialed: null });
  }
  return counted;
}
