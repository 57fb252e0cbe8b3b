// The login at a relay: by password, or by an access token.
import { createHmac } from 'node:crypto';
import type { RenewedValue } from '../../../platform/renewed-value.ts';
import { type Dialogue, type Reply, SmtpFailure } from './dialogue.ts';

export type Login = { user: string; pass: string } | { user: string; tokens: RenewedValue<string> };

/** What the login sends: a token is fetched before the connection is opened, which must not wait for it. */
export type Secret = { user: string; pass: string } | { user: string; token: string };

/** RFC 4954 section 4: the longest line of a login. */
const max_line_bytes = 12_288;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The first mechanism that both sides support. A relay that lists none is tried with the first one. */
export async function logIn(
  dialogue: Dialogue,
  secret: Secret,
  { mechanisms, host, port }: { mechanisms: string; host: string; port: number },
): Promise<void> {
  const offered = mechanisms.toUpperCase().split(' ');
  const first = (names: readonly string[]) => names.find((each) => offered.includes(each)) ?? names[0]!;
  const answer =
    'token' in secret
      ? await byToken(dialogue, first(['XOAUTH2', 'OAUTHBEARER']), secret, { host, port })
      : await byPassword(dialogue, first(['PLAIN', 'LOGIN', 'CRAM-MD5']), secret);
  if (answer.code === 235) return;
  const at = { reply: answer, command: 'AUTH' };
  // With 4xx the login service is unavailable for a moment, and the password may be right (RFC 4954 section 6).
  throw new SmtpFailure(answer.code < 500 ? 'refused' : 'password', answer.text, at);
}

async function byPassword(
  dialogue: Dialogue,
  mechanism: string,
  { user, pass }: { user: string; pass: string },
): Promise<Reply> {
  if (mechanism === 'PLAIN') return dialogue.command(`AUTH PLAIN ${base64(`\0${user}\0${pass}`)}`);
  let answer = await dialogue.command(`AUTH ${mechanism}`);
  const challenge = Buffer.from(answer.text.slice(4), 'base64');
  const responses =
    mechanism === 'LOGIN'
      ? [user, pass]
      : [`${user} ${createHmac('md5', pass).update(challenge).digest('hex')}`];
  for (const each of responses) if (answer.code === 334) answer = await dialogue.command(base64(each));
  return answer;
}

/** XOAUTH2 of Google and Microsoft, and OAUTHBEARER (RFC 7628). */
async function byToken(
  dialogue: Dialogue,
  mechanism: string,
  { user, token }: { user: string; token: string },
  { host, port }: { host: string; port: number },
): Promise<Reply> {
  const bearer = `auth=Bearer ${token}\x01\x01`;
  const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C');
  const response = base64(
    mechanism === 'XOAUTH2'
      ? `user=${user}\x01${bearer}`
      : `n,a=${name},\x01host=${host}\x01port=${port}\x01${bearer}`,
  );
  const line = `AUTH ${mechanism} ${response}`;
  let answer: Reply;
  if (line.length + 2 <= max_line_bytes) answer = await dialogue.command(line);
  else {
    answer = await dialogue.command(`AUTH ${mechanism}`);
    if (answer.code === 334) answer = await dialogue.command(response);
  }
  // The challenge says why the token was refused. The reply to it ends the login.
  if (answer.code === 334) answer = await dialogue.command(mechanism === 'XOAUTH2' ? '' : base64('\x01'));
  return answer;
}
