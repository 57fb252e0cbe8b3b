// A real client sends and reads over the sandbox, in both modes.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Client, type Progress, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startTestApp } from '../../server/testing/app.ts';
import { codedSpeech, people } from '../../server/testing/calls.ts';
import { sharedValidator } from '../testing/shared-validator.ts';
import { startMcp } from './index.ts';
import type { Mode } from './mode.ts';

const api = await startTestApp({ PARLEY_SANDBOX: 'on' }, { speech: () => codedSpeech() });

type Matched = {
  index: number;
  object: { record: Record<string, unknown> };
  untrusted_content: { code: string | null };
};

async function agent(
  mode: Mode,
  options: {
    token?: string;
    consent?: 'accept' | 'decline' | 'false';
    opens_pages?: true;
    toolsets?: string[];
  } = {},
) {
  const mcp = await startMcp({
    api_url: api.url,
    toolsets: ['default', ...(options.toolsets ?? [])],
    read_only: false,
    mode,
    host: '127.0.0.1',
    port: 0,
    public_url: null,
    onError: (error) => assert.fail(error),
  });
  after(() => mcp.close());
  const client = new Client(
    { name: 'agent', version: '1' },
    {
      capabilities: options.opens_pages
        ? { elicitation: { url: {} } }
        : options.consent
          ? { elicitation: {} }
          : {},
      versionNegotiation: { mode: 'auto' },
      jsonSchemaValidator: sharedValidator,
    },
  );
  const questions: string[] = [];
  if (options.opens_pages)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push((params as { url: string }).url);
      await decidePending();
      return { action: 'accept' };
    });
  else if (options.consent)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      if (options.consent === 'decline') return { action: 'decline' };
      return { action: 'accept', content: { recipient_consent: options.consent === 'accept' } };
    });
  const headers = options.token ? { authorization: `Bearer ${options.token}` } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit: { headers } }));
  after(() => client.close());
  await client.listTools();
  return {
    questions,
    async call(name: string, input: Record<string, unknown>, onprogress?: (progress: Progress) => void) {
      const result = await client.callTool(
        { name, arguments: input },
        onprogress ? { onprogress, resetTimeoutOnProgress: true } : {},
      );
      const text = (result.content as { text: string }[]).map((part) => part.text).join('\n');
      return {
        is_error: result.isError === true,
        text,
        fields: (result.structuredContent ?? {}) as Record<string, unknown>,
      };
    },
  };
}
const sentCount = async (key: string) =>
  (
    (await (
      await fetch(`${api.url}/v1/emails?direction=outbound`, { headers: { authorization: `Bearer ${key}` } })
    ).json()) as {
      items: unknown[];
    }
  ).items.length;

async function inject(key: string, email: object): Promise<void> {
  const response = await fetch(`${api.url}/v1/sandbox/inbound-emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(email),
  });
  assert.equal(response.status, 201, await response.text());
}

const person = api.organization();
const modes: [string, Mode, string | undefined, string][] = [
  ['static-key mode', { kind: 'static', key: api.client.key }, undefined, api.client.key],
  [
    'OAuth mode',
    { kind: 'oauth', authorization_servers: ['https://issuer.example'] },
    person.key,
    person.key,
  ],
];

for (const [name, mode, token, key] of modes) {
  describe(`email in ${name}`, () => {
    const email = { to: ['delivered@sandbox.test'], subject: 'Your order', body_text: 'It is on its way.' };

    test('that bounced is explained, with the culprit and a fix', async () => {
      const { call } = await agent(mode, { toolsets: ['explain'], ...(token ? { token } : {}) });
      const to = ['bounced@sandbox.test'];
      const sent = await call('send_email', { ...email, to, recipient_consent: true });
      assert.equal(sent.is_error, false, sent.text);
      await api.app.jobs.drain();
      const explained = await call('explain', { object_id: sent.fields.id });
      assert.equal(explained.is_error, false, explained.text);
      const { verdict } = explained.fields as { verdict: Record<string, string> };
      assert.deepEqual([verdict.code, verdict.who], ['hard_bounce', 'recipient']);
      assert.match(verdict.fix!, /address/);
    });

    test('is sent with an attachment, read back with its text labeled, and replied to', async () => {
      const { call } = await agent(mode, token ? { token } : {});
      const file = await call('upload_attachment', {
        filename: 'note.txt',
        content_base64: Buffer.from('hello').toString('base64'),
        content_type: 'text/plain',
      });
      assert.equal(file.is_error, false, file.text);
      const sent = await call('send_email', {
        ...email,
        recipient_consent: true,
        attachment_ids: [file.fields.id],
      });
      assert.equal(sent.is_error, false, sent.text);
      assert.equal(sent.fields.status, 'sent');
      assert.equal('body_text' in sent.fields, false, 'the text that the agent just wrote is not repeated');

      const read = await call('get_email', { email_id: sent.fields.id });
      const { untrusted_content, attachments, ...rest } = read.fields as Record<string, unknown> & {
        untrusted_content: Record<string, string>;
        attachments: { untrusted_content: { filename: string } }[];
      };
      assert.equal(untrusted_content.subject, email.subject);
      assert.equal(untrusted_content.body_text?.trim(), email.body_text);
      assert.equal(attachments[0]!.untrusted_content.filename, 'note.txt');
      for (const field of ['subject', 'body_text', 'body_html', 'organization_id'])
        assert.equal(field in rest, false);

      const answer = { from: email.to[0], subject: 'Re: Your order', body_text: 'When does it arrive?' };
      await inject(key, answer);
      await api.app.projector.drain();
      const listed = await call('list_conversations', { waiting: 'true' });
      const [waiting] = listed.fields.items as { id: string; last_item: { untrusted_content: object } }[];
      assert.deepEqual(waiting!.last_item.untrusted_content, { preview: answer.body_text });
      const reply = await call('reply', {
        conversation_id: waiting!.id,
        recipient_consent: true,
        body_text: 'Tomorrow.',
      });
      assert.equal(reply.is_error, false, reply.text);
      assert.deepEqual([reply.fields.noun, reply.fields.status], ['email', 'sent']);
      await api.app.projector.drain();
      const whole = await call('get_conversation', { conversation_id: sent.fields.conversation_id });
      const items = whole.fields.items as { direction: string; untrusted_content: { text: string } }[];
      assert.deepEqual(
        items.map((item) => [item.direction, item.untrusted_content.text.trim()]),
        [
          ['outbound', 'Tomorrow.'],
          ['inbound', answer.body_text],
          ['outbound', email.body_text],
        ],
      );
      const found = await call('search', { q: 'arrive' });
      assert.equal((found.fields.items as unknown[]).length, 1, found.text);
    });

    test('a reply is waited for: only messages after `since` count, and the code is found', async () => {
      const { call } = await agent(mode, token ? { token } : {});
      const drop = (from: string, body_text: string) =>
        inject(key, { from, subject: 'Re: Your order', body_text });
      await drop('bob@example.org', 'Your code is 111111');
      const any_of = [{ kind: 'email', from: 'Bob@Example.org' }];
      const nothing = await call('wait_for', { any_of, timeout_seconds: 1 });
      const { wait_id } = nothing.fields;
      assert.deepEqual(
        nothing.fields,
        { wait_id, status: 'pending', matched: null },
        'earlier ones do not count',
      );
      assert.match(nothing.text, new RegExp(`Nothing yet. Call wait_for with wait_id ${wait_id}`));
      await drop('eve@example.org', 'Your code is 222222');
      await drop('bob@example.org', 'Your code is 333333');
      const came = await call('wait_for', { wait_id, timeout_seconds: 30 });
      const { object, untrusted_content } = came.fields.matched as Matched;
      assert.deepEqual(untrusted_content, { code: '333333' }, came.text);
      assert.match((object.record.untrusted_content as { body_text: string }).body_text, /333333/);
      assert.equal('body_html' in object.record, false);
    });

    test('a repeated tool call sends nothing again', async () => {
      const { call } = await agent(mode, token ? { token } : {});
      const again = { ...email, subject: `Again in ${name}`, recipient_consent: true };
      const first = await call('send_email', again);
      const before = await sentCount(key);
      const second = await call('send_email', again);
      assert.equal(second.fields.id, first.fields.id);
      assert.match(second.text, /nothing was sent now/);
      assert.equal(await sentCount(key), before);
      const other = await call('send_email', { ...again, idempotency_key: `on-purpose-${name}` });
      assert.notEqual(other.fields.id, first.fields.id);
    });

    test('without consent nothing is sent; if the client can ask its user, the user decides', async () => {
      const before = await sentCount(key);
      const silent = await agent(mode, token ? { token } : {});
      const refused = await silent.call('send_email', email);
      assert.match(refused.text, /^consent_required/);
      for (const consent of ['decline', 'false'] as const) {
        const asked = await agent(mode, { ...(token ? { token } : {}), consent });
        assert.match((await asked.call('send_email', email)).text, /^consent_refused/);
        assert.deepEqual(asked.questions, ['Has delivered@sandbox.test agreed to be contacted?']);
      }
      assert.equal(await sentCount(key), before);

      const asked = await agent(mode, { ...(token ? { token } : {}), consent: 'accept' });
      const sent = await asked.call('send_email', { ...email, subject: `Asked in ${name}` });
      assert.equal(sent.is_error, false, sent.text);
      assert.equal(await sentCount(key), before + 1);
      const plain_no = await asked.call('send_email', { ...email, recipient_consent: false });
      assert.match(plain_no.text, /^consent_required/);
      assert.equal(asked.questions.length, 1, 'an explicit false is final: the user is not asked');
    });

    test('a rejected call says what to do next', async () => {
      const { call } = await agent(mode, token ? { token } : {});
      const failed = await call('send_email', {
        ...email,
        to: ['rejected@sandbox.test'],
        recipient_consent: true,
      });
      assert.match(failed.text, /^email_send_failed: email send failed[\s\S]*\nNext: /);
      const wrong = await call('send_email', { ...email, to: ['nobody'], recipient_consent: true });
      assert.match(wrong.text, /- to\[0\]: [\s\S]*\nNext: /);
    });
  });
}

for (const [name, mode, token, key] of modes) {
  describe(`texts in ${name}`, () => {
    const ask = async <T>(path: string, body: object): Promise<T> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(api.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.equal(response.status, 201);
      return (await response.json()) as T;
    };

    test('are sent from the agent’s number, and a code in the reply is waited for', async () => {
      const number = await ask<{ e164: string }>('/v1/numbers', { country_code: 'US' });
      const { call } = await agent(mode, token ? { token } : {});
      const numbers = await call('list_numbers', {});
      assert.ok(numbers.text.includes(number.e164));

      const text = { to: '+14155550123', body: 'Which code did you get?' };
      assert.match((await call('send_sms', text)).text, /^consent_required/);
      const sent = await call('send_sms', { ...text, recipient_consent: true });
      assert.equal(sent.is_error, false, sent.text);
      assert.equal(sent.fields.from, number.e164);

      const since = new Date(Date.now() - 60_000).toISOString();
      const any_of = [
        { kind: 'reply', conversation_id: sent.fields.conversation_id, channel: 'email' },
        { kind: 'code', to: number.e164 },
      ];
      const waiting = call('wait_for', { any_of, since, timeout_seconds: 30 });
      await ask('/v1/sandbox/inbound-sms', { from: text.to, to: number.e164, body: 'Your code is 482913' });
      const came = await waiting;
      const { index, object, untrusted_content: labeled } = came.fields.matched as Matched;
      assert.deepEqual([index, labeled], [1, { code: '482913' }]);
      const { untrusted_content, ...rest } = object.record;
      assert.deepEqual(untrusted_content, { body: 'Your code is 482913' });
      assert.equal('body' in rest, false);

      await api.app.projector.drain();
      const both = await call('get_conversation', { conversation_id: sent.fields.conversation_id });
      assert.equal((both.fields.items as unknown[]).length, 2);
    });

    test('a wait reports its progress and says that it goes on when the time is up', async () => {
      const { call } = await agent(mode, token ? { token } : {});
      const reports: Progress[] = [];
      const wait = { any_of: [{ kind: 'sms' }], timeout_seconds: 6 };
      const came = await call('wait_for', wait, (progress) => reports.push(progress));
      assert.deepEqual([came.fields.status, came.fields.matched], ['pending', null]);
      assert.deepEqual(reports, [{ progress: 5, total: 6, message: 'Nothing happened yet' }]);
    });
  });
}

for (const [name, mode, token] of modes) {
  describe(`calls in ${name}`, () => {
    const call_to = { to: people.converses, system_prompt: 'Book an appointment for Tuesday.' };

    test('are placed, waited for, and read back with the transcript labeled as untrusted', async () => {
      const { call } = await agent(mode, token ? { token } : {});
      assert.match((await call('place_call', call_to)).text, /^consent_required/);
      const placed = await call('place_call', { ...call_to, recipient_consent: true });
      assert.equal(placed.is_error, false, placed.text);
      assert.equal(placed.fields.status, 'queued');
      const repeated = await call('place_call', { ...call_to, recipient_consent: true });
      assert.equal(repeated.fields.id, placed.fields.id, 'the same tool call dials only once');

      const any_of = [{ kind: 'call', call_id: placed.fields.id }];
      const ended = await call('wait_for', { any_of, timeout_seconds: 120 });
      assert.equal(ended.is_error, false, ended.text);
      const { status, end_reason } = (ended.fields.matched as Matched).object.record;
      assert.deepEqual([ended.fields.status, status, end_reason], ['resolved', 'completed', 'agent_hangup']);
      const read = await call('get_call_transcript', { call_id: placed.fields.id });
      assert.match(JSON.stringify(read.fields), /untrusted_content.*Tuesday/s);
      await api.app.projector.drain();
      const whole = await call('get_conversation', { conversation_id: placed.fields.conversation_id });
      assert.ok((whole.fields.items as { id: string }[]).some(({ id }) => id === placed.fields.id));
    });

    test('are canceled while they ring', async () => {
      const { call } = await agent(mode, token ? { token } : {});
      const placed = await call('place_call', { to: people.never_answers, recipient_consent: true });
      const canceled = await call('cancel_call', { call_id: placed.fields.id });
      assert.equal(canceled.is_error, false, canceled.text);
      const any_of = [{ kind: 'call', call_id: placed.fields.id }];
      const ended = await call('wait_for', { any_of });
      assert.equal((ended.fields.matched as Matched).object.record.status, 'canceled', ended.text);
    });
  });
}

/** What a person does on the page: signs in and approves. */
async function decidePending(): Promise<void> {
  const { items } = (
    await api.operator.request<{ items: { id: string; payload_sha256: string }[] }>(
      'GET',
      '/v1/approvals?status=pending',
    )
  ).body;
  for (const { id, payload_sha256 } of items) {
    const decided = await api.operator.request('POST', `/v1/approvals/${id}/approve`, { payload_sha256 });
    assert.equal(decided.status, 200, decided.text);
  }
}

test('a client that opens pages shows the approval in the console, which asks for sign-in; others just wait', async () => {
  const rule = { name: 'Everything', channels: ['emails'], when: ['always'], then: 'hold' };
  const set = await api.operator.request('PUT', '/v1/approval-policy', { rules: [rule] });
  assert.equal(set.status, 200, set.text);
  const mode: Mode = { kind: 'static', key: api.client.key };
  const { call, questions } = await agent(mode, { opens_pages: true });
  const sent = await call('send_email', {
    to: ['delivered@sandbox.test'],
    subject: 'Hello',
    body_text: 'Hi',
    recipient_consent: true,
  });
  assert.match(sent.text, /^NOT SENT/);
  const { approval_id } = sent.fields.hold as { approval_id: string };
  assert.ok(sent.text.includes(`any_of [{"kind":"approval","approval_id":"${approval_id}"}]`), sent.text);
  const any_of = [{ kind: 'approval', approval_id }];
  const decided = await call('wait_for', { any_of });
  assert.deepEqual(questions, [`${api.url}/approvals?id=${approval_id}`]);
  assert.equal((decided.fields.matched as Matched).object.record.status, 'approved', decided.text);
  const again = await call('wait_for', { any_of });
  assert.deepEqual([again.fields.status, questions.length], ['resolved', 1], 'decided: nothing is shown');
  await api.operator.request('PUT', '/v1/approval-policy', { rules: [] });
});
