// Forward addresses in tests: reads the links of the confirmation mail and presses the buttons of their pages.
import assert from 'node:assert/strict';
import type { Client } from './app.ts';

export type ForwardLinks = { confirm: string; stop: string };

/** The links in the text of a confirmation mail, or in the raw message; null in any other. */
export function forwardLinks(message: string): ForwardLinks | null {
  // Quoted-printable, where the message is written so.
  const text = message.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  const [confirm] = /https?:\/\/\S+\/f\/c\/[\w-]{43}/.exec(text) ?? [];
  const [stop] = /https?:\/\/\S+\/f\/s\/[\w-]{43}/.exec(text) ?? [];
  return confirm && stop ? { confirm, stop } : null;
}

/** As a browser does it: the form of the page is sent to the page's own address. */
export const press = (url: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' });

type OutboxItem = { channel: string; to: string[]; message: { text?: string } };

/** The confirmation mails that the sandbox was handed, newest first. */
export async function confirmationMails(of: Client, to: string): Promise<ForwardLinks[]> {
  const { body } = await of.request<{ items: OutboxItem[] }>('GET', '/v1/sandbox/outbox?limit=200');
  return body.items
    .filter((item) => item.channel === 'email' && item.to[0] === to)
    .flatMap(({ message }) => forwardLinks(message.text ?? '') ?? []);
}

/** Confirms an address by the newest mail in the sandbox. */
export async function confirmInSandbox(of: Client, to: string): Promise<void> {
  const [links] = await confirmationMails(of, to);
  assert.ok(links, `no confirmation mail to ${to}`);
  assert.equal((await press(links.confirm)).status, 200);
}
