// Counts the people who were contacted for the first time on a day, and compares them with the limit of that moment.
import assert from 'node:assert/strict';
import { no_rules, windowOf } from './rules.ts';
import type { Tenant } from './tenant.ts';
import type { World } from './world.ts';

/** Only what is certain: the first request to a recipient from whom nothing was received before, while the limit was in force. */
export function judgeNewRecipients(world: World, { organization_id }: Tenant): void {
  const { heard } = world.rulesOf(organization_id);
  const asked = new Set<string>();
  const new_ones = new Map<string, { max: number; count: number }>();
  // What waits is counted when it is handed over. By then another request may have contacted the person.
  const counted = [...world.requests]
    .filter(([, request]) => request.organization_id === organization_id && !request.is_refused)
    .map(([tag, request]) => {
      const handed = world.recorder.handed.find((each) => each.tag === tag);
      return { request, handed, counted_ms: (request.was_held && handed?.at_ms) || request.created_ms };
    })
    .sort((a, b) => a.counted_ms - b.counted_ms);
  for (const { request, handed, counted_ms } of counted) {
    const { organizations } = (request.was_held && handed ? handed : request).book;
    const { new_recipients_per_day: max, new_limit_since_ms: since_ms } =
      organizations[organization_id] ?? no_rules;
    for (const recipient of request.recipients) {
      if (asked.has(recipient)) continue;
      asked.add(recipient);
      if (!handed || request.record_id === null) continue;
      if (max === null || counted_ms <= since_ms) continue;
      if (heard.some(({ from, at_ms }) => from === recipient && at_ms <= counted_ms)) continue;
      const key = `${request.channel} on day ${windowOf('day', counted_ms)} since ${since_ms}`;
      const { count } = new_ones.get(key) ?? { count: 0 };
      new_ones.set(key, { max, count: count + 1 });
    }
  }
  for (const [key, { max, count }] of new_ones)
    assert.ok(count <= max, `${count} new recipients of ${key}, but the limit was ${max}`);
}
