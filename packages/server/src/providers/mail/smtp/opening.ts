// Opens a connection to a relay: greeting, encryption and password.
import { createHmac } from 'node:crypto';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Dialogue, openDialogue, type Reply, SmtpFailure } from './dialogue.ts';

export type Relay = {
  host: string;
  port: number;
  /** Encrypted from the first byte (smtps). */
  is_secure: boolean;
  tls: 'opportunistic' | 'required' | 'off';
  /** The host name in EHLO. */
  hostname: string;
  auth: { user: string; pass: string } | null;
  timeout_ms: number;
};

/** The extensions of the relay: keywords in upper case with their arguments (RFC 5321 section 4.1.1.1). */
export type Extensions = ReadonlyMap<string, string>;

export async function openRelay(
  relay: Relay,
  signal: AbortSignal,
): Promise<{ dialogue: Dialogue; extensions: Extensions }> {
  const { host, port, timeout_ms } = relay;
  const tls_options = { host, ...(isIP(host) ? {} : { servername: host }) };
  const socket = relay.is_secure ? connectTls({ ...tls_options, port }) : connect({ host, port });
  const dialogue = openDialogue(socket, timeout_ms);
  const abort = () => dialogue.end(new SmtpFailure('timeout', 'Given up'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    const greeting = await dialogue.expect();
    if (greeting.code !== 220) throw refused(greeting, 'CONN');
    let extensions = await greet(dialogue, relay.hostname);
    let is_encrypted = relay.is_secure;
    if (!relay.is_secure && relay.tls !== 'off') {
      const answer = extensions.has('STARTTLS') ? await dialogue.command('STARTTLS') : null;
      if (answer?.code === 220) {
        await dialogue.startTls(tls_options);
        extensions = await greet(dialogue, relay.hostname);
        is_encrypted = true;
      } else if (relay.tls === 'required') {
        throw new SmtpFailure('tls', answer?.text ?? 'The relay offers no encryption', {
          command: 'STARTTLS',
        });
      }
    }
    if (relay.auth && !is_encrypted && relay.tls !== 'off') {
      // An attacker between us and the relay could have removed the offer, and would get the password.
      const message =
        'The relay offers no encryption, and the password is not sent in clear text unless TLS is off';
      throw new SmtpFailure('tls', message, { command: 'AUTH' });
    }
    if (relay.auth) await authenticate(dialogue, relay.auth, extensions);
    return { dialogue, extensions };
  } catch (error) {
    dialogue.end(error as SmtpFailure);
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function greet(dialogue: Dialogue, hostname: string): Promise<Extensions> {
  const answer = await dialogue.command(`EHLO ${hostname}`);
  if (answer.code === 250) {
    const keywords = answer.text.split('\n').slice(1);
    return new Map(
      keywords.map((line) => {
        const [keyword, ...rest] = line.slice(4).trim().split(/[ =]/);
        return [keyword!.toUpperCase(), rest.join(' ')];
      }),
    );
  }
  const helo = answer.code >= 500 ? await dialogue.command(`HELO ${hostname}`) : answer;
  if (helo.code !== 250) throw refused(helo, 'EHLO');
  return new Map();
}

/** The first mechanism that both sides support. A relay that lists none is tried with PLAIN. */
async function authenticate(
  dialogue: Dialogue,
  auth: { user: string; pass: string },
  extensions: Extensions,
) {
  const offered = (extensions.get('AUTH') ?? '').toUpperCase().split(' ');
  const mechanism = ['PLAIN', 'LOGIN', 'CRAM-MD5'].find((each) => offered.includes(each)) ?? 'PLAIN';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  let answer: Reply;
  if (mechanism === 'PLAIN')
    answer = await dialogue.command(`AUTH PLAIN ${base64(`\0${auth.user}\0${auth.pass}`)}`);
  else {
    answer = await dialogue.command(`AUTH ${mechanism}`);
    const challenge = Buffer.from(answer.text.slice(4), 'base64');
    const responses =
      mechanism === 'LOGIN'
        ? [auth.user, auth.pass]
        : [`${auth.user} ${createHmac('md5', auth.pass).update(challenge).digest('hex')}`];
    for (const each of responses) if (answer.code === 334) answer = await dialogue.command(base64(each));
  }
  if (answer.code === 235) return;
  // With 4xx the login service is unavailable for a moment, and the password may be right (RFC 4954 section 6).
  if (answer.code < 500) throw refused(answer, 'AUTH');
  throw new SmtpFailure('password', answer.text, { reply: answer, command: 'AUTH' });
}

export const refused = (reply: Reply, command: string) =>
  new SmtpFailure('refused', reply.text, { reply, command });
