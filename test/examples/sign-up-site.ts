// A small site with a sign-up form that sends a code by email, for the example that signs up with a browser.
import { randomInt } from 'node:crypto';
import type { Client } from '../../packages/server/testing/app.ts';
import { standIn } from '../../packages/server/testing/stand-in.ts';

const page = (content: string) => `<!doctype html><title>Sign up</title>${content}`;
const form = (action: string, label: string, name: string, button: string) =>
  page(
    `<form method="post" action="${action}"><label>${label} <input name="${name}"></label><button>${button}</button></form>`,
  );

/** The sandbox of the service plays the internet: it delivers the site's email to the mailbox. */
export async function signUpSite(client: Client) {
  const codes: string[] = [];
  const { url } = await standIn(async ({ request, body }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const fields = new URLSearchParams(body.toString());
    if (request.url === '/sign-up') {
      codes.push(String(randomInt(100_000, 1_000_000)));
      await client.request('POST', '/v1/sandbox/inbound-emails', {
        from: 'accounts@site.example',
        to: [fields.get('email')],
        subject: 'Confirm your address',
        text: `Your code is ${codes.at(-1)}. It is valid for ten minutes.`,
      });
      response.end(form('/confirm', 'Code', 'code', 'Confirm'));
    } else if (request.url === '/confirm') {
      const is_right = fields.get('code') === codes.at(-1);
      response.end(page(is_right ? '<h1>Welcome</h1>' : '<h1>Wrong code</h1>'));
    } else response.end(form('/sign-up', 'Email', 'email', 'Sign up'));
  });
  return { url, codes };
}
