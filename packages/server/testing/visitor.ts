// A minimal browser for tests of the account pages: stores cookies and sends forms, but follows no redirects.
import { randomInt } from 'node:crypto';
import { type HttpRequest, sendHttp } from './http-client.ts';
import { waitFor } from './wait-for.ts';

export type Visit = { status: number; text: string; headers: Headers; location: string | null };

/** A random client address. The server uses it only when it trusts this machine as a proxy. */
export const fromRandomIp = () => ({ 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` });

export function visitor(base_url: string) {
  const client_ip = fromRandomIp();
  const cookies = new Map<string, string>();

  async function visit(path: string, init: HttpRequest = {}): Promise<Visit> {
    const { status, text, headers } = await sendHttp(new URL(path, base_url), {
      ...init,
      headers: {
        accept: 'text/html',
        ...client_ip,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...init.headers,
      },
    });
    for (const line of headers.getSetCookie()) {
      const [pair] = line.split(';');
      const [name, value] = [pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1)];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status, text, headers, location: headers.get('location') };
  }

  return {
    cookies,
    open: (path: string) => visit(path),
    send: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      visit(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: new URL(base_url).origin,
          ...headers,
        },
      }),
  };
}
export type Visitor = ReturnType<typeof visitor>;

/** The values of the hidden and preset fields of a page's forms. */
export const fieldsOf = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input [^>]*name="([^"]*)" [^>]*value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"'),
    ]),
  );

export const password = 'correct horse battery';

/** A server with its sandbox outbox, from which the tests read the mails. */
export type ServerWithOutbox = {
  url: string;
  client: {
    request<T>(method: string, path: string): Promise<{ status: number; text: string; body: T }>;
  };
};

type MailText = { id: string; to: string[]; message: { subject: string; text: string; from: string } };

/** Waits for the newest system mail to this address in the sandbox outbox. */
export async function mailTo(
  { client }: Pick<ServerWithOutbox, 'client'>,
  email: string,
  matches: (mail: MailText['message']) => boolean = () => true,
): Promise<MailText['message'] & { id: string }> {
  return waitFor('a mail to this address', async () => {
    const response = await client.request<{ items: MailText[] }>(
      'GET',
      '/v1/sandbox/outbox?channel=email&limit=100',
    );
    if (response.status !== 200) throw new Error(`reading the outbox failed: ${response.text}`);
    const found = response.body.items.find(
      ({ to, message }) => to[0] === email.toLowerCase() && matches(message),
    );
    return found && { id: found.id, ...found.message };
  });
}

/** The code of the newest sign-up with this address. */
export const codeTo = async (app: Pick<ServerWithOutbox, 'client'>, email: string): Promise<string> =>
  /\d{4} \d{4}/.exec((await mailTo(app, email, ({ text }) => /\d{4} \d{4}/.test(text))).text)![0];

/** Signs up, verifies the address and signs in; creates an organization if a name is passed. */
export async function signUp(
  app: ServerWithOutbox,
  person: { email: string; name?: string; organization?: string },
) {
  const browser = visitor(app.url);
  await browser.send('/auth/sign-up', { name: person.name ?? 'Ana Sousa', email: person.email, password });
  await browser.send('/auth/sign-up/code', { code: await codeTo(app, person.email) });
  await browser.send('/auth/sign-in', { email: person.email, password });
  if (person.organization)
    await browser.send('/auth/organizations/new', { organization: person.organization });
  return browser;
}
