// Random sequences of rules, sends, decisions, refusals, kill switches, clock steps and crashes: nothing is handed to a provider
// that the rules of that moment forbid, and every record that was handed over explains why it was allowed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { perform } from '../../../../testing/hand-over-property/actions.ts';
import { judgeBudgets } from '../../../../testing/hand-over-property/budgets.ts';
import { refusedInCall } from '../../../../testing/hand-over-property/changes.ts';
import { judge, requireOnce, storedRecord } from '../../../../testing/hand-over-property/judge.ts';
import { judgeNewRecipients } from '../../../../testing/hand-over-property/new-recipients.ts';
import { type Send, type Step, sequence } from '../../../../testing/hand-over-property/steps.ts';
import { newTenant } from '../../../../testing/hand-over-property/tenant.ts';
import { startWorld } from '../../../../testing/hand-over-property/world.ts';
import { test_seed } from '../../../../testing/random.ts';

/** For a long run, set HAND_OVER_SEQUENCES to a higher number. */
const numRuns = Number(process.env.HAND_OVER_SEQUENCES ?? 6);
const max_steps = 24;

const world = await startWorld(refusedInCall);

async function run(steps: readonly Step[]): Promise<void> {
  world.recorder.mood = 'works';
  for (const channel of ['calls', 'emails', 'sms'] as const) {
    await world.operator('PATCH', '/v1/admin/kill-switch', { [channel]: false });
    world.setStopped(channel, false);
  }
  const tenant = await newTenant(world);
  let has_crashed = false;
  for (const step of steps) {
    const [before, book, stopped_calls] = [
      world.recorder.handed.length,
      world.recorder.book,
      world.stopped_calls,
    ];
    await perform(world, tenant, step);
    await world.advance(1);
    // What was admitted just before the rules changed may be handed over just after.
    const may_overlap = step.kind === 'race' || world.stopped_calls > stopped_calls;
    await judge(world, before, may_overlap ? book : null);
    if (step.kind === 'crash') has_crashed = true;
    await judgeBudgets(world, tenant, { is_exact: !has_crashed });
  }
  requireOnce(world);
  judgeNewRecipients(world, tenant);
}

test('what no rule forbids is handed over, on every channel and from every origin', async () => {
  const send: Send = {
    kind: 'send',
    channel: 'sms',
    to: [0],
    purpose: 'conversational',
    is_by_person: false,
    in_seconds: null,
  };
  const first = world.recorder.handed.length;
  const { purpose } = send;
  const hold_all = { name: 'All', subjects: [{ kind: 'any' }], when: ['always'], then: 'hold' } as const;
  await run([
    send,
    { ...send, channel: 'calls' },
    { ...send, channel: 'emails', to: [0, 1] },
    { ...send, to: [1], in_seconds: 60 },
    { kind: 'batch', to: [0, 1], purpose, in_seconds: null },
    { kind: 'reply', from: 1 },
    { kind: 'forward', to: 2 },
    { kind: 'text_in', from: 2 },
    { kind: 'stop_text', from: 3 },
    { kind: 'stop_call', to: 2 },
    { ...send, to: [2] },
    { kind: 'clock', seconds: 100 },
    { kind: 'policy', rules: [{ ...hold_all, channels: ['calls', 'emails', 'sms'] }] },
    { ...send, channel: 'calls' },
    { kind: 'decide', which: 0, is_approved: true },
  ]);
  const found: Record<string, number> = {};
  for (const handed of world.recorder.handed.slice(first)) {
    const origin = (await storedRecord(world.db, handed))?.origin ?? 'service';
    const kind = `${handed.channel} ${origin}`;
    found[kind] = (found[kind] ?? 0) + 1;
  }
  assert.deepEqual(found, {
    // The question whether the archive wants the copies.
    'emails service': 1,
    // None to the person who refused in a call.
    'sms api': 2,
    'calls api': 3,
    'emails api': 5,
    'emails forward': 2,
    'sms agent': 1,
    'sms keyword': 1,
  });
});

test('nothing is handed over that the rules of that moment forbid', async () => {
  await fc.assert(fc.asyncProperty(sequence(max_steps), run), {
    seed: test_seed,
    numRuns,
    includeErrorInReport: true,
    // Shorter sequences are easier to read, but finding them takes minutes.
    endOnFailure: process.env.HAND_OVER_SHRINK !== 'on',
  });
});
