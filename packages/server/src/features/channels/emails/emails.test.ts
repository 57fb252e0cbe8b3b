// Sending and reading email, over HTTP against the whole service with the sandbox transport.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Email, EmailListItem } from '@parley/contract/channels/emails/email-records';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import {
  emailEvents,
  emailTimeline,
  type Page,
  type Problem,
  refusedEmail,
  sendEmail,
  smallest,
  type TimelineEntry,
} from '../../../../testing/sent-emails.ts';

const { app, db, client, organization } = await startTestApp();

const eventsOf = (id: string) => emailEvents({ db }, id);
const read = async (of: Client, id: string) => (await of.request<Email>('GET', `/v1/emails/${id}`)).body;

describe('sending', () => {
  test('the smallest body succeeds on a fresh install and returns the whole record', async () => {
    const own = organization();
    const email = await sendEmail(own);
    assert.equal(email.status, 'sent');
    assert.equal(email.direction, 'outbound');
    assert.equal(email.from_address, `agent+${own.organization_id.slice(-12)}@sandbox.test`);
    assert.deepEqual(email.to_addresses, ['bob@example.org']);
    assert.equal(email.message_id, `<${email.id}@sandbox.test>`);
    assert.ok(email.sent_at && email.provider_message_id && email.conversation_id);
    for (const absent of [
      'end_reason',
      'failed_at',
      'body_text',
      'body_html',
      'in_reply_to',
      'spam_verdict',
    ] as const)
      assert.equal(email[absent], null, absent);
    assert.deepEqual(await read(own, email.id), email);
    const domains = await own.request<Page<{ kind: string; verification_status: string }>>(
      'GET',
      '/v1/email-domains',
    );
    assert.deepEqual(
      domains.body.items.map(({ kind, verification_status }) => [kind, verification_status]),
      [['service_mail', 'verified']],
    );
  });

  test('reports delivery on the timeline and as an event, in the same commit', async () => {
    const email = await sendEmail(client);
    assert.deepEqual(
      (await emailTimeline(client, email.id)).map((entry) => entry.kind),
      ['sent', 'delivered'],
    );
    const [event, ...more] = await eventsOf(email.id);
    assert.deepEqual(more, []);
    assert.equal(event!.type, 'email.delivered');
    assert.deepEqual(Object.keys(event!.data), [
      'id',
      'kind',
      'occurred_at',
      'from_address',
      'to_addresses',
      'subject',
      'detail',
    ]);
  });

  test('without consent is refused with its own error code, and nothing is stored', async () => {
    const own = organization();
    for (const recipient_consent of [false, 'true', 1, null, undefined]) {
      const problem = await refusedEmail(own, { recipient_consent });
      assert.equal(problem.code, 'consent_required');
      assert.deepEqual(
        problem.errors?.map((error) => error.path),
        ['body.recipient_consent'],
      );
    }
    assert.deepEqual((await own.request<Page<Email>>('GET', '/v1/emails')).body.items, []);
    assert.deepEqual((await own.request<Page<Email>>('GET', '/v1/email-domains')).body.items, []);
  });

  test('accepts an entry only if it is exactly one address', async () => {
    for (const hostile of [
      'b@y.test\r\nBcc: e@x.test',
      'b@y.test,e@x.test',
      'b@y.test; e@x.test',
      'b@y.test e@x.test',
      '"b@y.test" <e@x.test>',
      'group: b@y.test;',
      'b@y.test (e@x.test)',
      '<b@y.test> <e@x.test>',
      '"b@y.test>,<e"@x.test',
      'b@y.test\u2028e@x.test',
      'b@[127.0.0.1]',
      'b@localhost',
      '@y.test',
      'b@',
      '',
      'b@y..test',
      `${'x'.repeat(65)}@y.test`,
      // The limit of 64 is in bytes.
      `${'ü'.repeat(33)}@y.test`,
    ]) {
      const problem = await refusedEmail(client, { to: [hostile] });
      assert.equal(problem.code, 'invalid_email_address', JSON.stringify(hostile));
      assert.deepEqual(
        problem.errors?.map((error) => error.path),
        ['body.to[0]'],
      );
    }
    const email = await sendEmail(client, {
      to: ['"Sousa, Ana" <ana@Example.com>', 'Zoë <zoë@bücher.example>'],
      cc: ['  c@example.org '],
    });
    assert.deepEqual(email.to_addresses, ['ana@example.com', 'zoë@bücher.example']);
    assert.deepEqual(email.cc_addresses, ['c@example.org']);
  });

  test('has an error code for every other rule', async () => {
    const many = Array.from({ length: 51 }, (_, i) => `p${i}@example.org`);
    const cases: [object, string, string][] = [
      [{ to: many.slice(0, 20), cc: many.slice(20, 40), bcc: many.slice(40) }, 'too_many_recipients', 'body'],
      [{ to: Array(100_000).fill('junk') }, 'too_many_recipients', 'body.to'],
      [{ headers: Object.fromEntries(many.map((name) => [name, ''])) }, 'too_many_headers', 'body.headers'],
      [{ subject: 'a\r\nBcc: e@x.test' }, 'invalid_header_text', 'body.subject'],
      [{ from_name: 'a\nb' }, 'invalid_header_text', 'body.from_name'],
      [{ subject: 'a\u0001b' }, 'invalid_header_text', 'body.subject'],
      [{ headers: { 'X-A': 'b\r\nBcc: e@x.test' } }, 'invalid_header_text', 'body.headers.X-A'],
      [{ headers: { bcc: 'e@x.test' } }, 'header_not_allowed', 'body.headers.bcc'],
      [{ headers: { 'X A': 'b' } }, 'header_not_allowed', 'body.headers.X A'],
      [{ metadata: { a: '€'.repeat(6000) } }, 'metadata_too_large', 'body.metadata'],
      [{ body_html: '<div>'.repeat(150_000) }, 'html_too_deep', 'body.body_html'],
      [{ from: 'ceo@bank.example' }, 'from_not_allowed', 'body.from'],
      [{ email_domain_id: randomUUID() }, 'no_sending_domain', 'body.email_domain_id'],
      [{ in_reply_to: randomUUID() }, 'reply_target_not_found', 'body.in_reply_to'],
      [{ in_reply_to: 'not an id' }, 'reply_target_not_found', 'body.in_reply_to'],
      [{ in_reply_to: '<a\u0001b@x.test>' }, 'invalid_header_text', 'body.in_reply_to'],
      [{ attachment_ids: [randomUUID()] }, 'attachment_not_found', 'body.attachment_ids[0]'],
      [{ list_unsubscribe: true, cc: ['c@example.org'] }, 'unsubscribe_needs_one_recipient', 'body'],
      [{ attachments: [] }, 'validation_failed', 'body.attachments'],
    ];
    for (const [body, code, path] of cases) {
      const problem = await refusedEmail(client, body);
      assert.equal(problem.code, code);
      assert.deepEqual(
        problem.errors?.map((error) => error.path),
        [path],
      );
      assert.ok(problem.fix.length > 10);
    }
  });

  test('accepts fifty recipients', async () => {
    await sendEmail(client, { to: Array.from({ length: 50 }, (_, i) => `p${i}@example.org`) });
  });
});

describe('a transport that refuses', () => {
  test('returns 502; the email is stored as failed, with an event', async () => {
    const own = organization();
    const answer = await own.request<Problem>('POST', '/v1/emails', {
      ...smallest,
      to: ['rejected@sandbox.test'],
    });
    assert.equal(answer.status, 502);
    assert.equal(answer.body.code, 'email_send_failed');
    assert.equal(answer.body.detail, 'email send failed');
    assert.ok(!('id' in answer.body));
    const { items } = (await own.request<Page<EmailListItem>>('GET', '/v1/emails?status=failed')).body;
    assert.equal(items.length, 1);
    assert.equal(items[0]!.end_reason, 'smtp_rejected');
    assert.ok(items[0]!.failed_at);
    assert.ok(answer.body.fix.includes(items[0]!.id));
    assert.equal(answer.body.object_id, items[0]!.id);
    assert.deepEqual(
      (await eventsOf(items[0]!.id)).map((event) => event.type),
      ['email.send_failed'],
    );
    assert.deepEqual(
      (await emailTimeline(own, items[0]!.id)).map((entry) => entry.kind),
      ['send_failed'],
    );
  });

  test('has its response stored for an idempotency key, byte for byte, like a success', async () => {
    for (const [to, status] of [
      ['rejected@sandbox.test', 502],
      ['delivered@sandbox.test', 201],
    ] as const) {
      const own = organization();
      const key = { 'idempotency-key': randomUUID() };
      const body = { ...smallest, to: [to] };
      const first = await own.request('POST', '/v1/emails', body, key);
      const again = await own.request('POST', '/v1/emails', body, key);
      assert.equal(first.status, status);
      assert.equal(again.status, status);
      assert.equal(again.text, first.text);
      assert.equal(first.headers.get('idempotent-replayed'), null);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
      assert.equal((await own.request<Page<Email>>('GET', '/v1/emails')).body.items.length, 1);
      assert.equal((await own.request<Page<Email>>('GET', '/v1/sandbox/outbox')).body.items.length, 1);
    }
  });
});

test('concurrent requests with one idempotency key send one email', async () => {
  const own = organization();
  await sendEmail(own, { subject: 'first' });
  const key = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => own.request('POST', '/v1/emails', smallest, key)),
  );
  for (const answer of answers) assert.ok([201, 409].includes(answer.status), answer.text);
  assert.equal((await own.request<Page<Email>>('GET', '/v1/emails')).body.items.length, 2);
  assert.equal((await own.request<Page<Email>>('GET', '/v1/sandbox/outbox')).body.items.length, 2);
});

describe('suppressions', () => {
  test('can be added, listed and removed by the caller', async () => {
    const own = organization();
    const added = await own.request<{ id: string }>('POST', '/v1/email-suppressions', {
      recipient: 'Nina@Example.org',
    });
    assert.equal(added.status, 201);
    const again = await own.request<{ id: string }>('POST', '/v1/email-suppressions', {
      recipient: 'nina@example.org',
    });
    assert.equal(again.body.id, added.body.id);
    assert.equal((await refusedEmail(own, { to: ['NINA@example.org'] })).code, 'recipient_suppressed');
    assert.equal((await refusedEmail(own, { bcc: ['nina@example.org'] })).code, 'recipient_suppressed');
    await sendEmail(organization(), { to: ['nina@example.org'] });
    const { organization_id } = own;
    const person = organization({ organization_id, credential_kind: 'session' });
    assert.equal((await person.request('DELETE', `/v1/email-suppressions/${added.body.id}`)).status, 204);
    await sendEmail(own, { to: ['nina@example.org'] });
    const bad = await own.request<Problem>('POST', '/v1/email-suppressions', { recipient: 'Nina <n@e.org>' });
    assert.equal(bad.body.code, 'invalid_email_address');
  });
});

describe('reading', () => {
  test('filters by status, direction and conversation', async () => {
    const own = organization();
    const one = await sendEmail(own, { subject: 'One' });
    const two = await sendEmail(own, { subject: 'Two' });
    const ids = async (query: string) =>
      (await own.request<Page<EmailListItem>>('GET', `/v1/emails?${query}`)).body.items.map(
        (item) => item.id,
      );
    assert.deepEqual(await ids('status=sent'), [two.id, one.id]);
    assert.deepEqual(await ids('status=failed'), []);
    assert.deepEqual(await ids('direction=inbound'), []);
    assert.deepEqual(await ids('direction=outbound&limit=1'), [two.id]);
    assert.deepEqual(await ids(`conversation_id=${one.conversation_id}`), [one.id]);
    assert.equal((await own.request('GET', '/v1/emails?status=nope')).status, 422);
  });

  test('a timeline is paged from the oldest entry', async () => {
    const email = await sendEmail(client, {
      to: ['clicked@sandbox.test'],
      body_html: '<a href="https://x.test/">x</a>',
    });
    await app.jobs.drain();
    const kinds: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor ? `&cursor=${cursor}` : '';
      const page = (
        await client.request<Page<TimelineEntry>>('GET', `/v1/emails/${email.id}/events?limit=1${query}`)
      ).body;
      kinds.push(...page.items.map((item) => item.kind));
      cursor = page.next_cursor;
    } while (cursor);
    assert.deepEqual(kinds, ['sent', 'delivered', 'opened', 'clicked']);
  });

  test('the raw message is returned by a redirect to a signed link', async () => {
    const email = await sendEmail(client, { body_text: 'Grüße', to: ['Zoë <zoe@example.org>'] });
    const answer = await client.request('GET', `/v1/emails/${email.id}/raw`);
    assert.equal(answer.status, 302);
    const raw = await fetch(answer.headers.get('location')!);
    assert.equal(raw.status, 200);
    assert.match(raw.headers.get('content-disposition')!, /^attachment/);
    const text = await raw.text();
    assert.ok(text.includes(`Message-ID: ${email.message_id}`));
    assert.match(text, /^To: =\?UTF-8\?Q\?Zo=C3=AB\?= <zoe@example\.org>/m);
    assert.doesNotMatch(text, /^Bcc:/im);
  });
});
