// When a subscription is switched off for failing, without a database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterEnds } from './failure-streak.ts';

const dead = (count: number) => Array.from({ length: count }, () => 'dead' as const);
const wide = (dead_streak: number) => ({ dead_streak, is_organization_wide: true });

test('the fiftieth dead delivery in a row switches the subscription off, the forty-ninth does not', () => {
  assert.deepEqual(afterEnds(wide(0), dead(49)), { dead_streak: 49, disable: false });
  assert.deepEqual(afterEnds(wide(49), dead(1)), { dead_streak: 50, disable: true });
  assert.deepEqual(afterEnds(wide(0), dead(50)), { dead_streak: 50, disable: true });
});

test('one delivered delivery clears the streak', () => {
  assert.deepEqual(afterEnds(wide(49), ['delivered']), { dead_streak: 0, disable: false });
  assert.deepEqual(afterEnds(wide(30), ['dead', 'delivered', ...dead(49)]), {
    dead_streak: 49,
    disable: false,
  });
});

test('fifty in a row count even when a success follows in the same breath', () => {
  assert.deepEqual(afterEnds(wide(49), ['dead', 'delivered']), { dead_streak: 0, disable: true });
});

test('a subscription narrowed to an email domain is never switched off', () => {
  const narrow = { dead_streak: 0, is_organization_wide: false };
  assert.deepEqual(afterEnds(narrow, dead(500)), { dead_streak: 500, disable: false });
});
