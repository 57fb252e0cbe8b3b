// What /readyz says: dependencies of the whole process, those of one channel, and the capacity for calls.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, eventually, people, place } from '../../../../testing/calls.ts';
import { twilio_account, twilio_token } from '../../../../testing/carriers/twilio.ts';
import { codedTts } from '../../../../testing/coded-speech.ts';
import { cachedCheck, type Readiness } from '../../../platform/readiness.ts';
import { processStatus } from './status.ts';

let loading = () => {};
const service = await startTestApp(
  { PARLEY_CALLS_AT_ONCE: '1' },
  { speech: () => codedSpeech({ tts: { ...codedTts(), ready: async () => loading() } }) },
);
const { client, anonymous } = service;
const readyz = async (query = '', of = client) => {
  const { status, body } = await of.request<{
    status: string;
    checks: Record<string, string>;
    fix?: string;
  }>('GET', `/readyz${query}`);
  return { ...body, code: status };
};

describe('/readyz of a service in the sandbox', { timeout: 60_000 }, () => {
  test('lists every dependency', async () => {
    assert.deepEqual(await readyz(), {
      code: 200,
      status: 'ready',
      checks: {
        database: 'ready',
        storage: 'ready',
        disk: 'ready',
        carrier: 'ready',
        mail: 'ready',
        engines: 'ready',
      },
    });
    assert.equal((await readyz('?for=mail')).code, 200);
    const unknown = await readyz('?for=letters');
    assert.deepEqual([unknown.code, unknown.status], [400, 'unknown_purpose']);
    assert.ok(unknown.fix);
  });

  test('is 503 for calls while all lines are in use, and 200 for everything else', async () => {
    assert.equal((await readyz('?for=calls')).checks.capacity, 'ready');
    const call = await place(client, people.never_answers);
    await eventually('full', async () => (await readyz('?for=calls')).code === 503);
    assert.equal((await readyz('?for=calls')).checks.capacity, 'unavailable: 1 of 1 calls are running');
    assert.equal((await readyz('?for=calls', anonymous)).checks.capacity, 'unavailable');
    assert.equal((await readyz()).status, 'ready');
    await client.request('POST', `/v1/calls/${call.id}/cancel`);
    await ended(client, call.id);
    await eventually('free', async () => (await readyz('?for=calls')).code === 200);
  });

  test('names an engine that cannot be loaded until it loads', async () => {
    loading = () => {
      throw new Error('no such file');
    };
    await ended(client, (await place(client, people.converses)).id);
    const broken = await readyz();
    assert.deepEqual([broken.code, broken.status], [200, 'degraded']);
    assert.equal(broken.checks.engines, 'unavailable: tts cannot be loaded: no such file');
    // Reasons can name hosts and files: without an operator's credential only names and states are shown.
    const tenant = service.organization();
    for (const other of [anonymous, tenant, service.holder('wrong')]) {
      const seen = await readyz('', other);
      assert.deepEqual([seen.code, seen.status, seen.checks.engines], [200, 'degraded', 'unavailable']);
    }
    assert.equal((await readyz('?for=calls')).code, 503);
    loading = () => {};
    await ended(client, (await place(client, people.busy)).id);
    await eventually('loaded', async () => (await readyz()).status === 'ready');
  });
});

test('a carrier and a relay that do not respond degrade the process and fail the purposes that need them', async () => {
  const { client: of } = await startTestApp({
    PARLEY_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilio_account,
    TWILIO_AUTH_TOKEN: twilio_token,
    TWILIO_BASE_URL: 'http://127.0.0.1:1',
    PARLEY_SMTP_URL: 'smtp://127.0.0.1:1',
  });
  const all = await of.request<{ status: string; checks: Record<string, string> }>('GET', '/readyz');
  assert.deepEqual([all.status, all.body.status], [200, 'degraded']);
  assert.equal(all.body.checks.carrier, 'unavailable: twilio: ECONNREFUSED');
  assert.match(all.body.checks.mail!, /^unavailable: .*ECONNREFUSED/);
  for (const purpose of ['calls', 'mail'])
    assert.equal((await of.request('GET', `/readyz?for=${purpose}`)).status, 503);
});

test('a missing carrier or transport is no failure, except for the purpose that needs it', async () => {
  const { client: of } = await startTestApp({ PARLEY_SANDBOX: 'off', PARLEY_ROLES: 'api' });
  const all = await of.request<{ status: string; checks: Record<string, string> }>('GET', '/readyz');
  assert.deepEqual([all.status, all.body.status], [200, 'ready']);
  assert.deepEqual([all.body.checks.carrier, all.body.checks.mail], ['not_configured', 'not_configured']);
  assert.equal((await of.request('GET', '/readyz?for=mail')).status, 503);
  const calls = await of.request<{ checks: Record<string, string> }>('GET', '/readyz?for=calls');
  assert.equal(calls.body.checks.capacity, 'unavailable: this process runs no calls');
});

test('a vendor is asked once, however often the process is probed', async () => {
  let asked = 0;
  const check = cachedCheck(async () => {
    asked++;
    throw new Error('away');
  });
  const readiness: Readiness[] = [{ name: 'vendor', only_for: ['calls'], check }];
  const draining = new AbortController().signal;
  const metrics = { registry: {} as never };
  const status = processStatus({ metrics, readiness, draining });
  for (let probed = 0; probed < 5; probed++)
    assert.deepEqual((await status.readiness()).checks, { vendor: 'unavailable: away' });
  assert.equal(asked, 1);
});
