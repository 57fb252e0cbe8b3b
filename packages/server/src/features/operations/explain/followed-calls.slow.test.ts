// Failures of sandbox calls and of the engines that speak on them: explain names the culprit, and a script follows the fix.
// A rejection, a busy line and the like over real carriers are in followed-carrier-calls.slow.test.ts.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { LoggedRequest } from '@parley/contract/operations/request-log';
import { own_phone_number } from '@parley/contract/operations/sandbox/sandbox-phone';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { callWorkers } from '../../../../testing/call-workers.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  said,
  transcript,
  until,
} from '../../../../testing/calls.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import {
  expected,
  type FollowedFix,
  followFixes,
  newOwn,
  type Own,
} from '../../../../testing/followed-fixes.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { relayServer } from '../../../../testing/relay-server.ts';
import { standIn } from '../../../../testing/stand-in.ts';

const clock = fastClock(10);
const app = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  { speech: () => codedSpeech({ clock }) },
);

const short = { system_prompt: 'Ask for their name.', summarize: false };
/** The id of the call after its end. */
const endOf = async (of: Client, { id }: { id: string }) => (await ended(of, id)).id;
const calledUntilEnd = async (of: Client, to: string, more: Record<string, unknown> = {}) =>
  endOf(of, await place(of, to, more));
const cancel = (of: Client, id: string) => expected(200, of, 'POST', `/v1/calls/${id}/cancel`);
const atPhone = (of: Client, id: string, action: string, body?: object) =>
  expected(200, of, 'POST', `/v1/sandbox/phone/calls/${id}/${action}`, body);
/** Rings at the sandbox phone, which answers when the test does. */
async function ringing(of: Client, more: Record<string, unknown> = {}): Promise<string> {
  const { id } = await place(of, own_phone_number, { ring_timeout_seconds: 60, ...more });
  await until(of, id, 'ringing');
  await eventually('at the phone', async () => {
    const path = '/v1/sandbox/phone/calls';
    return (await of.request<{ items: unknown[] }>('GET', path)).body.items.length > 0;
  });
  return id;
}
async function answered(of: Client, more: Record<string, unknown> = {}): Promise<string> {
  const id = await ringing(of, more);
  await atPhone(of, id, 'answer');
  await until(of, id, 'in_progress');
  return id;
}
/** The person answers, says something and hangs up. */
async function talk(of: Client, id: string): Promise<string> {
  await atPhone(of, id, 'say', { text: 'Hello, this is me.' });
  await atPhone(of, id, 'hang-up');
  return endOf(of, { id });
}
const newAgent = async (of: Client, body: object): Promise<string> =>
  (await expected<{ id: string }>(201, of, 'POST', '/v1/agents', { name: 'Ana', ...body })).id;

const outcomes: FollowedFix<Own>[] = [
  {
    name: 'a declined call',
    expected: ['rejected', 'recipient', 'no'],
    fix: /Write first/,
    fail: ({ program }) => calledUntilEnd(program, people.declines),
    async follow({ program }) {
      const text = { to: people.declines, body: 'When may we call you?', recipient_consent: true };
      const { id } = await expected<{ id: string }>(201, program, 'POST', '/v1/sms', text);
      await app.app.jobs.drain();
      return id;
    },
    works: 'delivered',
  },
  {
    name: 'a phone that is not answered in time',
    expected: ['ring_timeout', 'recipient', 'later'],
    fix: /ring longer with ring_timeout_seconds/,
    fail: ({ program }) => calledUntilEnd(program, own_phone_number, { ring_timeout_seconds: 5 }),
    async follow({ program }) {
      const id = await ringing(program, { ring_timeout_seconds: 120 });
      const since_ms = clock.ms();
      await eventually('it rings longer than before', () => clock.ms() > since_ms + 6000);
      await atPhone(program, id, 'answer');
      await until(program, id, 'in_progress');
      return talk(program, id);
    },
    works: 'callee_hangup',
  },
  {
    name: 'a voicemail',
    expected: ['voicemail', 'recipient', 'later'],
    fix: /set action in voicemail of the agent to leave_message/,
    async fail({ program }) {
      const agent_id = await newAgent(program, { voicemail: { action: 'hang_up' } });
      return calledUntilEnd(program, people.voicemail, { agent_id });
    },
    async follow({ program }) {
      const [agent] = (await expected<{ items: { id: string }[] }>(200, program, 'GET', '/v1/agents')).items;
      const voicemail = { action: 'leave_message', message: 'Please call Acme.' };
      await expected(200, program, 'PATCH', `/v1/agents/${agent!.id}`, { voicemail });
      const id = await calledUntilEnd(program, people.voicemail, { agent_id: agent!.id });
      assert.match(said(await transcript(program, id), 'agent'), /Please call Acme\./);
      return id;
    },
    works: 'message_left',
  },
  {
    name: 'a number that is not in service',
    expected: ['unreachable', 'recipient', 'no'],
    fix: /Check the number and correct the contact/,
    async fail({ program }) {
      const contact = { name: 'Thomas', phone_e164: people.unreachable };
      await expected(201, program, 'POST', '/v1/contacts', contact);
      return calledUntilEnd(program, people.unreachable);
    },
    async follow({ program }) {
      type Contacts = { items: { id: string; phone_e164: string }[] };
      const [contact] = (await expected<Contacts>(200, program, 'GET', '/v1/contacts')).items;
      const path = `/v1/contacts/${contact!.id}`;
      const corrected = await expected<Contacts['items'][0]>(200, program, 'PATCH', path, {
        phone_e164: people.hangs_up,
      });
      return calledUntilEnd(program, corrected.phone_e164);
    },
    works: 'callee_hangup',
  },
  {
    name: 'a call that is cut off at its longest duration',
    expected: ['max_duration', 'you', 'now_with_new_key'],
    fix: /larger max_duration_seconds/,
    fail: ({ program }) =>
      calledUntilEnd(program, people.converses, { ...long_talk, max_duration_seconds: 30 }),
    follow: ({ program }) =>
      calledUntilEnd(program, people.converses, { ...long_talk, max_duration_seconds: 300 }),
    works: 'agent_hangup',
  },
  {
    name: 'a person who says nothing',
    expected: ['silence_timeout', 'recipient', 'later'],
    fix: /^Call again later/,
    fail: async ({ program }) => endOf(program, { id: await answered(program, short) }),
    follow: async ({ program }) => talk(program, await answered(program, short)),
    works: 'callee_hangup',
  },
  {
    name: 'a call that was canceled while it rang',
    expected: ['canceled', 'you', 'now_with_new_key'],
    fix: /Place the call again/,
    async fail({ program }) {
      const id = await ringing(program);
      await cancel(program, id);
      return endOf(program, { id });
    },
    follow: ({ program }) => calledUntilEnd(program, people.hangs_up),
    works: 'callee_hangup',
  },
  {
    name: 'a call that a request hung up',
    expected: ['api_hangup', 'you', 'now_with_new_key'],
    fix: /request log shows which credential did it/,
    async fail({ program }) {
      const id = await answered(program);
      await cancel(program, id);
      return endOf(program, { id });
    },
    async follow({ program }, { id }) {
      await eventually('the request log has the request', async () => {
        const path = `/v1/requests?object_id=${id}`;
        const { items } = await expected<{ items: LoggedRequest[] }>(200, program, 'GET', path);
        const request = items.find(({ operation }) => operation === 'calls.cancel');
        return request?.credential_id === program.key;
      });
      return calledUntilEnd(program, people.hangs_up);
    },
    works: 'callee_hangup',
  },
];
const long_talk = {
  summarize: false,
  system_prompt:
    'Ask for their name. Ask when they open. Ask what it costs. Ask where they are located. Book a table for Tuesday.',
};

/** A vendor of engines that accepts one key. The model says goodbye, the recognition hears it, the voice is silent. */
const vendor = await standIn(({ request, body }, response) => {
  if (request.headers.authorization !== 'Bearer the-right-key')
    return void response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"wrong key"}');
  if (request.url!.endsWith('/audio/transcriptions'))
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"text":"My name is Thomas. Goodbye."}');
  if (request.url!.endsWith('/audio/speech'))
    return void response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.alloc(4800));
  if (request.url!.endsWith('/models'))
    return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  assert.ok(body.length > 0);
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const end = { index: 0, id: 'c1', type: 'function', function: { name: 'end_call', arguments: '{}' } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    chunk({ role: 'assistant', content: 'Goodbye.' }) +
      chunk({ tool_calls: [end] }) +
      chunk({}, 'tool_calls') +
      'data: [DONE]\n\n',
  );
});
const configure = (of: Client, layer: string, api_key: string) =>
  expected(200, of, 'PUT', `/v1/providers/${layer}`, {
    provider: 'openai-compatible',
    api_key,
    params: { base_url: `${vendor.url}/v1` },
  });
const accepts = async (of: Client, layer: string) =>
  (await expected<{ ok: boolean }>(200, of, 'POST', `/v1/providers/${layer}/test`, {})).ok;

const engine = (layer: 'llm' | 'stt' | 'tts', code: string, fix: RegExp): FollowedFix<Own> => ({
  name: `a vendor of the layer ${layer} that refuses the key`,
  expected: [code, 'provider', 'now_with_new_key'],
  fix,
  detail: /401/,
  async fail({ program }) {
    await configure(program, layer, 'the-wrong-key');
    return calledUntilEnd(program, people.converses, short);
  },
  async follow({ program }) {
    assert.equal(await accepts(program, layer), false, 'the test shows the failure');
    await configure(program, layer, 'the-right-key');
    assert.equal(await accepts(program, layer), true);
    return layer === 'tts' ? spokenTo(program) : calledUntilEnd(program, people.converses, short);
  },
  works: layer === 'tts' ? 'callee_hangup' : 'agent_hangup',
});
/** The voice of the vendor is silent, so a simulated person would wait for it. */
async function spokenTo(of: Client): Promise<string> {
  const id = await answered(of, short);
  await eventually('the agent spoke', async () => said(await transcript(of, id), 'agent') !== '');
  await atPhone(of, id, 'hang-up');
  return endOf(of, { id });
}

const relay = await relayServer('the secret', (frame, session) => {
  if (frame.type !== 'setup') return;
  session.says('Goodbye.');
  session.send({ type: 'end' });
});
const engines: FollowedFix<Own>[] = [
  engine('llm', 'setup_error', /POST \/v1\/providers\/llm\/test, and correct its address, key/),
  engine('stt', 'media_failure', /check the account and the key of the speech-to-text engine/),
  engine('tts', 'media_failure', /check the account, the key and the voice/),
  {
    name: 'a relay server that refuses the connection',
    expected: ['setup_error', 'you', 'now_with_new_key'],
    fix: /with the url and the secret of the agent/,
    detail: /401/,
    fail: ({ program }) =>
      calledUntilEnd(program, people.converses, {
        engines: { relay: { url: relay.url, secret: 'another secret' } },
      }),
    follow: ({ program }) =>
      calledUntilEnd(program, people.converses, {
        engines: { relay: { url: relay.url, secret: 'the secret' } },
      }),
    works: 'agent_hangup',
  },
];

/** Organizations with a number of their own do not wait for the three of the pool. */
async function ownWithNumber(): Promise<Own> {
  const own = newOwn(app);
  await expected(201, own.program, 'POST', '/v1/numbers', { country_code: 'US' });
  return own;
}

describe('calls', { concurrency: true }, () => {
  followFixes([...outcomes, ...engines], ownWithNumber, ({ program }) => program);
});

/** It takes all numbers of the pool and moves the clock, so it runs alone. */
const no_number: FollowedFix<Own> = {
  name: 'a call without a free number',
  expected: ['no_number_available', 'you', 'later'],
  fix: /Get another voice number with POST \/v1\/numbers/,
  async fail({ program }) {
    const other = app.organization();
    for (let n = 0; n < 3; n++) await answered(other);
    const { id } = await place(program, people.hangs_up);
    await app.later(700);
    return endOf(program, { id });
  },
  async follow({ program }) {
    await expected(201, program, 'POST', '/v1/numbers', { country_code: 'US', capabilities: ['voice'] });
    return calledUntilEnd(program, people.hangs_up);
  },
  works: 'callee_hangup',
};
describe('the numbers of the pool', () => {
  followFixes(
    [no_number],
    () => newOwn(app),
    ({ program }) => program,
  );
});

const paid = await startTestApp(
  { PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on' },
  { speech: () => codedSpeech() },
);
const minute = 50_000;
await expected(200, paid.operator, 'PATCH', '/v1/admin/prices', { call_minute: minute });
const credit = ({ organization_id }: Client, amount_micros: number) =>
  expected(201, paid.operator, 'POST', `/v1/admin/organizations/${organization_id}/funds/credits`, {
    amount_micros,
  });

const unpaid: FollowedFix<Client> = {
  name: 'a call that the balance does not cover any more when its time comes',
  expected: ['insufficient_funds', 'you', 'now_with_new_key'],
  fix: /Ask the operator to credit the organization \(GET \/v1\/funds shows the balance\), then place the call again/,
  async fail(own) {
    await credit(own, minute);
    const { now } = await expected<{ now: string }>(200, paid.client, 'GET', '/v1/sandbox/clock');
    const scheduled_at = new Date(Date.parse(now) + 60_000).toISOString();
    const { id } = await place(own, people.hangs_up, { scheduled_at });
    await credit(own, -minute);
    await paid.later(61);
    return endOf(own, { id });
  },
  async follow(own) {
    const before = await expected<{ balance_micros: number }>(200, own, 'GET', '/v1/funds');
    assert.equal(before.balance_micros, 0);
    await credit(own, minute);
    return calledUntilEnd(own, people.hangs_up);
  },
  works: 'callee_hangup',
};
describe('funds', () => {
  followFixes(
    [unpaid],
    async () => (await managedOrganization(paid)).client,
    (own) => own,
  );
});

describe('a service that stops', async () => {
  const stopping = await startTestApp({}, { speech: () => codedSpeech() });
  const closed: FollowedFix<Client> = {
    name: 'a call that the stop of the service closed',
    expected: ['force_closed', 'parley', 'now_with_new_key'],
    fix: /Place the call again/,
    async fail(own) {
      const id = await answered(own);
      await stopping.app.workers.stop();
      return endOf(own, { id });
    },
    // Another process on the same database takes the next calls.
    async follow(own) {
      const workers = callWorkers(stopping, {});
      const worker = await workers.start();
      const id = await calledUntilEnd(own, people.hangs_up);
      await workers.kill(worker);
      return id;
    },
    works: 'callee_hangup',
  };
  followFixes(
    [closed],
    () => stopping.client,
    (own) => own,
  );
});
