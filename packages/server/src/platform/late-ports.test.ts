// Ports of features that are built later.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latePorts } from './late-ports.ts';

type Ports = { texts: { send(to: string): string }; calls: { count(): number } };

test('a port that is bound later is called with its values', () => {
  const late = latePorts<Ports>();
  const { send } = late.ports.texts;
  late.bind({ texts: { send: (to) => `sent to ${to}` }, calls: { count: () => 2 } });
  assert.equal(send('+1'), 'sent to +1');
  assert.equal(late.ports.calls.count(), 2);
});

test('a port that is called before it is bound says which one', () => {
  const late = latePorts<Ports>();
  assert.throws(() => late.ports.calls.count(), /calls\.count is called before the app is built/);
});
