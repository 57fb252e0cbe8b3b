// Failures of texts over Twilio and Telnyx: explain names the culprit, and a script follows the fix.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Client } from '../../../../testing/app.ts';
import { buyNumber, sendText } from '../../../../testing/carriers/numbers-and-texts.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../testing/carriers/service.ts';
import { expected, type FollowedFix, followFixes, verdictOf } from '../../../../testing/followed-fixes.ts';

const onTwilio = await startOnTwilio();
const { twilio, client, operator } = onTwilio;
const numbers = [
  await buyNumber(client, { e164: '+14155550101' }),
  await buyNumber(client, { e164: '+14155550102' }),
];

const friend = '+14155552671';
const wrong_number = '+14155552699';
const posting = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path.endsWith('/Messages.json');

type Body = Record<string, unknown>;
async function handedOver(body: Body = {}): Promise<string> {
  const { id, code } = await sendText(client, body);
  assert.equal(code, undefined);
  await onTwilio.app.jobs.drain();
  return id;
}
async function delivered(body: Body = {}): Promise<string> {
  const id = await handedOver(body);
  assert.equal(await twilio.report(twilio.messages.at(-1)!, 'delivered'), 200);
  return id;
}
/** Twilio accepts the text and reports later that it did not arrive. */
async function notDelivered(report: [status: string, code?: string], body: Body = {}): Promise<string> {
  const id = await handedOver(body);
  assert.equal(await twilio.report(twilio.messages.at(-1)!, ...report), 200);
  return id;
}

const reported: FollowedFix<Client>[] = [
  {
    name: 'a number that cannot receive texts',
    expected: ['invalid_recipient', 'recipient', 'no'],
    fix: /Correct the number of the contact/,
    detail: /30005/,
    async fail(own) {
      await expected(201, own, 'POST', '/v1/contacts', { name: 'Ana', phone_e164: wrong_number });
      return notDelivered(['undelivered', '30005'], { to: wrong_number });
    },
    async follow(own) {
      type Contacts = { items: { id: string; phone_e164: string }[] };
      const { items } = await expected<Contacts>(200, own, 'GET', '/v1/contacts');
      const { id } = items.find(({ phone_e164 }) => phone_e164 === wrong_number)!;
      await expected(200, own, 'PATCH', `/v1/contacts/${id}`, { phone_e164: friend });
      return delivered({ to: friend });
    },
    works: 'delivered',
  },
  {
    name: 'a phone that was off',
    expected: ['unreachable', 'recipient', 'later'],
    fix: /Send it again later with a new Idempotency-Key/,
    detail: /30003/,
    fail: () => notDelivered(['undelivered', '30003']),
    follow: () => delivered(),
    works: 'delivered',
  },
  {
    name: 'a text that a network takes for spam',
    expected: ['filtered', 'carrier', 'now_with_new_key'],
    fix: /plainer text without short links.*and send again/,
    detail: /30007/,
    fail: () => notDelivered(['undelivered', '30007'], { body: 'WIN NOW https://bit.ly/1' }),
    follow: () => delivered({ body: 'Your table is booked for Tuesday.' }),
    works: 'delivered',
  },
  {
    name: 'a code of the carrier that has no meaning here',
    expected: ['rejected', 'carrier', 'now_with_new_key'],
    fix: /Look the provider_code up with the carrier/,
    detail: /^99999$/,
    fail: () => notDelivered(['failed', '99999']),
    follow: () => delivered(),
    works: 'delivered',
  },
  {
    name: 'a text that did not arrive, without a reason',
    expected: ['undelivered', 'carrier', 'later'],
    fix: /^Send it again later/,
    fail: () => notDelivered(['undelivered']),
    follow: () => delivered(),
    works: 'delivered',
  },
  {
    name: 'a person who opted out at the carrier',
    expected: ['recipient_opted_out', 'recipient', 'no'],
    fix: /suppressed until the person texts START to the sender/,
    async fail() {
      twilio.opted_out.add('+14155550399');
      return handedOver({ to: '+14155550399' });
    },
    async follow(own) {
      const to = '+14155550399';
      assert.equal((await sendText(own, { to })).code, 'recipient_suppressed');
      await twilio.textIn({ from: to, to: numbers[0]!.e164, body: 'START' });
      return delivered({ to });
    },
    works: 'delivered',
  },
  {
    name: 'a person who opted out at the carrier and agreed in another way',
    expected: ['recipient_opted_out', 'recipient', 'no'],
    fix: /let a person remove the suppression; a carrier that keeps its own list still refuses until it gets START/,
    async fail() {
      twilio.opted_out.add('+14155550398');
      return handedOver({ to: '+14155550398' });
    },
    async follow(own) {
      const to = '+14155550398';
      const remove = () =>
        expected(204, operator, 'DELETE', `/v1/sms/suppressions?recipient=${encodeURIComponent(to)}`);
      await remove();
      const refused = await handedOver({ to });
      assert.equal((await verdictOf(own, refused)).code, 'recipient_opted_out', 'Twilio still refuses');
      await twilio.textIn({ from: to, to: numbers[0]!.e164, body: 'START' });
      return delivered({ to });
    },
    works: 'delivered',
  },
  {
    name: 'a sender that the account does not have any more',
    expected: ['invalid_sender', 'you', 'now_with_new_key'],
    fix: /Send from an active number of GET \/v1\/numbers/,
    detail: /not a valid message-capable/,
    fail() {
      const at = twilio.numbers.findIndex(({ phone_number }) => phone_number === numbers[0]!.e164);
      twilio.numbers.splice(at, 1);
      return handedOver({ from: numbers[0]!.e164 });
    },
    async follow(own) {
      type Numbers = { items: { e164: string; provisioning_state: string }[] };
      const { items } = await expected<Numbers>(200, own, 'GET', '/v1/numbers');
      const active = items.filter(({ provisioning_state }) => provisioning_state === 'active');
      const other = active.find(({ e164 }) => e164 !== numbers[0]!.e164)!;
      return delivered({ from: other.e164 });
    },
    works: 'delivered',
  },
  {
    name: 'a carrier that is too busy for a quarter of an hour',
    expected: ['carrier_unavailable', 'carrier', 'later'],
    fix: /status page and its limits per sender, then send again/,
    async fail() {
      const repair = twilio.failAll('too_many', posting);
      const id = await handedOver({ from: numbers[1]!.e164 });
      // The attempts are two minutes apart.
      await onTwilio.later(18 * 60);
      repair();
      return id;
    },
    follow: () => delivered({ from: numbers[1]!.e164 }),
    works: 'delivered',
  },
];

describe('Twilio', () => {
  followFixes(
    reported,
    () => client,
    (own) => own,
  );
});

describe('the credentials of Twilio', () => {
  const withToken = async (more: Record<string, string>) => {
    const service = await startOnTwilio({ PARLEY_SMS_DEFAULT_SENDER: '+14155550101', ...more });
    service.twilio.numbers.push({ ...twilio.numbers[0]!, phone_number: '+14155550101' });
    return service;
  };
  followFixes<{ current: Client }>(
    [
      {
        name: 'a token that the carrier refuses',
        expected: ['carrier_unavailable', 'carrier', 'later'],
        fix: /Read the detail. Check the credentials of the carrier/,
        detail: /401/,
        async fail(own) {
          const service = await withToken({ TWILIO_AUTH_TOKEN: 'wrong' });
          own.current = service.client;
          const { id } = await sendText(service.client);
          await service.app.jobs.drain();
          await service.later(16 * 60);
          return id;
        },
        async follow(own) {
          const service = await withToken({});
          own.current = service.client;
          const { id } = await sendText(service.client);
          await service.app.jobs.drain();
          return id;
        },
        works: 'sent',
      },
    ],
    () => ({ current: client }),
    // The client of the service that runs now.
    (own) => ({ ...own.current, request: (...request) => own.current.request(...request) }),
  );
});

describe('Telnyx', async () => {
  const service = await startOnTelnyx();
  const { telnyx } = service;
  await buyNumber(service.client);
  const send = async (body: string) => {
    const { id } = await sendText(service.client, { body });
    await service.app.jobs.drain();
    return id;
  };
  const again = async (body: string) => {
    const id = await send(body);
    await telnyx.report(telnyx.messages.at(-1)!, 'delivered');
    return id;
  };
  const cases: FollowedFix<Client>[] = [
    {
      name: 'a response that was lost, and a carrier that cannot be asked',
      expected: ['unconfirmed', 'carrier', 'no'],
      fix: /Do not send it again blindly.*look for the text in the log of the carrier/,
      async fail() {
        telnyx.failNext('lost', ({ method, path }) => method === 'POST' && path.endsWith('/messages'));
        const id = await send('Lost at Telnyx');
        await service.later(60);
        await service.later(700);
        return id;
      },
      async follow() {
        const found = telnyx.messages.filter(({ text }) => text === 'Lost at Telnyx');
        assert.equal(found.length, 1, 'the carrier has the text once, so sending again would send it twice');
        return undefined;
      },
    },
    {
      name: 'a phone that was out of coverage',
      expected: ['unreachable', 'recipient', 'later'],
      fix: /Send it again later/,
      detail: /40008/,
      async fail() {
        const id = await send('Hello');
        await telnyx.report(telnyx.messages.at(-1)!, 'delivery_failed', '40008');
        return id;
      },
      follow: () => again('Hello again'),
      works: 'delivered',
    },
    {
      name: 'a person who opted out there',
      expected: ['recipient_opted_out', 'recipient', 'no'],
      fix: /suppressed until the person texts START/,
      async fail(own) {
        telnyx.opted_out.add('+14155550399');
        const { id } = await sendText(own, { to: '+14155550399' });
        await service.app.jobs.drain();
        return id;
      },
      async follow(own) {
        const to = '+14155550399';
        await telnyx.textIn({ from: to, to: telnyx.numbers[0]!.phone_number, body: 'START' });
        const { id } = await sendText(own, { to });
        await service.app.jobs.drain();
        await telnyx.report(telnyx.messages.at(-1)!, 'delivered');
        return id;
      },
      works: 'delivered',
    },
  ];
  followFixes(
    cases,
    () => service.client,
    (own) => own,
  );
});
