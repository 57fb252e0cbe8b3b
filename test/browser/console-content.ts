// Example data for every page of the console: for tests that visit all pages and for the screenshots.
import type { Client } from '../../packages/server/testing/app.ts';

export type Content = {
  agent: string;
  call: string;
  contact: string;
  /** The thread of the email; the inbox shows the conversation that it belongs to. */
  conversation: string;
  email: string;
  domain: string;
  webhook: string;
  delivery: string | null;
};

const html = `<div style="font-family:sans-serif;max-width:520px;margin:24px auto;color:#1d2433">
<h1 style="font-size:22px">Your table is booked</h1>
<p>Dear Ana,</p><p>we look forward to seeing you on <b>Friday at eight</b>, a table for two by the window.</p>
<p><a href="https://example.com/booking" style="background:#3b44ac;color:#fff;padding:10px 16px;border-radius:6px;text-decoration:none">See your booking</a></p>
<p style="color:#667">Café Sousa, Rua Augusta 12</p></div>`;

type Requester = Pick<Client, 'request'>;

/** Rules for sending, an approval that waits and one that was rejected. `operator` counts as a person. */
async function fillGuardRails(
  post: <T = { id: string }>(path: string, body?: unknown) => Promise<T>,
  operator: Requester,
): Promise<void> {
  const decide = async (method: string, path: string, body: unknown) => {
    const response = await operator.request(method, path, body);
    if (response.status >= 400) throw new Error(`${path}: ${response.text}`);
  };
  await decide('PUT', '/v1/trusted-recipients', { recipients: ['cafe-sousa.example', '+14155550123'] });
  await decide('POST', '/v1/budgets', {
    subject: { kind: 'organization', id: null },
    channel: 'emails',
    window: 'day',
    max_count: 20,
    max_amount_micros: 5_000_000,
  });
  const crowds = { name: 'Crowds', when: [{ recipients_over: 1 }], then: 'hold' };
  await decide('PUT', '/v1/approval-policy', { rules: [crowds] });
  const offer = () =>
    post<{ hold: { approval_id: string } }>('/v1/emails', {
      to: ['delivered@sandbox.test', 'opened@sandbox.test'],
      subject: 'New opening hours',
      body_text: 'Dear guests,\n\nfrom Monday on we open at seven in the morning.\n\nCafé Sousa',
      recipient_consent: true,
    });
  const { hold } = await offer();
  await decide('POST', `/v1/approvals/${hold.approval_id}/reject`, { note: 'We open at eight.' });
  await offer();
}

export async function fillConsole(client: Requester, operator: Requester): Promise<Content> {
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await client.request<T>(method, path, body);
    if (response.status >= 400) throw new Error(`${path}: ${response.text}`);
    return response.body;
  };
  const post = <T = { id: string }>(path: string, body?: unknown) => send<T>('POST', path, body);
  const consent = { recipient_consent: true };
  const agent = await post('/v1/agents', {
    name: 'Receptionist',
    system_prompt: 'You answer the phone of Café Sousa. Be brief and kind, and take bookings.',
    first_message: 'Café Sousa, good evening.',
  });
  const number = await post<{ id: string; e164: string }>('/v1/numbers', { country_code: 'US' });
  await send('PATCH', `/v1/numbers/${number.id}`, { voice_agent_id: agent.id });
  const webhook = await post('/v1/webhooks', {
    // Nothing listens there, so its log shows failed attempts.
    target_url: 'http://127.0.0.1:9/hooks/parley',
    event_types: ['email.delivered', 'email.bounced', 'call.completed', 'sms.received'],
  });
  for (const outcome of ['delivered', 'delivered', 'opened', 'clicked', 'bounced', 'delayed'])
    await post('/v1/emails', {
      to: [
        `${outcome}+${Math.floor(Math.random() * 1e6)}@sandbox.test`.replace(
          /^(?!delivered)(\w+)\+\d+/,
          '$1',
        ),
      ],
      subject: 'Your table is booked',
      body_html: html,
      ...consent,
    });
  const email = await post<{ id: string; conversation_id: string }>('/v1/sandbox/inbound-emails', {
    from: 'Ana Sousa <ana@example.org>',
    subject: 'A table for two?',
    body_text: 'Good morning,\n\nis there a table for two on Friday at eight?\n\nAna',
    body_html: html,
    verdicts: { spam: 'PASS', virus: 'PASS', spf: 'PASS', dkim: 'PASS', dmarc: 'GRAY' },
    attachments: [
      { filename: 'wishes.txt', content_type: 'text/plain', content_base64: 'YnkgdGhlIHdpbmRvdw==' },
    ],
  });
  await post(`/v1/emails/${email.id}/reply`, { body_text: 'Gladly. See you on Friday.', ...consent });
  await post('/v1/sms', { to: '+15005550001', body: 'Your table is ready.', ...consent });
  await post('/v1/sandbox/inbound-sms', {
    from: '+15005550001',
    to: number.e164,
    body: 'We are five minutes late!',
  });
  const ana = { email: 'ana@example.org', phone_e164: '+14155550123', role: 'guest' };
  const contact = await post('/v1/contacts', { name: 'Ana Sousa', ...ana });
  await post('/v1/consents', {
    recipient: ana.phone_e164,
    channels: ['sms', 'call'],
    purposes: ['conversational'],
    basis: 'express',
    source: { kind: 'web_form', text_shown: 'I agree to texts and calls about my booking.' },
  });
  for (const [name, more] of [
    ['Thomas Berg', { phone_e164: '+14155550124' }],
    ['Mina Okafor', { email: 'mina@example.com' }],
  ] as const)
    await post('/v1/contacts', { name, ...more });
  await fillGuardRails(post, operator);
  const domain = await post('/v1/email-domains', { kind: 'custom', domain: 'mail.cafe-sousa.example' });
  await post('/v1/email-suppressions', { recipient: 'no-more@example.com' });
  await post('/v1/receive-rules', {
    channel: 'email',
    match: { kind: 'domain', value: 'offers.example' },
    action: 'quarantine',
  });
  await post('/v1/sandbox/inbound-emails', {
    from: 'Deals <deals@offers.example>',
    subject: 'Cheaper coffee',
    text: 'Only today.',
  });
  // Only a server with accounts has further organizations.
  const organization = { name: 'Café Sousa', origin: 'agent' };
  const created = await client.request('POST', '/v1/admin/organizations', organization);
  if (created.status !== 201 && created.status !== 404) throw new Error(created.text);
  const call = await post('/v1/calls', {
    to: '+15005550201',
    system_prompt: 'Book a table for two on Friday at eight. Ask for their name.',
    record: true,
    ...consent,
  });
  await send('GET', `/v1/calls/${call.id}?wait_seconds=55`);
  await post('/v1/calls', { to: '+15005550202', ...consent });
  // After the calls, which must not use it; nothing listens there either.
  await send('PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-example-0000-9f3c',
    params: { base_url: 'http://127.0.0.1:9/v1' },
  });
  const deliveries = await send<{ items: { id: string }[] }>('GET', `/v1/webhooks/${webhook.id}/deliveries`);
  return {
    agent: agent.id,
    call: call.id,
    contact: contact.id,
    conversation: email.conversation_id,
    email: email.id,
    domain: domain.id,
    webhook: webhook.id,
    delivery: deliveries.items[0]?.id ?? null,
  };
}

export const consolePages = (content: Content): [name: string, path: string][] => [
  ['inbox', '/inbox'],
  ['conversation', `/inbox?id=${content.conversation}`],
  ['overview', '/'],
  ['compose', '/compose'],
  ['compose-call', '/compose?channel=call'],
  ['compose-sms', '/compose?channel=sms'],
  ['calls', '/calls'],
  ['call', `/calls/${content.call}`],
  ['emails', '/emails'],
  ['email', `/emails/${content.email}`],
  ['sms', '/sms'],
  ['approvals', '/approvals'],
  ['approval-history', '/approvals?part=decided'],
  ['approval-policy', '/approvals?part=policy'],
  ['budgets', '/budgets'],
  ['trusted-recipients', '/approvals?part=trusted'],
  ['quiet-hours', '/quiet-hours'],
  ['privacy', '/privacy'],
  ['contact-rules', '/contact-rules'],
  ['quarantine', '/receive-rules'],
  ['receive-rules', '/receive-rules?part=rules'],
  ['receive-settings', '/receive-rules?part=settings'],
  ['numbers', '/numbers'],
  ['verifications', '/verifications'],
  ['agents', '/agents'],
  ['agent', `/agents/${content.agent}`],
  ['agent-tools', '/tools'],
  ['domains', '/domains'],
  ['domain', `/domains/${content.domain}`],
  ['providers', '/providers'],
  ['contacts', '/contacts'],
  ['contact', `/contacts/${content.contact}`],
  ['consents', '/consents'],
  ['suppressions', '/suppressions'],
  ['members', '/members'],
  ['webhooks', '/webhooks'],
  ['event-catalog', '/webhooks?part=events'],
  ['webhook', `/webhooks/${content.webhook}`],
  ...(content.delivery
    ? ([['webhook-delivery', `/webhooks/${content.webhook}/${content.delivery}`]] as [string, string][])
    : []),
  ['connect', '/connect'],
  ['tools', '/connect?part=tools'],
  ['api-keys', '/api-keys'],
  ['connected-apps', '/connected-apps'],
  ['sandbox', '/sandbox'],
  ['admin', '/admin'],
  ['organizations', '/admin?part=organizations'],
  ['pool', '/admin?part=pool'],
  ['funds', '/admin?part=funds'],
  ['set-aside-work', '/admin?part=set-aside'],
  ['audit-log', '/admin?part=audit'],
];
