// When a subscription is disabled for failing, without a database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterResults } from './failure-streak.ts';

const dead = (count: number) => Array.from({ length: count }, () => 'dead' as const);
const wide = (dead_streak: number) => ({ dead_streak, is_organization_wide: true });

test('the fiftieth dead delivery in a row disables the subscription, the forty-ninth does not', () => {
  assert.deepEqual(afterResults(wide(0), dead(49)), { dead_streak: 49, disable: false });
  assert.deepEqual(afterResults(wide(49), dead(1)), { dead_streak: 50, disable: true });
  assert.deepEqual(afterResults(wide(0), dead(50)), { dead_streak: 50, disable: true });
});

test('one delivered delivery resets the streak', () => {
  assert.deepEqual(afterResults(wide(49), ['delivered']), { dead_streak: 0, disable: false });
  assert.deepEqual(afterResults(wide(30), ['dead', 'delivered', ...dead(49)]), {
    dead_streak: 49,
    disable: false,
  });
});

test('fifty in a row disable the subscription even when a success follows in the same batch', () => {
  assert.deepEqual(afterResults(wide(49), ['dead', 'delivered']), { dead_streak: 0, disable: true });
});

test('a subscription to one email domain is never disabled', () => {
  const narrow = { dead_streak: 0, is_organization_wide: false };
  assert.deepEqual(afterResults(narrow, dead(500)), { dead_streak: 500, disable: false });
});
