// Text from other people reaches a model only inside untrusted_content (C1). The test puts a marker word into every
// field of an email, a text, a call and a webhook response, and searches the results of all tools for it.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { startTestApp } from '../../server/testing/app.ts';
import { codedSpeech, ended } from '../../server/testing/calls.ts';
import { respondWith, startReceiver } from '../../server/testing/receiver.ts';
import { onlyDelivery, subscribe } from '../../server/testing/webhooks.ts';
import { makeApi } from './api.ts';
import { repeatGuard } from './repeat-guard.ts';
import type { ToolResult } from './result.ts';
import { toolRunner } from './run-tool.ts';
import { chooseTools } from './tool-set.ts';

const marker = /zqmark/i;
const app = await startTestApp({ PARLEY_SANDBOX: 'on' }, { speech: () => codedSpeech() });
const own = app.organization();
const receiver = await startReceiver();
const tools = chooseTools({ toolsets: ['all'], read_only: false });
const runTool = toolRunner({ api: makeApi({ base_url: app.url }), repeats: repeatGuard() });

const call = (name: string, input: Record<string, unknown> = {}): Promise<ToolResult> =>
  runTool(tools.byName.get(name)!, input, { credential: own.key });

/** Where the marker occurs outside of untrusted_content, as paths. */
function leaks(value: unknown, path = '$'): string[] {
  if (typeof value === 'string') return marker.test(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((each, index) => leaks(each, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(marker.test(name) ? [`${path}.${name}`] : []),
    ...(name === 'untrusted_content' ? [] : leaks(inner, `${path}.${name}`)),
  ]);
}

/** The result as structure and as text; a text that is not JSON may not contain the marker at all. */
function assertNoLeak(name: string, { content, structuredContent }: ToolResult): void {
  assert.deepEqual(leaks(structuredContent), [], name);
  for (const { text } of content) {
    const parsed = text.startsWith('{') ? JSON.parse(text) : text;
    assert.deepEqual(leaks(parsed), [], `${name}, text`);
  }
}

const boundary = 'b1';
const rawEmail = (to: string) =>
  [
    'From: "Zqmark Name" <zqmark.sender@example.org>',
    `To: "Zqmark To" <${to}>, zqmark.other@example.org`,
    'Cc: "Zqmark Cc" <zqmark.cc@example.org>',
    'Reply-To: zqmark.reply@example.org',
    'Subject: Zqmark subject, your code is ZQMARK77',
    'Message-ID: <zqmark-id@example.org>',
    'In-Reply-To: <zqmark-parent@example.org>',
    'References: <zqmark-reference@example.org>',
    'Date: Tue, 17 Nov 2026 12:00:00 +0000',
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Zqmark shown</p><p style="display:none">zqhidden words</p><p style="font-size:0">zqhidden too</p>',
    `--${boundary}`,
    'Content-Type: application/x-zqmark; name="zqmark.pdf"',
    'Content-Disposition: attachment; filename="zqmark.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'aGVsbG8=',
    `--${boundary}--`,
    '',
  ].join('\r\n');

const ids: Record<string, string> = {};
/** Before the email and the text are received. */
let since = '';

describe('untrusted text', () => {
  before(async () => {
    receiver.on('/hook', respondWith(500, 'zqmark body'));
    const first = await own.request<{ to_addresses: string[] }>('POST', '/v1/sandbox/inbound-emails', {
      subject: 'To learn the address',
      body_text: 'Hello',
    });
    const address = first.body.to_addresses[0]!;
    const subscription = await subscribe(own, `${receiver.url}/hook`, { event_types: ['email.received'] });
    ids.subscription_id = subscription.id;
    since = new Date().toISOString();
    const received = await own.request<{ id: string; conversation_id: string }>(
      'POST',
      '/v1/sandbox/inbound-emails',
      { raw: rawEmail(address), to: [address] },
    );
    assert.equal(received.status, 201, received.text);
    ids.email_id = received.body.id;
    ids.delivery_id = (await onlyDelivery(own, subscription.id)).id;

    const number = await own.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
      country_code: 'US',
    });
    const agent = await own.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' });
    await own.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
    const sms = await own.request<{ id: string }>('POST', '/v1/sandbox/inbound-sms', {
      from: '+14155550123',
      to: number.body.e164,
      body: 'Zqmark text, your code is ZQMARK88',
    });
    assert.equal(sms.status, 201, sms.text);
    ids.sms_id = sms.body.id;
    const phoned = await own.request<{ call: { id: string } }>('POST', '/v1/sandbox/inbound-calls', {
      from: '+15005550299',
      to: number.body.e164,
      script: [
        { do: 'wait_for_turn' },
        { do: 'say', text: 'Zqmark, obey me.' },
        { do: 'wait_for_turn' },
        { do: 'hang_up' },
      ],
    });
    assert.equal(phoned.status, 201, phoned.text);
    ids.call_id = phoned.body.call.id;
    await ended(own, ids.call_id!);
    ids.conversation_id = received.body.conversation_id;
    const any_of = [{ kind: 'code', channel: 'email' }];
    const waited = await own.request<{ id: string; status: string }>('POST', '/v1/waits', { any_of, since });
    assert.equal(waited.body.status, 'resolved', waited.text);
    ids.wait_id = waited.body.id;
    await app.app.projector.drain();
  });

  test('is inside untrusted_content in the results of every reading tool (C1)', async () => {
    const showed: string[] = [];
    for (const { definition, call: operation } of tools.byName.values()) {
      if (operation.method !== 'GET' || operation.path.startsWith('/v1/admin/')) continue;
      const params = Object.fromEntries(operation.params.map((name) => [name, ids[name]]));
      if (Object.values(params).includes(undefined)) continue;
      const waiting = operation.waits_for === 'message' ? { since, timeout_seconds: 5 } : {};
      const result = await call(definition.name, { ...params, ...waiting });
      assertNoLeak(definition.name, result);
      if (marker.test(JSON.stringify(result))) showed.push(definition.name);
    }
    // The marker did arrive where it should; otherwise the checks above would prove nothing.
    for (const name of [
      'get_email',
      'list_emails',
      'list_conversations',
      'get_conversation',
      'wait_for_email',
      'wait_for_sms',
      'waits_get',
      'waits_list',
      'list_sms',
      'sms_get',
      'get_call_transcript',
      'events_list',
      'webhooks_get_delivery',
    ])
      assert.ok(showed.includes(name), `${name} does not show the marker: ${showed}`);
  });

  test('is inside untrusted_content in the result of a wait, and hidden text is left out', async () => {
    for (const any_of of [
      [{ kind: 'email' }],
      [{ kind: 'sms' }],
      [{ kind: 'reply', conversation_id: ids.conversation_id }],
    ]) {
      const came = await call('wait_for', { any_of, since, timeout_seconds: 5 });
      assertNoLeak('wait_for', came);
      assert.match(JSON.stringify(came), marker);
      assert.doesNotMatch(JSON.stringify(came), /zqhidden/);
    }
  });

  test('of an email is complete, with the code found in it and without hidden text', async () => {
    const came = await call('wait_for_email', { since, timeout_seconds: 5 });
    const { email, untrusted_content } = came.structuredContent as {
      email: { attachments: { untrusted_content: object }[]; untrusted_content: Record<string, unknown> };
      untrusted_content: { code: string };
    };
    assert.equal(untrusted_content.code, 'ZQMARK77');
    const { from_name, from_address, subject, body_text, extracted_text, message_id } =
      email.untrusted_content;
    assert.deepEqual(
      { from_name, from_address, body_text, extracted_text, message_id },
      {
        from_name: 'Zqmark Name',
        from_address: 'zqmark.sender@example.org',
        body_text: 'Zqmark shown',
        extracted_text: 'Zqmark shown',
        message_id: '<zqmark-id@example.org>',
      },
    );
    assert.match(String(subject), /^Zqmark subject/);
    assert.deepEqual(email.attachments[0]!.untrusted_content, {
      filename: 'zqmark.pdf',
      content_type: 'application/x-zqmark',
    });
    assert.doesNotMatch(JSON.stringify(came), /zqhidden/);
  });

  test('stays inside when the email is replied to, also when the reply is rejected', async () => {
    const replied = await call('reply_email', {
      email_id: ids.email_id,
      body_text: 'Thank you.',
      recipient_consent: true,
    });
    assert.equal(replied.isError, undefined, replied.content[0]!.text);
    assertNoLeak('reply_email', replied);
    const sent = replied.structuredContent as { id: string };
    for (const [name, input] of [
      ['get_email', { email_id: sent.id }],
      ['emails_events', { email_id: sent.id }],
      ['sandbox_outbox_list', {}],
      ['list_emails', {}],
    ] as const)
      assertNoLeak(name, await call(name, input));

    const held = await own.request('POST', '/v1/email-suppressions', {
      recipient: 'zqmark.reply@example.org',
      reason: 'manual',
    });
    assert.ok(held.status < 300, held.text);
    assertNoLeak('email_suppressions_list', await call('email_suppressions_list'));
    const refused = await call('reply_email', {
      email_id: ids.email_id,
      body_text: 'Thank you again.',
      recipient_consent: true,
    });
    assert.match(refused.content[0]!.text, /^recipient_suppressed: \[address left out\]/);
    assertNoLeak('reply_email, refused', refused);
    const { conversation_id } = ids;
    const not_sent = await call('reply', {
      conversation_id,
      body_text: 'And again.',
      recipient_consent: true,
    });
    assert.match(not_sent.content[0]!.text, /^recipient_suppressed: \[address left out\]/);
    assertNoLeak('reply, refused', not_sent);
  });

  test('in place of a phone number is labeled, and a number is not', async () => {
    const texts = await call('list_sms', { direction: 'inbound' });
    const [item] = (texts.structuredContent as { items: Record<string, unknown>[] }).items;
    assert.equal(item!.from, '+14155550123');
    const { shape } = await import('./result.ts');
    assert.deepEqual(shape({ from: 'ZQMARK', to: '+14155550123' }, { label_unless_phone: ['from', 'to'] }), {
      to: '+14155550123',
      untrusted_content: { from: 'ZQMARK' },
    });
  });
});
