// Rules for real carriers only: allowed countries, and no rule-based model that talks to people (R3, R4, R5).

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Organization } from '@parley/contract/access/organizations';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { prompt_agent } from '../../../../testing/agents.ts';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, eventually, timeline } from '../../../../testing/calls.ts';
import { startOnTwilio } from '../../../../testing/carriers/service.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../../testing/carriers/twilio.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { signUp } from '../../../../testing/visitor.ts';
import { sql } from '../../../platform/db/sql.ts';
import { makeLog } from '../../../platform/log.ts';

const person = '+14155552671';
const speech = () => codedSpeech();
const on = (environment: Record<string, string> = {}) =>
  startOnTwilio(
    { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8', PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'off', ...environment },
    { speech },
  );
type Problem = { code: string; detail: string; fix: string };

async function buy(of: Client) {
  const number = await of.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  assert.equal(number.status, 201, number.text);
  return number.body;
}
async function agentOn(of: Client, number_id: string, field: 'sms_agent_id' | 'voice_agent_id') {
  const agent = await of.request<{ id: string }>('POST', '/v1/agents', prompt_agent);
  await of.request('PATCH', `/v1/numbers/${number_id}`, { [field]: agent.body.id });
  return agent.body.id;
}
const text = (of: Client, to: string) =>
  of.request<Problem>('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true });
const call = (of: Client, to: string, more: object = {}) =>
  of.request<Call & Problem>('POST', '/v1/calls', { to, recipient_consent: true, ...more });
const silences = async (of: Client) =>
  (
    await of.request<{ items: { data: Record<string, unknown> }[] }>(
      'GET',
      '/v1/events?type=sms.not_answered',
    )
  ).body.items;

/** A model that replies with this text. */
const model = (text: string) =>
  standIn((_, response) => {
    const chunk = (delta: unknown, finish_reason: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunk({ role: 'assistant', content: text }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
const setModel = async (of: Client, url: string) => {
  const response = await of.request('PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-own-key',
    params: { base_url: `${url}/v1`, model: 'house-1' },
  });
  assert.equal(response.status, 200, response.text);
};

describe('an agent that responses texts over a real carrier (R3)', () => {
  test('does not reply without a language model, and an event gives the reason', async () => {
    const { client, twilio, app } = await on();
    const { id, e164 } = await buy(client);
    const agent_id = await agentOn(client, id, 'sms_agent_id');
    await twilio.textIn({ from: person, to: e164, body: 'Are you there?' });
    await app.jobs.drain();
    assert.deepEqual(twilio.messages, []);
    const [event] = await silences(client);
    assert.deepEqual(
      [event!.data.reason, event!.data.agent_id, event!.data.from],
      ['llm_not_configured', agent_id, person],
    );
    assert.match(String(event!.data.detail), /PUT \/v1\/providers\/llm/);
  });

  test('replies with the language model of the organization', async () => {
    const { client, twilio, app } = await on();
    const { id, e164 } = await buy(client);
    await agentOn(client, id, 'sms_agent_id');
    await setModel(client, (await model('Tuesday at ten is free.')).url);
    await twilio.textIn({ from: person, to: e164, body: 'Is Tuesday possible?' });
    await app.jobs.drain();
    await eventually('answered', () => twilio.messages.length > 0);
    assert.deepEqual(
      twilio.messages.map(({ to, body }) => [to, body]),
      [[person, 'Tuesday at ten is free.']],
    );
    assert.deepEqual(await silences(client), []);
  });

  test('publishes an event when its language model fails permanently', async () => {
    const broken = await standIn((_, response) => {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"down"}');
    });
    const { client, twilio, app, later } = await on({ PARLEY_SANDBOX: 'on' });
    const { id, e164 } = await buy(client);
    await agentOn(client, id, 'sms_agent_id');
    await setModel(client, broken.url);
    await twilio.textIn({ from: person, to: e164, body: 'Is Tuesday possible?' });
    await app.jobs.drain();
    await later(60);
    assert.deepEqual(twilio.messages, []);
    assert.deepEqual(
      (await silences(client)).map(({ data }) => data.reason),
      ['llm_failed'],
    );
  });
});

const service = await on();
const number = await buy(service.client);

describe('a call over a real carrier without a language model (R4)', () => {
  test('is refused with a code and a fix', async () => {
    const refused = await call(service.client, person);
    assert.deepEqual([refused.status, refused.body.code], [422, 'llm_not_configured']);
    assert.match(refused.body.fix, /PUT \/v1\/providers\/llm/);
    assert.equal(service.twilio.phone.calls.length, 0);
  });

  test('that comes in is declined, and stored with the reason', async () => {
    const { client, twilio } = service;
    await agentOn(client, number.id, 'voice_agent_id');
    const { voice_url } = twilio.numbers.find(({ phone_number }) => phone_number === number.e164)!;
    const offered = await twilio.phone.callIn(voice_url, person, number.e164);
    assert.match(offered.document, /<Reject\/>/);
    const [call] = (await client.request<{ items: Call[] }>('GET', '/v1/calls')).body.items;
    assert.deepEqual([call!.status, call!.end_reason], ['failed', 'llm_not_configured']);
    const failure = (await timeline(client, call!.id)).find(({ kind }) => kind === 'broke');
    assert.equal(failure!.detail.check, 'llm');
  });

  test('is placed when the call has its own model, or the organization has one', async () => {
    const { client, twilio } = service;
    const { url } = await model('Goodbye.');
    const own = await call(client, person, { llm: { base_url: `${url}/v1`, model: 'mine' } });
    assert.equal(own.status, 201, own.text);
    await setModel(client, url);
    // Whether one is set is cached for a second.
    let again = await call(client, person);
    await eventually('the model is set', async () => {
      if (again.status !== 201) again = await call(client, person);
      return again.status === 201;
    });
    await eventually('both are dialled', () => twilio.phone.calls.length === 2);
  });

  test('is placed when the operator allows the offline model', async () => {
    const { client } = await on({ PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on' });
    await buy(client);
    assert.equal((await call(client, person)).status, 201);
  });
});

describe('destinations over a real carrier (R5)', () => {
  const abroad = ['+442079460018', '+18765550123', '+4930123456', '+8801712345678'];
  const never = ['+19005550123', '+881612345678', '+870773111632', '+88213512345', '+9791234567'];

  test('are by default the countries of the numbers that the server has', async () => {
    const { client, twilio, app } = await on({ PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on' });
    await buy(client);
    assert.equal((await text(client, person)).status, 201);
    assert.equal((await call(client, person)).status, 201);
    for (const to of [...abroad, ...never]) {
      for (const response of [await text(client, to), await call(client, to)]) {
        assert.deepEqual([response.status, response.body.code], [422, 'destination_not_allowed'], to);
      }
    }
    await app.jobs.drain();
    assert.equal(twilio.messages.length, 1);
  });

  test('are those in PARLEY_DESTINATIONS; satellite networks only by prefix, premium numbers never', async () => {
    const everywhere = await on({ PARLEY_DESTINATIONS: '*' });
    await buy(everywhere.client);
    for (const to of abroad) assert.equal((await text(everywhere.client, to)).status, 201, to);
    for (const to of never) {
      assert.equal((await text(everywhere.client, to)).body.code, 'destination_not_allowed', to);
    }
    const named = await on({ PARLEY_DESTINATIONS: 'gb, +881' });
    await buy(named.client);
    assert.equal((await text(named.client, '+442079460018')).status, 201);
    assert.equal((await text(named.client, '+881612345678')).status, 201);
    assert.equal((await text(named.client, person)).body.code, 'destination_not_allowed');
    assert.equal((await text(named.client, '+870773111632')).body.code, 'destination_not_allowed');
  });

  test('a queued text to a country that is not allowed is refused at the hand-over', async () => {
    const { client, twilio, db, later } = await on({ PARLEY_SANDBOX: 'on' });
    await buy(client);
    twilio.failNext('too_many', ({ method, path }) => method === 'POST' && path.endsWith('/Messages.json'));
    assert.equal((await text(client, person)).status, 201);
    // As if it was queued while its country was still allowed.
    await db.run(sql`update sms_messages set "to" = '+442079460018'`);
    await later(120);
    const [row] = (
      await client.request<{ items: { status: string; error_code: string }[] }>('GET', '/v1/sms')
    ).body.items;
    assert.deepEqual([row!.status, row!.error_code], ['failed', 'not_allowed']);
    assert.equal(twilio.messages.length, 0);
  });

  test('the start logs a warning when no destination is allowed', async () => {
    const twilio = await startTwilio();
    after(() => twilio.close());
    const started = async (environment: Record<string, string>) => {
      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      await startTestApp(
        {
          PARLEY_CARRIER: 'twilio',
          TWILIO_ACCOUNT_SID: twilio_account,
          TWILIO_AUTH_TOKEN: twilio_token,
          TWILIO_BASE_URL: twilio.url,
          ...environment,
        },
        { log: makeLog({ level: 'info', show_personal_data: false, destination }) },
      );
      return lines.some((line) => line.includes('no destination is allowed'));
    };
    assert.equal(await started({}), true);
    assert.equal(await started({ PARLEY_COUNTRY: 'de' }), false);
    assert.equal(await started({ PARLEY_DESTINATIONS: 'US' }), false);
  });
});

test('the sandbox contacts every country, and no satellite or premium number (R5)', async () => {
  const { client } = await startTestApp();
  for (const to of ['+442079460018', '+18765550123', '+8801712345678']) {
    assert.equal((await text(client, to)).status, 201, to);
  }
  for (const to of ['+19005550123', '+881612345678', '+870773111632']) {
    assert.equal((await text(client, to)).body.code, 'destination_not_allowed', to);
    assert.equal((await call(client, to)).body.code, 'destination_not_allowed', to);
  }
});

test('an organization that a user creates after sign-up starts with caps (R5)', async () => {
  const app = await startTestApp({
    PARLEY_MANAGED: 'on',
    PARLEY_SANDBOX: 'on',
    PARLEY_SIGN_UP: 'open',
    PARLEY_SIGN_UP_SMS_PER_HOUR: '7',
  });
  await signUp(app, { email: 'ana@example.com', organization: 'Founded by Ana' });
  const listed = await app.client.request<{ items: Organization[] }>('GET', '/v1/admin/organizations');
  const founded = listed.body.items.find(({ name }) => name === 'Founded by Ana')!;
  assert.deepEqual([founded.origin, founded.velocity_caps], ['human', { calls: 20, emails: 100, sms: 7 }]);
});
