// Compares what budgets count with what was handed over: no more than allowed, nothing left out, and nothing twice.
import assert from 'node:assert/strict';
import { storedRecord } from './judge.ts';
import type { HandOver } from './recorder.ts';
import { windowOf } from './rules.ts';
import type { Tenant } from './tenant.ts';
import { need, type World } from './world.ts';

/** One message or call, and when it may have been counted: at one moment, or at one of several. */
type Counted = { channel: HandOver['channel']; moments_ms: readonly number[]; is_certain: boolean };

type Shown = {
  id: string;
  channel: HandOver['channel'] | 'all';
  window: 'hour' | 'day';
  max_count: number;
  used_count: number;
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
    const { channel, window, max_count, used_count } = budget;
    const now = windowOf(window, world.clock.ms());
    const created_ms = Date.parse(budget.created_at);
    const own = counted.filter((each) => channel === 'all' || each.channel === channel);
    const isIn = (at_ms: number) => windowOf(window, at_ms) === now && at_ms > created_ms;
    const certain = own.filter((each) => each.is_certain && each.moments_ms.every(isIn)).length;
    // One of the moment at which the budget was set may be counted or not.
    const possible = own.filter((each) =>
      each.moments_ms.some((at_ms) => windowOf(window, at_ms) === now && at_ms >= created_ms),
    ).length;
    const about = `${JSON.stringify(budget)}: ${certain} to ${possible} were handed over`;
    assert.ok(used_count <= max_count && certain <= max_count, `exceeded: ${about}`);
    assert.ok(certain <= used_count, `not counted: ${about}`);
    // A process that crashes between counting and sending leaves it counted.
    if (is_exact) assert.ok(used_count <= possible, `counted twice: ${about}`);
  }
}

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
    counted.push({ channel, moments_ms, is_certain: moments_ms.length === 1 });
  }
  for (const { record_id, channel, was_held, created_ms, ...request } of world.requests.values()) {
    if (request.organization_id !== organization_id || record_id === null || seen.has(record_id)) continue;
    if (!was_held) counted.push({ channel, moments_ms: [created_ms], is_certain: false });
  }
  return counted;
}
