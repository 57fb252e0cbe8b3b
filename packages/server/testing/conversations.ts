// Requests that tests of conversations make: send and receive, then read what the projector made of it.
import assert from 'node:assert/strict';
import type { Conversation, ConversationItem } from '@parley/contract/inbox/conversations';
import type { Client, TestApp } from './app.ts';

export type Page<T> = { items: T[]; next_cursor: string | null };
export type Created = { id: string; conversation_id: string; to_addresses?: string[]; message_id?: string };

export async function ok<T>(of: Client, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await of.request<T>(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body;
}

/** Reads wait until the projector has seen everything before them. */
export const conversationReads = ({ app }: Pick<TestApp, 'app'>) => {
  const settled = () => app.projector.drain();
  return {
    settled,
    async list(of: Client, query = '') {
      await settled();
      return (await ok<Page<Conversation>>(of, 'GET', `/v1/conversations${query}`)).items;
    },
    async itemsOf(of: Client, id: string, query = '') {
      await settled();
      return ok<Page<ConversationItem>>(of, 'GET', `/v1/conversations/${id}/items${query}`);
    },
    async get(of: Client, id: string) {
      await settled();
      return ok<Conversation>(of, 'GET', `/v1/conversations/${id}`);
    },
  };
};

export const sendEmail = (of: Client, to: string[], more: object = {}) =>
  ok<Created>(of, 'POST', '/v1/emails', {
    to,
    subject: 'Order',
    body_text: 'Hello',
    recipient_consent: true,
    ...more,
  });
export const receiveEmail = (of: Client, body: object) =>
  ok<Created>(of, 'POST', '/v1/sandbox/inbound-emails', body);
export const sendText = (of: Client, to: string, body = 'Hello') =>
  ok<Created & { from: string }>(of, 'POST', '/v1/sms', { to, body, recipient_consent: true });
/** An answer to a text that is sent before. */
export const receiveText = async (of: Client, from: string, body: string) => {
  const { from: ours } = await sendText(of, from, 'Before');
  return ok<Created>(of, 'POST', '/v1/sandbox/inbound-sms', { from, to: ours, body });
};
export const passed = { verdicts: { dmarc: 'PASS' } };
export const failed = { verdicts: { dmarc: 'FAIL' } };
