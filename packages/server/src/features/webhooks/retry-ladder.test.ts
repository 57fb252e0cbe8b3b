// What becomes of a delivery after an attempt, without a database or a network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookLadderSeconds } from '@parley/contract/webhooks';
import { afterAttempt, dueAt, ladder_start, type Standing } from './retry-ladder.ts';

const t0 = Date.parse('2026-06-06T12:00:00.000Z');
const fresh: Standing = {
  status: 'pending',
  ladder_left: ladder_start,
  first_attempt_at: null,
  is_manual: false,
};

/** Fails again and again, each time a little late; returns when each attempt was due. */
function failUntilDead() {
  const offsets: number[] = [];
  let standing = fresh;
  for (let due = t0; ; ) {
    offsets.push((due - t0) / 1000);
    const outcome = afterAttempt(standing, {
      ok: false,
      attempted_at: offsets.length === 1 ? t0 : due + 777,
    });
    standing = { ...standing, ...outcome };
    if (outcome.due_at === null) return { offsets, outcome };
    due = outcome.due_at;
  }
}

test('seven attempts are due at 0 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h after the first, however late each was', () => {
  const { offsets, outcome } = failUntilDead();
  assert.deepEqual(offsets, [0, 30, 120, 600, 3600, 21_600, 86_400]);
  assert.deepEqual(offsets, [...webhookLadderSeconds]);
  assert.deepEqual([outcome.status, outcome.died, outcome.ladder_left], ['dead', true, 0]);
});

test('a success on any attempt is the end of it', () => {
  for (let ladder_left = 7; ladder_left >= 1; ladder_left--) {
    const before = { ...fresh, ladder_left, first_attempt_at: ladder_left === 7 ? null : t0 };
    const outcome = afterAttempt(before, { ok: true, attempted_at: t0 + 1 });
    assert.deepEqual([outcome.status, outcome.due_at, outcome.died], ['delivered', null, false]);
  }
});

test('a failed attempt by hand leaves the ladder of a pending delivery as it was', () => {
  const before = { ...fresh, ladder_left: 4, first_attempt_at: t0, is_manual: true };
  const outcome = afterAttempt(before, { ok: false, attempted_at: t0 + 700_000 });
  assert.deepEqual(outcome, {
    status: 'pending',
    ladder_left: 4,
    first_attempt_at: t0,
    due_at: dueAt(t0, 4),
    died: false,
  });
  assert.equal(dueAt(t0, 4), t0 + 600_000);
});

test('a failed attempt by hand of a delivery that was never tried leaves its first attempt due at once', () => {
  const outcome = afterAttempt({ ...fresh, is_manual: true }, { ok: false, attempted_at: t0 });
  assert.deepEqual([outcome.status, outcome.ladder_left, outcome.first_attempt_at], ['pending', 7, null]);
  assert.equal(outcome.due_at, t0);
});

test('a dead delivery that fails again by hand is dead again, and it counts no second time', () => {
  const before: Standing = { status: 'pending', ladder_left: 0, first_attempt_at: t0, is_manual: true };
  const outcome = afterAttempt(before, { ok: false, attempted_at: t0 });
  assert.deepEqual([outcome.status, outcome.due_at, outcome.died], ['dead', null, false]);
});

test('a delivered delivery stays delivered whatever a copy of it meets', () => {
  const before: Standing = { status: 'delivered', ladder_left: 6, first_attempt_at: t0, is_manual: true };
  for (const ok of [true, false]) {
    const outcome = afterAttempt(before, { ok, attempted_at: t0 + 9000 });
    assert.deepEqual([outcome.status, outcome.due_at, outcome.died], ['delivered', null, false]);
  }
});
