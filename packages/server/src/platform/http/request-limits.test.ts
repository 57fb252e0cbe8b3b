// Limits that more credentials do not raise: per organization, and for wrong credentials per address.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { nil_uuid } from '@parley/contract/limits';
import { type Client, startTestApp } from '../../../testing/app.ts';
import { readConfig } from '../../config/config.ts';
import { organizationCeiling } from '../../config/identity.ts';
import { failedCredentials } from './failed-credentials.ts';

type Problem = { code: string; detail: string };
const whoami = (of: Client, headers: Record<string, string> = {}) =>
  of.request<Problem>('GET', '/v1/whoami', undefined, headers);

describe('the request limit of an organization (I8)', async () => {
  const app = await startTestApp({
    PARLEY_REQUESTS_PER_MINUTE: '20',
    PARLEY_ORGANIZATION_REQUESTS_PER_MINUTE: '30',
  });

  test('applies to all its keys together, and to no other organization', async () => {
    const organization_id = randomUUID();
    const keys = Array.from({ length: 3 }, () => app.organization({ organization_id }));
    const answers = [];
    for (let i = 0; i < 36; i++) answers.push(await whoami(keys[i % 3]!));
    const refused = answers.filter(({ status }) => status === 429);
    // One or two tokens may refill during the test.
    assert.ok(refused.length >= 3 && refused.length <= 6, `${refused.length} refused`);
    const [first] = refused;
    assert.deepEqual(
      [first!.body.code, first!.headers.get('ratelimit-limit'), first!.headers.get('ratelimit-remaining')],
      ['rate_limited', '30', '0'],
    );
    assert.match(first!.body.detail, /organization/);
    assert.match(first!.headers.get('retry-after')!, /^[1-9]\d*$/);
    assert.equal((await whoami(app.organization())).status, 200);
  });

  test('does not affect a single key or the shared key', async () => {
    for (const one of [app.organization(), app.client]) {
      const answers = [];
      for (let i = 0; i < 21; i++) answers.push(await whoami(one));
      assert.deepEqual(
        answers.slice(0, 20).map(({ status }) => status),
        Array.from({ length: 20 }, () => 200),
      );
      assert.equal(answers[19]!.headers.get('ratelimit-limit'), '20');
    }
    assert.equal(app.client.organization_id, nil_uuid);
  });

  test('is five times that of a caller unless it is set', () => {
    const ceiling = (environment: Record<string, string>) =>
      organizationCeiling(readConfig(environment, '/'));
    assert.equal(ceiling({}), 3000);
    assert.equal(ceiling({ PARLEY_REQUESTS_PER_MINUTE: '10' }), 50);
    assert.equal(ceiling({ PARLEY_ORGANIZATION_REQUESTS_PER_MINUTE: '7' }), 7);
  });
});

describe('wrong credentials (I8)', () => {
  const few = { PARLEY_FAILED_CREDENTIALS_PER_MINUTE: '5' };

  test('from one address get 429 after a few, and those of other addresses do not', async () => {
    const app = await startTestApp({ ...few, PARLEY_TRUSTED_PROXIES: '127.0.0.1' });
    const from = (ip: string) => ({ 'x-forwarded-for': ip });
    const [here, there] = [from('198.51.100.7'), from('198.51.100.8')];
    const guess = (headers: Record<string, string>) => whoami(app.holder(`guess-${randomUUID()}`), headers);
    assert.equal((await guess(here)).status, 401);
    const neighbour = app.organization();
    assert.equal((await whoami(neighbour, here)).status, 200);
    for (let i = 0; i < 4; i++) assert.equal((await guess(here)).status, 401);
    const refused = await guess(here);
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
    assert.match(refused.headers.get('retry-after')!, /^([1-9]|[1-5]\d|60)$/);
    assert.equal((await whoami(app.client, here)).status, 429, 'not even looked up');
    assert.equal((await whoami(neighbour, here)).status, 200, 'it worked from here a moment ago');
    assert.deepEqual([(await guess(there)).status, (await whoami(app.client, there)).status], [401, 200]);
    // An IPv6 customer has a network of addresses.
    for (let i = 0; i < 5; i++) assert.equal((await guess(from(`2001:db8:1:2::${i}`))).status, 401);
    assert.equal((await guess(from('2001:db8:1:2:ffff::1'))).status, 429);
  });

  test('are not attributed to another address by an untrusted header', async () => {
    const app = await startTestApp(few);
    const answers = [];
    for (let i = 0; i < 6; i++) {
      const headers = { 'x-forwarded-for': `198.51.100.${i}` };
      answers.push((await whoami(app.holder('wrong'), headers)).status);
    }
    assert.deepEqual(answers, [401, 401, 401, 401, 401, 429]);
    assert.equal((await whoami(app.anonymous)).status, 401, 'no credential is no wrong one');
  });

  test('expire after a minute, and their memory is limited', () => {
    let now_ms = 0;
    const failures = failedCredentials({ limit_per_minute: 2, max_networks: 3, monotonic_ms: () => now_ms });
    for (let i = 0; i < 2; i++) failures.failed('a', 'wrong');
    assert.equal(failures.waitSeconds('a', 'wrong'), 60);
    now_ms += 59_500;
    assert.equal(failures.waitSeconds('a', 'wrong'), 1);
    now_ms += 500;
    assert.equal(failures.waitSeconds('a', 'wrong'), 0);
    failures.failed('a', 'wrong');
    assert.equal(failures.waitSeconds('a', 'wrong'), 0);
    for (const address of ['b', 'c', 'd', 'd']) failures.failed(address, 'wrong');
    failures.failed('a', 'wrong');
    assert.equal(failures.waitSeconds('a', 'wrong'), 0, 'the oldest made room');
    assert.equal(failures.waitSeconds('d', 'wrong'), 60);
    now_ms += 600_000;
    failures.waitSeconds('d', 'wrong');
    assert.equal(failures.isEmpty(), true);
  });

  test('that were valid before and revoked count too', () => {
    const failures = failedCredentials({ limit_per_minute: 2, monotonic_ms: () => 0 });
    failures.failed('a', 'wrong');
    failures.worked('a', 'good');
    failures.failed('a', 'wrong');
    assert.deepEqual([failures.waitSeconds('a', 'good'), failures.waitSeconds('a', 'other')], [0, 60]);
    failures.failed('a', 'good');
    assert.equal(failures.waitSeconds('a', 'good'), 60);
  });
});
