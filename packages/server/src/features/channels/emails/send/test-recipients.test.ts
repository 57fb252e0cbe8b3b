// The test recipients of the sandbox: each always has the same outcome.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import {
  emailEvents,
  emailTimeline,
  type Page,
  refusedEmail,
  sendEmail,
  smallest,
} from '../../../../../testing/sent-emails.ts';

const { app, db, client, organization } = await startTestApp();

const suppressed = async (of: Client) =>
  (
    await of.request<Page<{ recipient: string; reason: string }>>('GET', '/v1/email-suppressions')
  ).body.items.map(({ recipient, reason }) => [recipient, reason]);
const eventsOf = (id: string) => emailEvents({ db }, id);
const read = async (of: Client, id: string) => (await of.request<Email>('GET', `/v1/emails/${id}`)).body;

describe('test recipients have fixed outcomes', () => {
  const outcomes: Record<string, { kinds: string[]; status: string; events: string[]; html?: string }> = {
    delivered: { kinds: ['sent', 'delivered'], status: 'sent', events: ['email.delivered'] },
    delayed: { kinds: ['sent', 'delivery_delayed'], status: 'sent', events: ['email.delivery_delayed'] },
    bounced: { kinds: ['sent', 'bounced'], status: 'bounced', events: ['email.bounced'] },
    softbounced: { kinds: ['sent', 'bounced'], status: 'sent', events: ['email.bounced'] },
    complained: {
      kinds: ['sent', 'delivered', 'complained'],
      status: 'complained',
      events: ['email.delivered', 'email.complained'],
    },
    opened: {
      kinds: ['sent', 'delivered', 'opened'],
      status: 'sent',
      events: ['email.delivered', 'email.opened'],
      html: '<p>hi</p>',
    },
    clicked: {
      kinds: ['sent', 'delivered', 'opened', 'clicked'],
      status: 'sent',
      events: ['email.delivered', 'email.opened', 'email.clicked'],
      html: '<a href="https://example.org/">hi</a>',
    },
  };
  for (const [local, expected] of Object.entries(outcomes)) {
    test(`${local}@sandbox.test`, async () => {
      const own = organization();
      const email = await sendEmail(own, {
        to: [`${local}@sandbox.test`],
        ...(expected.html ? { body_html: expected.html } : {}),
      });
      assert.equal(email.status, 'sent');
      await app.jobs.drain();
      assert.deepEqual(
        (await emailTimeline(own, email.id)).map((entry) => entry.kind),
        expected.kinds,
      );
      assert.equal((await read(own, email.id)).status, expected.status);
      assert.deepEqual(
        (await eventsOf(email.id)).map((event) => event.type),
        expected.events,
      );
    });
  }

  test('a hard bounce is reported as hard and suppresses the address', async () => {
    const own = organization();
    const email = await sendEmail(own, { to: ['bounced@sandbox.test'] });
    await app.jobs.drain();
    const [event] = await eventsOf(email.id);
    const detail = event!.data.detail as Record<string, unknown>;
    assert.equal(detail.hard, true);
    assert.deepEqual(detail.recipients, ['bounced@sandbox.test']);
    assert.ok(detail.bounce_type && detail.bounce_sub_type && detail.diagnostic_code);
    assert.equal((await read(own, email.id)).end_reason, 'hard_bounce');
    assert.deepEqual(await suppressed(own), [['bounced@sandbox.test', 'hard_bounce']]);
  });

  test('a suppressed address is refused, with its path in the request', async () => {
    const own = organization();
    await own.request('POST', '/v1/email-suppressions', { recipient: 'gone@sandbox.test' });
    const problem = await refusedEmail(own, { to: ['ok@example.org', 'Gone@sandbox.test'] });
    assert.equal(problem.code, 'recipient_suppressed');
    assert.match(problem.detail, /gone@sandbox\.test/);
    assert.deepEqual(
      problem.errors?.map((error) => error.path),
      ['body.to[1]'],
    );
  });

  test('bounced@, complained@ and rejected@ can be used repeatedly; their suppression is listed (M10)', async () => {
    const own = organization();
    for (const attempt of [1, 2, 3]) {
      for (const [local, status] of [
        ['bounced', 'bounced'],
        ['complained', 'complained'],
      ] as const) {
        const email = await sendEmail(own, { to: [`${local}@sandbox.test`] });
        await app.jobs.drain();
        assert.equal((await read(own, email.id)).status, status, `${local}, attempt ${attempt}`);
      }
      await sendEmail(own, { to: ['rejected@sandbox.test', 'delivered@sandbox.test'] });
      await app.jobs.drain();
      const rejected = await own.request('POST', '/v1/emails', {
        ...smallest,
        to: ['rejected@sandbox.test'],
      });
      assert.equal(rejected.status, 502, rejected.text);
    }
    assert.deepEqual((await suppressed(own)).sort(), [
      ['bounced@sandbox.test', 'hard_bounce'],
      ['complained@sandbox.test', 'complaint'],
      ['rejected@sandbox.test', 'hard_bounce'],
    ]);
  });

  test('clicked@ reports a link of the message, or nothing if it has none (M10)', async () => {
    const clicks = async (body_html: string) => {
      const email = await sendEmail(client, { to: ['clicked@sandbox.test'], body_html });
      await app.jobs.drain();
      return (await emailTimeline(client, email.id))
        .filter(({ kind }) => kind === 'clicked')
        .map(({ detail }) => detail.link);
    };
    const link =
      '<p>Hi, <a href="mailto:a@b.test">write</a> or <a href="https://shop.test/a?b=1&amp;c=2">buy</a></p>';
    assert.deepEqual(await clicks(link), ['https://shop.test/a?b=1&c=2']);
    assert.deepEqual(await clicks('<p>hi</p>'), []);
  });

  test('a soft bounce leaves the email sent and the address usable', async () => {
    const own = organization();
    const email = await sendEmail(own, { to: ['softbounced@sandbox.test'] });
    await app.jobs.drain();
    assert.equal((await read(own, email.id)).status, 'sent');
    await sendEmail(own, { to: ['softbounced@sandbox.test'] });
  });

  test('opens of an email without an HTML body are ignored', async () => {
    const email = await sendEmail(client, { to: ['opened@sandbox.test'], body_text: 'plain' });
    await app.jobs.drain();
    assert.deepEqual(
      (await emailTimeline(client, email.id)).map((entry) => entry.kind),
      ['sent', 'delivered'],
    );
  });

  test('an email to mixed recipients is sent, and the refused ones bounce', async () => {
    const own = organization();
    const email = await sendEmail(own, { to: ['rejected@sandbox.test', 'ok@example.org'] });
    await app.jobs.drain();
    const bounce = (await emailTimeline(own, email.id)).find((entry) => entry.kind === 'bounced')!;
    assert.deepEqual(bounce.detail.recipients, ['rejected@sandbox.test']);
  });
});
