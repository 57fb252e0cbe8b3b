// Two processes of the previous release are replaced one by one while requests come in: no request fails, and every
// message is sent exactly once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { type Receiver, startReceiver } from '../../packages/server/testing/receiver.ts';
import { pause } from '../../packages/server/testing/wait-for.ts';
import { previous_release_missing, previousRelease } from './previous-release.ts';
import { type Answer, makeHome, type requester, type Service, until } from './process.ts';

const clients = 4;

/** Sends requests to the services that are in rotation, as a load balancer does. */
function loadBalancer() {
  const in_rotation: { service: Service; open: Set<Promise<unknown>> }[] = [];
  let turn = 0;
  return {
    add: (service: Service) => void in_rotation.push({ service, open: new Set() }),
    /** Takes the service out of rotation and stops it when its requests are answered. */
    async replace(service: Service, start: () => Promise<Service>): Promise<Service> {
      const index = in_rotation.findIndex((each) => each.service === service);
      const [removed] = in_rotation.splice(index, 1);
      await Promise.all(removed!.open);
      assert.deepEqual(await service.stop(), { code: 0, signal: null });
      const started = await start();
      in_rotation.push({ service: started, open: new Set() });
      return started;
    },
    async request<T>(...args: Parameters<ReturnType<typeof requester>>): Promise<Answer<T>> {
      const { service, open } = in_rotation[turn++ % in_rotation.length]!;
      const answer = service.request<T>(...args);
      open.add(answer);
      return answer.finally(() => open.delete(answer));
    },
  };
}
type LoadBalancer = ReturnType<typeof loadBalancer>;

type Sent = { texts: string[]; emails: string[]; failures: string[] };

/** Sends texts and emails, and reads lists, until it is stopped. */
function sendMessages(balancer: LoadBalancer) {
  const sent: Sent = { texts: [], emails: [], failures: [] };
  let is_stopped = false;
  let count = 0;
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await balancer.request<{ id: string }>(method, path, body);
    if (answer.status >= 300) sent.failures.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body.id;
  };
  const loops = Array.from({ length: clients }, async () => {
    while (!is_stopped) {
      const number = count++;
      const consent = { recipient_consent: true };
      const to = `+1415555${String(2000 + (number % 7000))}`;
      sent.texts.push(await ask('POST', '/v1/sms', { ...consent, to, body: `Text ${number}` }));
      const email = { ...consent, to: [`person${number}@example.org`], subject: `Mail ${number}` };
      sent.emails.push(await ask('POST', '/v1/emails', email));
      await ask('GET', '/v1/events?limit=5');
      // A start takes seconds; without a pause thousands of messages would be sent meanwhile.
      await pause(50, 'a client that is not as fast as it can');
    }
  });
  const stop = async () => {
    is_stopped = true;
    await Promise.all(loops);
  };
  return { sent, stop };
}

async function prepare(service: Service, receiver: Receiver): Promise<string> {
  const hook = await service.request<{ id: string }>('POST', '/v1/webhooks', {
    target_url: `${receiver.url}/hook`,
    event_types: ['sms.delivered'],
  });
  assert.equal(hook.status, 201, hook.text);
  const domain = await service.request('POST', '/v1/email-domains', { kind: 'service_mail' });
  assert.equal(domain.status, 201, domain.text);
  // Of the numbers that the previous release offers, the new one reserves some that must be registered before they can text.
  const number = await service.request('POST', '/v1/numbers', { country_code: 'US', e164: '+15005554001' });
  assert.equal(number.status, 201, number.text);
  return hook.body.id;
}

test('a rolling upgrade from the previous release', { skip: previous_release_missing }, async (t) => {
  const database = await createDatabase('empty');
  t.after(database.drop);
  const receiver = await startReceiver();
  const settings = {
    DATABASE_URL: database.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-test-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_SANDBOX: 'on',
    PARLEY_SERVICE_MAIL_DOMAIN: 'mail.example.com',
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
    PARLEY_REQUESTS_PER_MINUTE: '1000000',
    PARLEY_ROLES: 'api,worker',
  };
  const old_main = previousRelease(t);
  const startOld = () => makeHome(t, { main: old_main }).start(settings);
  const startNew = () => makeHome(t).start(settings);

  const balancer = loadBalancer();
  const old = [await startOld(), await startOld()] as const;
  for (const service of old) balancer.add(service);
  const subscription_id = await prepare(old[0], receiver);
  const load = sendMessages(balancer);
  const more = async () => {
    const target = load.sent.texts.length + 40;
    await until(() => load.sent.texts.length >= target || load.sent.failures.length > 0);
  };
  await more();
  const first = await balancer.replace(old[0], startNew);
  assert.match(first.output(), /database migrated/);
  // The old process works on the new schema, with prepared statements for the old one. A reader of its delivery log makes
  // it insert rows that exist already.
  await old[1].request('GET', `/v1/webhooks/${subscription_id}/deliveries`);
  await more();
  const second = await balancer.replace(old[1], startNew);
  await more();
  await load.stop();
  const { texts, emails, failures } = load.sent;

  await t.test('no request fails', () => assert.deepEqual(failures, []));

  await t.test('every text is delivered and reported once', async () => {
    const reported = () => receiver.at('/hook').map(({ json }) => String(json.data.id));
    await until(() => new Set(reported()).size >= texts.length);
    assert.deepEqual(reported().toSorted(), texts.toSorted());
  });

  await t.test('every email and every text is in the sandbox outbox once', async () => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Answer<{ items: { id: string }[]; next_cursor: string | null }> = await second.request(
        'GET',
        `/v1/sandbox/outbox?limit=200${cursor && `&cursor=${cursor}`}`,
      );
      ids.push(...page.body.items.map(({ id }) => id));
      cursor = page.body.next_cursor;
    }
    assert.deepEqual(ids.toSorted(), [...texts, ...emails].toSorted());
  });
});
