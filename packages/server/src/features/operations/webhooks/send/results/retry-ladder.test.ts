// The state of a delivery after each attempt, without a database or a network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookLadderSeconds } from '@parley/contract/operations/webhooks/webhooks';
import { afterAttempt, type DeliveryProgress, dueAt, ladder_start } from './retry-ladder.ts';

const t0 = Date.parse('2026-06-06T12:00:00.000Z');
const fresh: DeliveryProgress = {
  status: 'pending',
  ladder_left: ladder_start,
  first_attempt_at: null,
  is_manual: false,
};

/** Fails every attempt, each a little late; returns the times when the attempts were due. */
function failUntilDead() {
  const offsets: number[] = [];
  let progress = fresh;
  for (let due = t0; ; ) {
    offsets.push((due - t0) / 1000);
    const outcome = afterAttempt(progress, {
      ok: false,
      attempted_at: offsets.length === 1 ? t0 : due + 777,
    });
    progress = { ...progress, ...outcome };
    if (outcome.due_at === null) return { offsets, outcome };
    due = outcome.due_at;
  }
}

test('seven attempts are due at 0 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h after the first, however late each was', () => {
  const { offsets, outcome } = failUntilDead();
  assert.deepEqual(offsets, [0, 30, 120, 600, 3600, 21_600, 86_400]);
  assert.deepEqual(offsets, [...webhookLadderSeconds]);
  assert.deepEqual([outcome.status, outcome.is_exhausted, outcome.ladder_left], ['dead', true, 0]);
});

test('after a long stop the attempts that are left do not follow each other at once', () => {
  let progress: DeliveryProgress = { ...fresh, ladder_left: 6, first_attempt_at: t0 };
  let at = t0 + 2 * 86_400_000;
  const pauses_s: number[] = [];
  for (;;) {
    const outcome = afterAttempt(progress, { ok: false, attempted_at: at });
    if (outcome.due_at === null) break;
    pauses_s.push((outcome.due_at - at) / 1000);
    at = outcome.due_at;
    progress = { ...progress, ...outcome };
  }
  assert.deepEqual(pauses_s, [45, 240, 1500, 9000, 32_400]);
});

test('a success on any attempt ends the retries', () => {
  for (let ladder_left = 7; ladder_left >= 1; ladder_left--) {
    const before = { ...fresh, ladder_left, first_attempt_at: ladder_left === 7 ? null : t0 };
    const outcome = afterAttempt(before, { ok: true, attempted_at: t0 + 1 });
    assert.deepEqual([outcome.status, outcome.due_at, outcome.is_exhausted], ['delivered', null, false]);
  }
});

test('a failed manual attempt does not change the retry schedule of a pending delivery', () => {
  const before = { ...fresh, ladder_left: 4, first_attempt_at: t0, is_manual: true };
  const outcome = afterAttempt(before, { ok: false, attempted_at: t0 + 700_000 });
  assert.deepEqual(outcome, {
    status: 'pending',
    ladder_left: 4,
    first_attempt_at: t0,
    due_at: dueAt(t0, 4),
    is_exhausted: false,
  });
  assert.equal(dueAt(t0, 4), t0 + 600_000);
});

test('a failed manual attempt of a delivery that was never tried leaves its first attempt due immediately', () => {
  const outcome = afterAttempt({ ...fresh, is_manual: true }, { ok: false, attempted_at: t0 });
  assert.deepEqual([outcome.status, outcome.ladder_left, outcome.first_attempt_at], ['pending', 7, null]);
  assert.equal(outcome.due_at, t0);
});

test('a dead delivery whose manual attempt fails is dead again, and does not count a second time', () => {
  const before: DeliveryProgress = {
    status: 'pending',
    ladder_left: 0,
    first_attempt_at: t0,
    is_manual: true,
  };
  const outcome = afterAttempt(before, { ok: false, attempted_at: t0 });
  assert.deepEqual([outcome.status, outcome.due_at, outcome.is_exhausted], ['dead', null, false]);
});

test('a delivered delivery stays delivered, whether a redelivery succeeds or fails', () => {
  const before: DeliveryProgress = {
    status: 'delivered',
    ladder_left: 6,
    first_attempt_at: t0,
    is_manual: true,
  };
  for (const ok of [true, false]) {
    const outcome = afterAttempt(before, { ok, attempted_at: t0 + 9000 });
    assert.deepEqual([outcome.status, outcome.due_at, outcome.is_exhausted], ['delivered', null, false]);
  }
});
