// A browser without a screen: keeps cookies, sends forms as pages do, follows nothing by itself.
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

export type Visit = { status: number; text: string; headers: Headers; location: string | null };

/** An address of its own, believed only where the server trusts this machine as a proxy. */
export const somePlace = () => ({ 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` });

export function visitor(base_url: string) {
  const place = somePlace();
  const cookies = new Map<string, string>();

  async function visit(path: string, init: RequestInit = {}): Promise<Visit> {
    const answer = await fetch(new URL(path, base_url), {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html',
        ...place,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair] = line.split(';');
      const [name, value] = [pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1)];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return {
      status: answer.status,
      text: await answer.text(),
      headers: answer.headers,
      location: answer.headers.get('location'),
    };
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

/** What of a service a visitor needs who makes an account: its address, and the sandbox's outbox. */
export type Mailed = {
  url: string;
  client: {
    request<T>(method: string, path: string): Promise<{ status: number; text: string; body: T }>;
  };
};

type MailText = { id: string; to: string[]; message: { subject: string; text: string; from: string } };

/** The newest system mail to this address, read from the sandbox's outbox as an operator would; waits until it is there. */
export async function mailTo(
  { client }: Pick<Mailed, 'client'>,
  email: string,
  wanted: (mail: MailText['message']) => boolean = () => true,
): Promise<MailText['message'] & { id: string }> {
  for (const until = Date.now() + 20_000; Date.now() < until; await wait(20)) {
    const answer = await client.request<{ items: MailText[] }>(
      'GET',
      '/v1/sandbox/outbox?channel=email&limit=100',
    );
    if (answer.status !== 200) throw new Error(`the outbox cannot be read: ${answer.text}`);
    const found = answer.body.items.find(
      ({ to, message }) => to[0] === email.toLowerCase() && wanted(message),
    );
    if (found) return { id: found.id, ...found.message };
  }
  throw new Error('no such mail came');
}

/** The code of the newest sign-up with this address. */
export const codeTo = async (app: Pick<Mailed, 'client'>, email: string): Promise<string> =>
  /\d{4} \d{4}/.exec((await mailTo(app, email, ({ text }) => /\d{4} \d{4}/.test(text))).text)![0];

/** Signs up where that is open to anybody, proves the address, signs in, and founds an organization when one is named. */
export async function signedUp(app: Mailed, person: { email: string; name?: string; organization?: string }) {
  const browser = visitor(app.url);
  await browser.send('/auth/sign-up', { name: person.name ?? 'Ana Sousa', email: person.email, password });
  await browser.send('/auth/sign-up/code', { code: await codeTo(app, person.email) });
  await browser.send('/auth/sign-in', { email: person.email, password });
  if (person.organization)
    await browser.send('/auth/organizations/new', { organization: person.organization });
  return browser;
}
