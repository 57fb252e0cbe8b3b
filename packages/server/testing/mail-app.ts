// A test app that receives mail over SMTP, with helpers to create mailboxes and to read what they received.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { AppOptions } from '../src/app/app.ts';
import { type Client, startTestApp, type TestApp } from './app.ts';
import { startDns, type TestDns } from './dns-server.ts';

export type MailApp = TestApp & { dns: TestDns; smtp_port: number };

/** Closed at the end of the test file. SPF, DKIM and DMARC use the local DNS server. */
export async function startMailApp(
  environment: Record<string, string> = {},
  options: Partial<AppOptions> = {},
): Promise<MailApp> {
  const dns = await startDns();
  const service = await startTestApp({ PARLEY_DNS_SERVERS: dns.address, ...environment }, options);
  const smtp_port = await service.app.smtp.listen();
  after(() => service.app.smtp.close());
  return { ...service, dns, smtp_port };
}

export type Mailbox = { id: string; default_address: string };
let created = 0;

/** Creates an address on the service domain. Each one is different. */
export async function createMailbox(client: Client, local_prefix_user?: string): Promise<Mailbox> {
  const response = await client.request<Mailbox>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: local_prefix_user ?? `box${++created}`,
    local_prefix_org: 'acme',
  });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

/** All received emails of the client's organization, newest first. */
export async function receivedEmails(client: Client): Promise<Email[]> {
  const list = await client.request<{ items: { id: string }[] }>(
    'GET',
    '/v1/emails?direction=inbound&limit=200',
  );
  return Promise.all(
    list.body.items.map(async ({ id }) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body),
  );
}

/** The raw message of an email, read over its download link. */
export async function downloadRaw(client: Client, email_id: string): Promise<string> {
  const link = await client.request('GET', `/v1/emails/${email_id}/raw`);
  return (await fetch(link.headers.get('location')!)).text();
}
