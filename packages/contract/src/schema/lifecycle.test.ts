// Rules for every lifecycle, and every pair of state and trigger of a call, so that no transition exists by accident.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callLifecycle } from '../channels/calls/call-records.ts';
import { events, lifecycles } from '../index.ts';
import { finalStates, type Lifecycle, nextState } from './lifecycle.ts';

for (const lifecycle of lifecycles as readonly Lifecycle[]) {
  describe(`the lifecycle of a ${lifecycle.subject}`, () => {
    const triggers = Object.keys(lifecycle.moves);

    test('names only states and events that exist', () => {
      assert.ok(lifecycle.states.includes(lifecycle.initial));
      for (const [trigger, move] of Object.entries(lifecycle.moves)) {
        for (const state of [...move.from, move.to])
          assert.ok(lifecycle.states.includes(state), `${trigger}: ${state}`);
        if (move.emits) assert.ok(move.emits in events, `${trigger} emits ${move.emits}`);
      }
    });

    test('reaches every state', () => {
      const reached = new Set([lifecycle.initial, ...(lifecycle.also_begins_as ?? [])]);
      for (let before = -1; before !== reached.size; ) {
        before = reached.size;
        for (const state of [...reached]) {
          for (const trigger of triggers) {
            const next: string | null = nextState(lifecycle, state, trigger);
            if (next) reached.add(next);
          }
        }
      }
      assert.deepEqual([...reached].sort(), [...lifecycle.states].sort());
    });
  });
}

// Rows are states, columns are triggers; a dot means that the trigger changes nothing.
const callTable = `
             dialed   requeued  rang     answered     hung_up    declined  rang_out   broke   canceled
queued       dialing  .         .        .            .          .         .          failed  canceled
dialing      .        queued    ringing  in_progress  .          busy      no_answer  failed  canceled
ringing      .        .         .        in_progress  .          busy      no_answer  failed  canceled
in_progress  .        .         .        .            completed  .         .          failed  .
completed    .        .         .        .            .          .         .          .       .
failed       .        .         .        .            .          .         .          .       .
busy         .        .         .        .            .          .         .          .       .
no_answer    .        .         .        .            .          .         .          .       .
canceled     .        .         .        .            .          .         .          .       .`;

test('a call has exactly the transitions of this table', () => {
  const [head, ...rows] = callTable
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  assert.deepEqual(
    rows.map((row) => row[0]),
    callLifecycle.states,
  );
  assert.deepEqual(head, Object.keys(callLifecycle.moves));
  for (const [state, ...cells] of rows) {
    for (const [column, cell] of cells.entries()) {
      const next: string | null = nextState(callLifecycle as Lifecycle, state!, head![column]!);
      assert.equal(next ?? '.', cell, `${state} × ${head![column]}`);
    }
  }
});

test('a call ends in one of five states and never leaves them', () => {
  assert.deepEqual(finalStates(callLifecycle), ['completed', 'failed', 'busy', 'no_answer', 'canceled']);
});

test('ringing and canceling a call publish no event', () => {
  assert.equal(callLifecycle.moves.rang.emits, undefined);
  assert.equal(callLifecycle.moves.canceled.emits, undefined);
});
