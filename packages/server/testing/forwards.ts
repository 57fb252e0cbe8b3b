// Confirms forward addresses in tests: reads the links of the confirmation mail and submits the forms of their pages.
import assert from 'node:assert/strict';
import type { Client } from './app.ts';

export type ForwardLinks = { confirm: string; stop: string };

/** The links in a confirmation mail, given as text or as a raw message. Null for any other message. */
export function forwardLinks(message: string): ForwardLinks | null {
  // Decodes quoted-printable, in case the message uses it.
  const text = message.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  const [confirm] = /https?:\/\/\S+\/f\/c\/[\w-]{43}/.exec(text) ?? [];
  const [stop] = /https?:\/\/\S+\/f\/s\/[\w-]{43}/.exec(text) ?? [];
  return confirm && stop ? { confirm, stop } : null;
}

/** Submits the form of the page, as a browser does: to the URL of the page. */
export const submitForm = (url: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' });

type OutboxItem = { channel: string; to: string[]; message: { text?: string } };

/** The links of all confirmation mails in the sandbox outbox, newest first. */
export async function confirmationMails(of: Client, to: string): Promise<ForwardLinks[]> {
  const { body } = await of.request<{ items: OutboxItem[] }>('GET', '/v1/sandbox/outbox?limit=200');
  return body.items
    .filter((item) => item.channel === 'email' && item.to[0] === to)
    .flatMap(({ message }) => forwardLinks(message.text ?? '') ?? []);
}

/** Confirms an address by the newest confirmation mail in the sandbox outbox. */
export async function confirmInSandbox(of: Client, to: string): Promise<void> {
  const [links] = await confirmationMails(of, to);
  assert.ok(links, `no confirmation mail to ${to}`);
  assert.equal((await submitForm(links.confirm)).status, 200);
}
