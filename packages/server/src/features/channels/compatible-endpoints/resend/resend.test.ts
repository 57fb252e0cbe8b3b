// The official client of Resend, unchanged but for its base URL, works with the compatible endpoints.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { loadVerifier, skipWithout } from '../../../../../../../test/verifiers/load.ts';
import { startTestApp } from '../../../../../testing/app.ts';
import { createMailbox, downloadRaw } from '../../../../../testing/mail-app.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';

type Answer<T> = { data: T | null; error: { statusCode: number; name: string; message: string } | null };
type Sent = { id: string };
type Received = {
  id: string;
  object: string;
  from: string;
  to: string[];
  last_event: string;
  scheduled_at: string | null;
};
type Client = {
  emails: {
    send(email: object, options?: { idempotencyKey: string }): Promise<Answer<Sent>>;
    get(id: string): Promise<Answer<Received>>;
    update(change: { id: string; scheduledAt: string }): Promise<Answer<Sent>>;
    cancel(id: string): Promise<Answer<Sent>>;
  };
  batch: {
    send(
      emails: object[],
      options?: { idempotencyKey?: string; batchValidation?: string },
    ): Promise<Answer<{ data: Sent[]; errors?: { index: number; message: string }[] }>>;
  };
};
type Library = { Resend: new (key: string, options: { baseUrl: string }) => Client };

const skip = skipWithout('resend');
const library = await loadVerifier<Library>('resend');
const service = await startTestApp({ PARLEY_SHARED_KEY_GRANTS_CONSENT: 'on' });
const { client, url } = service;
const baseUrl = `${url}/compat/resend`;
const resend = (key = client.key) => new library!.Resend(key, { baseUrl });
const { default_address } = await createMailbox(client);
const from = `Acme <${default_address}>`;
const email = { from, to: ['delivered@example.org'], subject: 'Hello', html: '<p>It works</p>' };

const recordOf = async (id: string) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body;
const ok = <T>({ data, error }: Answer<T>): T => {
  assert.equal(error, null, JSON.stringify(error));
  return data!;
};
const refused = <T>({ data, error }: Answer<T>, name: string, message: RegExp) => {
  assert.equal(data, null);
  assert.equal(error!.name, name, error!.message);
  assert.match(error!.message, message);
  return error!;
};

describe('an email of the official Resend client', { skip }, () => {
  test('is sent with all its fields', async () => {
    const { id } = ok(
      await resend().emails.send({
        ...email,
        to: 'Bob <bob@example.org>',
        cc: ['carol@example.org'],
        bcc: 'dave@example.org',
        replyTo: 'desk@example.org',
        text: 'It works',
        headers: { 'X-Ticket': '17', 'List-Unsubscribe': '<https://example.org/u/17>' },
        tags: [{ name: 'category', value: 'welcome' }],
        attachments: [
          { filename: 'a.txt', content: Buffer.from('A file').toString('base64') },
          { filename: 'logo.png', content: Buffer.from('logo'), contentType: 'image/png', contentId: 'logo' },
        ],
      }),
    );
    const record = await recordOf(id);
    assert.deepEqual(
      [record.from_name, record.to_addresses, record.cc_addresses, record.bcc_addresses, record.reply_to],
      ['Acme', ['bob@example.org'], ['carol@example.org'], ['dave@example.org'], 'desk@example.org'],
    );
    assert.deepEqual([record.metadata, record.labels], [{ category: 'welcome' }, ['category:welcome']]);
    assert.deepEqual(
      record.attachments.map(({ filename, content_type, size_bytes }) => [
        filename,
        content_type,
        size_bytes,
      ]),
      [
        ['a.txt', 'application/octet-stream', 6],
        ['logo.png', 'image/png', 4],
      ],
    );
    const message = await downloadRaw(client, id);
    assert.match(message, /^X-Ticket: 17\r$/m);
    assert.match(message, /^List-Unsubscribe: <https:\/\/example\.org\/u\/17>\r$/m);
    assert.match(message, /^Content-ID: <logo>\r$/m);
    assert.doesNotMatch(message, /dave@example\.org/);
  });

  test('can be read, and says what happened last', async () => {
    const { id } = ok(await resend().emails.send(email));
    const found = await waitFor('it is delivered', async () => {
      const now = ok(await resend().emails.get(id));
      return now.last_event === 'delivered' ? now : null;
    });
    assert.deepEqual([found.object, found.id, found.to, found.from], ['email', id, email.to, from]);
    const missing = await resend().emails.get('019a8c1e-8d20-7b55-a1c3-6e7f80911223');
    refused(missing, 'not_found', /./);
  });

  test('is scheduled, moved and canceled', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const { id } = ok(await resend().emails.send({ ...email, scheduledAt: at(1) }));
    const found = ok(await resend().emails.get(id));
    assert.equal(found.last_event, 'scheduled');
    const later = at(2);
    assert.equal(ok(await resend().emails.update({ id, scheduledAt: later })).id, id);
    assert.equal(ok(await resend().emails.get(id)).scheduled_at, later);
    assert.equal(ok(await resend().emails.cancel(id)).id, id);
    assert.equal(ok(await resend().emails.get(id)).last_event, 'canceled');
    refused(await resend().emails.cancel(id), 'validation_error', /./);
    refused(
      await resend().emails.send({ ...email, scheduledAt: 'in 1 min' }),
      'validation_error',
      /ISO 8601/,
    );
  });

  test('is sent once for one idempotency key', async () => {
    const idempotencyKey = 'k'.repeat(256);
    const first = ok(await resend().emails.send(email, { idempotencyKey }));
    assert.equal(ok(await resend().emails.send(email, { idempotencyKey })).id, first.id);
    const other = await resend().emails.send({ ...email, subject: 'Other' }, { idempotencyKey });
    assert.equal(refused(other, 'invalid_idempotent_request', /./).statusCode, 409);
  });
});

describe('a batch of the official Resend client', { skip }, () => {
  test('is stored as a whole, and repeated with the same key it returns the same ids', async () => {
    const emails = [email, { ...email, subject: 'Second', tags: [{ name: 'n', value: '2' }] }];
    const options = { idempotencyKey: 'batch-1' };
    const { data } = ok(await resend().batch.send(emails, options));
    assert.equal(data.length, 2);
    assert.deepEqual(ok(await resend().batch.send(emails, options)).data, data);
    const second = await recordOf(data[1]!.id);
    assert.deepEqual([second.subject, second.labels], ['Second', ['n:2']]);
  });

  test('is refused with one wrong email, or with permissive validation sent without it', async () => {
    const emails = [{ ...email, from: 'a@not-mine.example' }, email, { ...email, to: undefined }];
    const strict = await resend().batch.send(emails.slice(0, 2));
    refused(strict, 'validation_error', /\[0\]\.from/);
    const { data, errors } = ok(await resend().batch.send(emails, { batchValidation: 'permissive' }));
    assert.equal(data.length, 1);
    assert.deepEqual(
      errors!.map(({ index }) => index),
      [0, 2],
    );
  });
});

describe('the compatible endpoints refuse', { skip }, () => {
  test('requests that lack a field or use one that does not exist here', async () => {
    const { from: _, ...without_from } = email;
    const missing = refused(await resend().emails.send(without_from), 'missing_required_field', /from/);
    assert.equal(missing.statusCode, 422);
    const wrong = [
      [{ topicId: 't' }, /topics/],
      [{ template: { id: 't' }, html: undefined }, /templates/],
      [{ attachments: [{ filename: 'a', path: 'https://example.org/a' }] }, /not fetched/],
      [{ replyTo: ['a@example.org', 'b@example.org'] }, /one address/],
      [{ to: ['not an address'] }, /to\[0\]/],
      [{ headers: { 'DKIM-Signature': 'x' } }, /DKIM-Signature/],
    ] as const;
    for (const [change, message] of wrong)
      refused(await resend().emails.send({ ...email, ...change }), 'validation_error', message);
  });

  test('a wrong key, no key, too few scopes, and a key that does not grant consent', async () => {
    assert.equal(
      refused(await resend('re_wrong').emails.send(email), 'invalid_api_key', /./).statusCode,
      403,
    );
    const bare = await fetch(`${baseUrl}/emails`, { method: 'POST' });
    assert.equal(bare.status, 401);
    assert.equal(((await bare.json()) as { name: string }).name, 'missing_api_key');
    const reader = service.organization({ scopes: ['emails:read'] });
    refused(await resend(reader.key).emails.send(email), 'restricted_api_key', /emails:write/);
    const plain = service.organization();
    const refusal = refused(await resend(plain.key).emails.send(email), 'consent_required', /grants_consent/);
    assert.equal(refusal.statusCode, 422);
  });

  test('what the rules of the organization stop', async () => {
    const suppressed = { recipient: 'gone@example.org', reason: 'manual' };
    const added = await client.request('POST', '/v1/email-suppressions', suppressed);
    assert.ok(added.status < 300, added.text);
    refused(
      await resend().emails.send({ ...email, to: suppressed.recipient }),
      'validation_error',
      /suppress/,
    );
    const other = await fetch(`${baseUrl}/domains`, { headers: { authorization: `Bearer ${client.key}` } });
    assert.equal(other.status, 404);
    assert.equal(((await other.json()) as { name: string }).name, 'not_found');
  });
});
