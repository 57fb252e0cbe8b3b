// Rules for recipients hold for every spelling of an address and for every source of recipients.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { type Client, startTestApp } from '../../../../../testing/app.ts';

type Problem = { code: string; detail: string; errors: { path: string }[] };

const { organization } = await startTestApp();

const smallest = { recipient_consent: true, to: ['bob@example.org'], subject: 'Hello' };
const post = <T = Email & Problem>(of: Client, path: string, body: object) =>
  of.request<T>('POST', path, body);
const send = async (of: Client, body: object) => {
  const answer = await post(of, '/v1/emails', { ...smallest, ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const refused = async (of: Client, path: string, body: object) => {
  const answer = await post<Problem>(of, path, { recipient_consent: true, ...body });
  assert.equal(answer.status, 422, answer.text);
  return [answer.body.code, ...answer.body.errors.map((error) => error.path)];
};
const people = (count: number, name = 'p') =>
  Array.from({ length: count }, (_, i) => `${name}${i}@example.org`);

test('a line break is refused also at the start and end of an entry', async () => {
  const own = organization();
  for (const text of [
    'a@x.test\r\n',
    '\r\na@x.test',
    'Ana\r\n <a@x.test>',
    '"Ana\n" <a@x.test>',
    'a@x.test\u2028',
  ]) {
    for (const body of [{ to: [text] }, { reply_to: text }]) {
      const [code] = await refused(own, '/v1/emails', { ...smallest, ...body });
      assert.equal(code, 'invalid_email_address', JSON.stringify(body));
    }
  }
});

test('a domain that DNS cannot have is refused', async () => {
  for (const domain of ['１２７.０.０.１', 'a／b.test', `${'ü'.repeat(60)}.test`])
    assert.deepEqual(await refused(organization(), '/v1/emails', { ...smallest, to: [`a@${domain}`] }), [
      'invalid_email_address',
      'body.to[0]',
    ]);
});

test('a suppressed address is suppressed in all its spellings', async () => {
  const own = organization();
  for (const recipient of ['one@bücher.test', 'two@xn--bcher-kva.test', 'three@xtest.test'])
    assert.equal((await post(own, '/v1/email-suppressions', { recipient })).status, 201);
  for (const to of ['One@xn--bcher-kva.test', 'two@BÜCHER.test', 'two@bu\u0308cher.test', 'three@ⓧtest.test'])
    assert.deepEqual(await refused(own, '/v1/emails', { ...smallest, to: ['ok@example.org', to] }), [
      'recipient_suppressed',
      'body.to[1]',
    ]);
});

describe('a reply', () => {
  test('counts the recipients that it adds from the original email', async () => {
    const own = organization();
    const email = await send(own, { to: people(25), cc: people(20, 'c') });
    const path = `/v1/emails/${email.id}/reply`;
    assert.deepEqual(await refused(own, path, { cc: people(26, 'n') }), ['too_many_recipients', 'body.cc']);
    assert.deepEqual(await refused(own, path, { reply_all: true, bcc: people(6, 'n') }), [
      'too_many_recipients',
      'body.reply_all',
    ]);
    const answer = await post(own, path, {
      recipient_consent: true,
      reply_all: true,
      bcc: people(5, 'n'),
    });
    assert.equal(answer.status, 201, answer.text);
  });

  test('offers one-click unsubscribe only with one recipient', async () => {
    const own = organization();
    const two = await send(own, { to: people(2) });
    const reply = { list_unsubscribe: true };
    assert.deepEqual(await refused(own, `/v1/emails/${two.id}/reply`, reply), [
      'unsubscribe_needs_one_recipient',
      'body.list_unsubscribe',
    ]);
    const one = await send(own, {});
    const answer = await post(own, `/v1/emails/${one.id}/reply`, { recipient_consent: true, ...reply });
    assert.equal(answer.status, 201, answer.text);
  });
});
