// Transfers on a stepped clock: the person, the agent and the colleague are played by the test, the call to the colleague is
// a line in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeTransfer } from '@parley/contract/agents/agent-defaults';
import { coded_ms, hearCoded, sayCoded } from '../../../../../../testing/coded-speech.ts';
import { scripted, startCall, tool } from '../../../../../../testing/phone-call.ts';
import type { SteppedClock } from '../../../../../../testing/stepped-clock.ts';
import { joinPcm } from '../../../../../protocols/audio/join-pcm.ts';
import type { Llm } from '../../../../../providers/llm/llm.ts';
import { type MemoryCall, memoryCall } from '../../../../../providers/media/memory-session.ts';
import type { CallToolSetup } from '../tools/call-tools.ts';
import type { DialResult, TransferPort, TransferRequest } from './transfer-port.ts';
import { transferTool } from './transfer-tool.ts';

type Options = Partial<TransferRequest['options']>;

const destination = (name: string, options: Options = {}) => ({
  name,
  description: '',
  phone: '+15005550211',
  email: null,
  recipient_consent: true as const,
  transfer: { ...completeTransfer(undefined), ...options },
});

/** Records the steps of transfers; `dial` is decided by the test. */
function testPort(destinations: ReturnType<typeof destination>[]) {
  const steps: string[] = [];
  const dials: PromiseWithResolvers<DialResult>[] = [];
  const step = (name: string) => async () => void steps.push(name);
  const port: TransferPort = {
    person: '+15005550201',
    max_transfers: 3,
    destination(name) {
      const found = destinations.find((each) => each.name === name);
      return found ? { to: found.phone, options: found.transfer } : null;
    },
    async begin({ destination: to }) {
      steps.push(`requested ${to}`);
      return {
        dial(signal) {
          const dial = Promise.withResolvers<DialResult>();
          dials.push(dial);
          let is_over = false;
          const setOver = () => {
            is_over = true;
          };
          dial.promise.then(setOver, setOver);
          signal.addEventListener('abort', () => {
            if (!is_over) steps.push('hung up');
            dial.resolve({ outcome: 'failed', failure: 'no_answer' });
          });
          return dial.promise;
        },
        answered: step('answered'),
        connected: step('connected'),
        failed: async (failure) => void steps.push(`failed ${failure}`),
        canceled: step('canceled'),
        ended: step('ended'),
      };
    },
  };
  return { port, steps, dials };
}

const toolFor =
  (destinations: ReturnType<typeof destination>[]): CallToolSetup['more'] =>
  (host) => [transferTool({ destinations, limits: { transfers: 3 } }, host.transfer)!];

/** A call on which the model transfers after the first words of the person. */
async function transferring(llm: Llm, options: Options = {}, others: ReturnType<typeof destination>[] = []) {
  const destinations = [destination('billing', options), ...others];
  const { port, steps, dials } = testPort(destinations);
  const call = startCall({}, { llm, transfers: port, tools: toolFor(destinations) });
  await call.say('I want billing.');
  await call.clock.passUntil(() => dials.length === 1, 10_000);
  return { ...call, steps, dials };
}

/** The colleague answers; what they hear is collected. */
function answer(clock: SteppedClock, dial: PromiseWithResolvers<DialResult>) {
  const line: MemoryCall = memoryCall({ clock });
  const frames: Int16Array[] = [];
  let keys = '';
  line.callee.onFrame((pcm) => frames.push(pcm.slice()));
  line.callee.onDigit((digit) => {
    keys += digit;
  });
  dial.resolve({ outcome: 'answered', media: line.caller });
  return {
    line,
    keys: () => keys,
    heard: () => hearCoded(joinPcm(frames)),
    async say(text: string) {
      line.callee.write(sayCoded(text));
      await clock.pass(coded_ms(text) + 600);
    },
  };
}

const asksForBilling = () => [
  { text: 'I will put you through.' },
  tool('transfer_call', { destination: 'billing', reason: 'asks about an invoice.' }),
];

test('warm: the colleague is briefed in private, accepts, and then both talk while the transcript goes on', async () => {
  const llm = scripted(asksForBilling(), 'Tom asks about an invoice.');
  const call = await transferring(llm);
  assert.ok(!call.transcript().includes('agent: One moment, I will put you through.'));
  await call.clock.pass(3000);
  const ana = answer(call.clock, call.dials[0]!);
  await ana.say('Desk, this is Ana.');
  await call.clock.passUntil(() => ana.heard().includes('press one to take the call.'), 20_000);
  assert.match(ana.heard(), /^Tom asks about an invoice\./);
  await ana.say('Yes, put them through.');
  await call.clock.passUntil(() => call.steps.includes('connected'), 5000);
  const before = call.heard();
  await ana.say('Hello, how can I help?');
  assert.equal(call.heard().slice(before.length).trim(), 'Hello, how can I help?');
  await call.say('It is about my invoice.');
  await call.clock.pass(1000);
  assert.ok(ana.heard().endsWith('It is about my invoice.'), ana.heard());
  await call.person.sendDigits('5');
  assert.equal(ana.keys(), '5');
  ana.line.callee.close();
  const end = await call.untilEnd();
  assert.deepEqual([end.outcome, end.reason], ['completed', 'colleague_hangup']);
  await call.clock.pass(100);
  assert.deepEqual(call.steps, ['requested billing', 'answered', 'connected', 'ended']);
  assert.deepEqual(
    call.said().map(({ speaker, text, is_private = false }) => `${speaker}${is_private ? '*' : ''}: ${text}`),
    [
      'person: I want billing.',
      'agent: I will put you through.',
      'colleague*: Desk, this is Ana.',
      'agent*: Tom asks about an invoice. Say yes or press one to take the call.',
      'colleague*: Yes, put them through.',
      'colleague: Hello, how can I help?',
      'person: It is about my invoice.',
    ],
  );
  assert.deepEqual(
    call.facts.flatMap(({ kind }) => (kind.startsWith('transfer_') ? [kind] : [])),
    ['requested', 'dialed', 'answered', 'briefed', 'accepted', 'connected', 'ended'].map(
      (kind) => `transfer_${kind}`,
    ),
  );
  assert.equal(llm.requests.length, 2, 'the model is not asked again');
});

test('without a summary in time the colleague gets a fixed sentence, and key 1 accepts at any moment', async () => {
  const slow: Llm = {
    name: 'slow',
    capabilities: scripted().capabilities,
    async *reply({ tools, signal }) {
      if (tools?.length) return yield* asksForBilling();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const call = await transferring(slow);
  await call.clock.pass(4000);
  const ana = answer(call.clock, call.dials[0]!);
  await call.clock.passUntil(() => ana.heard().includes('an invoice.'), 20_000);
  assert.match(ana.heard(), /^A call from 1 5 0 0 5 5 5 0 2 0 1: asks about an invoice\./);
  await ana.line.callee.sendDigits('1');
  await call.clock.passUntil(() => call.steps.includes('connected'), 2000);
});

test('blind: the person hears a ringing tone and is connected at once', async () => {
  const call = await transferring(scripted([tool('transfer_call', { destination: 'billing' })]), {
    mode: 'blind',
  });
  await call.clock.passUntil(() => call.heard().endsWith('One moment, I will put you through.'), 5000);
  await call.clock.pass(500);
  assert.ok(call.lastFrameIsLoud(), 'it rings');
  const ana = answer(call.clock, call.dials[0]!);
  await call.clock.passUntil(() => call.steps.includes('connected'), 1000);
  await ana.say('Desk, this is Ana.');
  assert.ok(call.heard().endsWith('Desk, this is Ana.'), call.heard());
  call.person.close();
  assert.equal((await call.untilEnd()).reason, 'callee_hangup');
  assert.deepEqual(await ana.line.callee.closed, { by: 'them' });
  assert.deepEqual(call.steps, ['requested billing', 'connected', 'ended']);
});

for (const failure of [
  'busy',
  'no_answer',
  'declined',
  'unreachable',
  'not_allowed',
  'carrier_error',
] as const) {
  test(`a colleague who is not reached (${failure}) returns the person to the agent, who knows why`, async () => {
    const llm = scripted(asksForBilling(), 'summary', 'I could not reach billing.');
    const call = await transferring(llm);
    call.dials[0]!.resolve({ outcome: 'failed', failure });
    await call.clock.passUntil(() => call.heard().includes('I could not reach billing.'), 5000);
    assert.deepEqual(call.steps, ['requested billing', `failed ${failure}`]);
    assert.match(llm.requests.at(-1)!.turns.at(-1)!.content, /transfer to billing did not happen/);
    assert.equal(llm.requests.at(-1)!.turns.at(-1)!.role, 'note');
    await call.say('Then another time.');
    await call.clock.pass(1500);
    assert.equal(call.ended(), null);
  });
}

test('a colleague who declines, a machine, and one who does not answer the question', async () => {
  for (const [says, failure] of [
    ['No, not now.', 'declined'],
    ['No one is available. Please leave a message after the tone.', 'machine'],
    ['Hm, what is this about then.', 'not_accepted'],
  ] as const) {
    const call = await transferring(scripted(asksForBilling(), 'A summary.', 'Nobody has time.'));
    const ana = answer(call.clock, call.dials[0]!);
    await call.clock.passUntil(() => ana.heard().includes('A summary.'), 10_000);
    await ana.say(says);
    await call.clock.passUntil(() => call.steps.includes(`failed ${failure}`), 60_000);
    assert.deepEqual(await ana.line.callee.closed, { by: 'them' }, says);
    await call.clock.passUntil(() => call.heard().includes('Nobody has time.'), 5000);
    if (failure === 'not_accepted') assert.equal(ana.heard().match(/press one/g)?.length, 2, 'asked twice');
  }
});

test('a person who leaves early: the colleague is told, and a phone that rings is hung up', async () => {
  const ringing = await transferring(scripted(asksForBilling(), 'A summary.'));
  ringing.person.close();
  assert.equal((await ringing.untilEnd()).reason, 'callee_hangup');
  await ringing.clock.pass(100);
  assert.deepEqual(ringing.steps, ['requested billing', 'hung up', 'failed person_left']);

  const asked = await transferring(scripted(asksForBilling(), 'A summary.'));
  const ana = answer(asked.clock, asked.dials[0]!);
  await asked.clock.passUntil(() => ana.heard().includes('A summary.'), 10_000);
  asked.person.close();
  await asked.untilEnd();
  await asked.clock.passUntil(() => ana.heard().includes('The caller has hung up.'), 5000);
  await asked.clock.pass(3000);
  assert.deepEqual(await ana.line.callee.closed, { by: 'them' });
  assert.ok(asked.steps.includes('failed person_left'));
});

test('a person who waits hears tones and a sentence, is answered by the model, and can change their mind', async () => {
  const llm = scripted(
    asksForBilling(),
    'A summary.',
    'It will not take long.',
    [tool('cancel_transfer')],
    'All right.',
  );
  const call = await transferring(llm);
  await call.clock.pass(1000);
  await call.say('How long does it take?');
  await call.clock.passUntil(() => call.heard().includes('It will not take long.'), 5000);
  await call.clock.pass(22_000);
  assert.match(call.heard(), /I am still trying\./);
  await call.say('Oh well, leave it then.');
  await call.clock.passUntil(() => call.steps.includes('canceled'), 5000);
  await call.clock.passUntil(() => call.heard().endsWith('All right.'), 5000);

  const other = await transferring(scripted(asksForBilling(), 'A summary.', 'All right.'));
  await other.say('Never mind.');
  await other.clock.passUntil(() => other.steps.includes('canceled'), 5000);
});

test('a colleague who takes the call while a waiting person is answered hears neither that answer nor waiting tones', async () => {
  const long = 'It will not take long, but it takes some time. '.repeat(10);
  const call = await transferring(scripted(asksForBilling(), 'A summary.', long));
  await call.clock.pass(1000);
  await call.say('How long does it take?');
  await call.clock.passUntil(() => call.heard().includes('It will'), 5000);
  const ana = answer(call.clock, call.dials[0]!);
  await call.clock.passUntil(() => ana.heard() !== '', 5000);
  await ana.line.callee.sendDigits('1');
  await call.clock.passUntil(() => call.steps.includes('connected'), 5000);
  assert.ok(call.heard().length < long.length);
  const before = call.loudFrames();
  await call.clock.pass(60_000);
  assert.equal(call.loudFrames(), before);
});

test('after an error in the call to the colleague the agent goes on with the person', async () => {
  const call = await transferring(scripted(asksForBilling(), 'A summary.', 'That did not work.'));
  call.dials[0]!.reject(new Error('the database is unavailable'));
  await call.clock.passUntil(() => call.heard().endsWith('That did not work.'), 5000);
  const problems = call.facts.flatMap((fact) => (fact.kind === 'went_wrong' ? [fact.detail] : []));
  assert.deepEqual(problems, ['the database is unavailable']);
});

test('the next destination is tried, and a transfer that must not fail silently says goodbye', async () => {
  const llm = scripted(asksForBilling(), 'A summary.', 'A summary.');
  const next = destination('support', { on_failure: 'end_call' });
  const call = await transferring(llm, { on_failure: 'next', then: 'support' }, [next]);
  call.dials[0]!.resolve({ outcome: 'failed', failure: 'busy' });
  await call.clock.passUntil(() => call.dials.length === 2, 5000);
  call.dials[1]!.resolve({ outcome: 'failed', failure: 'no_answer' });
  const end = await call.untilEnd();
  assert.equal(end.reason, 'agent_hangup');
  assert.match(call.heard(), /could not reach anybody\. ?Goodbye\.$/);
  assert.deepEqual(call.steps, ['requested billing', 'failed busy', 'requested support', 'failed no_answer']);
});

test('two minutes are the limit, and only one transfer runs at a time', async () => {
  const call = await transferring(scripted(asksForBilling(), 'A summary.', 'It takes too long.'));
  assert.deepEqual(await call.control().transfer({ to: '+15005550211', principal: null }), {
    outcome: 'refused',
    detail: 'A transfer is under way.',
  });
  assert.equal(call.control().say({ text: 'Hello.', when: 'now', then: 'listen' }).outcome, 'refused');
  await call.clock.pass(121_000);
  assert.ok(call.steps.includes('failed timeout'));
  await call.clock.passUntil(() => call.heard().includes('It takes too long.'), 5000);
});

test('the API transfers to a number, and the agent announces it', async () => {
  const { port, steps, dials } = testPort([]);
  const call = startCall({ first_message: 'Good morning.' }, { transfers: port });
  const { clock } = call;
  await clock.passUntil(() => call.heard() === 'Good morning.', 5000);
  assert.deepEqual(await call.control().transfer({ to: '+15005550211', brief: 'A VIP.', principal: null }), {
    outcome: 'done',
  });
  await clock.passUntil(() => dials.length === 1, 1000);
  await clock.pass(3000);
  assert.match(call.heard(), /I will put you through\./);
  const ana = answer(clock, dials[0]!);
  await clock.passUntil(() => ana.heard().startsWith('A VIP.'), 10_000);
  assert.deepEqual(await call.control().transfer({ destination: 'nobody', principal: null }), {
    outcome: 'refused',
    detail: 'The call has no such destination.',
  });
  assert.deepEqual(steps, ['requested null', 'answered']);
});
