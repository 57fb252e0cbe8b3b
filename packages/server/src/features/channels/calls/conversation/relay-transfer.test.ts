// Transfers of calls on which a relay converses: it hands over, is silent or fails during them, and what follows a failure.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completeTransfer } from '@parley/contract/agents/agent-defaults';
import { scripted } from '../../../../../testing/phone-call.ts';
import { startRelayCall } from '../../../../../testing/relay-call.ts';
import { memoryCall } from '../../../../providers/media/memory-session.ts';
import { spokenHandoff } from './transfer/handoff.ts';
import type { DialResult, TransferPort } from './transfer/transfer-port.ts';

const nothing = async () => {};
const to_colleague = { to: '+15005550211', mode: 'blind', principal: null } as const;

const portThatDials = (dial: () => Promise<DialResult>): TransferPort => ({
  person: null,
  max_transfers: 1,
  destination: () => ({ to: to_colleague.to, options: completeTransfer(undefined) }),
  begin: async () => ({
    dial,
    answered: nothing,
    connected: nothing,
    failed: nothing,
    canceled: nothing,
    ended: nothing,
  }),
});

describe('a relay', () => {
  test('that has handed over to a colleague who is busy is replaced by the model, else the call ends', async () => {
    const transfers = portThatDials(async () => ({ outcome: 'failed', failure: 'busy' }));
    const handOver = async (fallback: boolean) => {
      const settings = { end_transfer: 'desk', fallback };
      const phone = startRelayCall({ settings, transfers, llm: scripted('I will help you instead.') });
      await phone.clock.pass(2000);
      phone.relay.says('One moment.');
      phone.relay.push({ type: 'end', handoffData: 'Tom wants to pay.' });
      return phone;
    };
    const { untilEnd, facts } = await handOver(false);
    assert.equal((await untilEnd()).reason, 'agent_hangup');
    assert.ok(facts.some(({ kind }) => kind === 'transfer_failed'));
    const { clock, transcript } = await handOver(true);
    await clock.pass(8000);
    assert.equal(transcript().at(-1), 'agent: I will help you instead.');
  });

  test('does not end the call of a person who is transferred: neither by its silence nor by its end', async () => {
    const transfers = portThatDials(async () => {
      const { caller: media } = memoryCall({ clock: phone.clock });
      return { outcome: 'answered', media };
    });
    const phone = startRelayCall({ transfers });
    const { relay, clock, say, control, ended, facts } = phone;
    await clock.pass(2000);
    await say('I want to talk to a human.');
    await clock.pass(1500);
    assert.equal(relay.sentOf('prompt').length, 1);
    await control().transfer(to_colleague);
    await clock.pass(15_000);
    assert.ok(facts.some(({ kind }) => kind === 'transfer_connected'));
    assert.ok(facts.every(({ kind }) => kind !== 'went_wrong'));
    assert.equal(ended(), null);
    relay.lose('closed 1006');
    await clock.pass(15_000);
    assert.ok(facts.some(({ kind }) => kind === 'went_wrong'));
    assert.equal(ended(), null);
  });

  test('that ends its session during a transfer does not end the call; after a failure the call ends', async () => {
    const dialed = Promise.withResolvers<DialResult>();
    const phone = startRelayCall({ transfers: portThatDials(() => dialed.promise) });
    const { relay, clock, control, ended, untilEnd } = phone;
    await clock.pass(2000);
    await control().transfer(to_colleague);
    await clock.pass(2000);
    relay.push({ type: 'end' });
    await clock.pass(15_000);
    assert.equal(ended(), null);
    dialed.resolve({ outcome: 'failed', failure: 'busy' });
    assert.equal((await untilEnd()).reason, 'agent_hangup');
  });

  test('that is lost during a transfer which fails is replaced by the model, else the agent apologizes', async () => {
    const fail = async (fallback: boolean) => {
      const busy = Promise.withResolvers<{ outcome: 'failed'; failure: 'busy' }>();
      const transfers = portThatDials(() => busy.promise);
      const llm = scripted('I will help you instead.');
      const phone = startRelayCall({ transfers, settings: { fallback }, llm });
      await phone.clock.pass(2000);
      await phone.control().transfer(to_colleague);
      await phone.clock.pass(2000);
      phone.relay.lose('closed 1006');
      await phone.clock.pass(15_000);
      assert.equal(phone.ended(), null);
      busy.resolve({ outcome: 'failed', failure: 'busy' });
      return phone;
    };
    const { untilEnd, transcript } = await fail(false);
    assert.equal((await untilEnd()).reason, 'setup_error');
    assert.match(transcript().at(-1)!, /technical problem/);
    const replaced = await fail(true);
    await replaced.clock.pass(8000);
    assert.equal(replaced.transcript().at(-1), 'agent: I will help you instead.');
  });

  test('is told of a transfer that failed, and silence ends the call if it says nothing', async () => {
    const transfers = portThatDials(async () => ({ outcome: 'failed', failure: 'busy' }));
    const { relay, clock, control, transcript, untilEnd } = startRelayCall({ transfers });
    await clock.pass(2000);
    await control().transfer(to_colleague);
    await clock.pass(8000);
    assert.deepEqual(relay.sentOf('error'), [
      {
        type: 'error',
        description: 'transfer: The transfer to +15005550211 did not happen: the line was busy.',
      },
    ]);
    relay.says('The line is busy. Can I help you instead?');
    await clock.pass(5000);
    assert.equal(transcript().at(-1), 'agent: The line is busy. Can I help you instead?');
    assert.equal((await untilEnd()).reason, 'silence_timeout');
  });

  test('that cannot hand over, or hands over nothing, hangs up', async () => {
    for (const frame of [{ handoffData: 'Tom wants to pay.' }, { handoffData: '' }, {}]) {
      const { relay, clock, untilEnd } = startRelayCall({ settings: { end_transfer: 'desk' } });
      await clock.pass(2000);
      relay.push({ type: 'end', ...frame });
      assert.equal((await untilEnd()).reason, 'agent_hangup');
    }
  });

  test('hands over plain text as it is, and the plain values of an object', () => {
    assert.equal(spokenHandoff(' Tom wants\nto pay. '), 'Tom wants to pay.');
    assert.equal(
      spokenHandoff(
        '{"reasonCode":"live-agent-handoff","is_vip":true,"note":"Owes 17.","more":{"a":1},"none":null}',
      ),
      'Reason code: live-agent-handoff. Is vip: true. Note: Owes 17.',
    );
    assert.equal(spokenHandoff('{}'), '');
  });
});
