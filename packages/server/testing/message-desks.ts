// Organizations with an agent that answers texts or emails with a scripted model.
import { randomUUID } from 'node:crypto';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Client } from './app.ts';
import { ok, type Page } from './conversations.ts';
import type { messageModel } from './message-model.ts';

type Model = Awaited<ReturnType<typeof messageModel>>;
export type TextDesk = { of: Client; e164: string; agent_id: string };
export type EmailDesk = { of: Client; own: string; agent_id: string };

export const ana = { phone: '+14155552671', email: 'ana@example.org' };

const newAgent = (of: Client, more: object) =>
  ok<{ id: string }>(of, 'POST', '/v1/agents', { name: 'Desk', ai_disclosure: false, ...more });

export async function textDesk(model: Model, of: Client, agent: object = {}): Promise<TextDesk> {
  await model.setFor(of);
  const { id, e164 } = await ok<{ id: string; e164: string }>(of, 'POST', '/v1/numbers', {
    country_code: 'US',
  });
  const { id: agent_id } = await newAgent(of, agent);
  await ok(of, 'PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent_id });
  return { of, e164, agent_id };
}

export async function emailDesk(model: Model, of: Client, agent: object = {}): Promise<EmailDesk> {
  await model.setFor(of);
  const domain = await ok<{ id: string; default_address: string }>(of, 'POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'desk',
    local_prefix_org: randomUUID().slice(0, 13),
  });
  const { id: agent_id } = await newAgent(of, agent);
  await ok(of, 'PATCH', `/v1/email-domains/${domain.id}`, { email_agent_id: agent_id });
  return { of, own: domain.default_address, agent_id };
}

export const receiveText = ({ of, e164 }: TextDesk, body: string, from = ana.phone) =>
  ok<Sms>(of, 'POST', '/v1/sandbox/inbound-sms', { from, to: e164, body });

export const receiveEmail = ({ of, own }: EmailDesk, text: string, more: object = {}) =>
  ok<Email>(of, 'POST', '/v1/sandbox/inbound-emails', {
    from: ana.email,
    to: [own],
    subject: 'My order',
    text,
    verdicts: { dmarc: 'PASS' },
    ...more,
  });

/** Oldest first. */
export const sentTexts = async ({ of }: { of: Client }) =>
  (await ok<Page<Sms>>(of, 'GET', '/v1/sms?direction=outbound&limit=100')).items.reverse();
export const sentEmails = async ({ of }: { of: Client }) =>
  (await ok<Page<Email>>(of, 'GET', '/v1/emails?direction=outbound&limit=100')).items.reverse();

/** What events of this type say, oldest first. */
export const eventsOf = async <T = Record<string, unknown>>({ of }: { of: Client }, type: string) =>
  (await ok<Page<{ data: T }>>(of, 'GET', `/v1/events?type=${type}&limit=100`)).items
    .reverse()
    .map(({ data }) => data);
