// Opens a connection to a relay: greeting, encryption and password.
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Dialogue, openDialogue, type Reply, SmtpFailure } from './dialogue.ts';
import { type Login, logIn, type Secret } from './login.ts';

export type Relay = {
  host: string;
  port: number;
  /** Encrypted from the first byte (smtps). */
  is_secure: boolean;
  tls: 'opportunistic' | 'required' | 'off';
  /** The host name in EHLO. */
  hostname: string;
  auth: Login | null;
  timeout_ms: number;
};

/** The extensions of the relay: keywords in upper case with their arguments (RFC 5321 section 4.1.1.1). */
export type Extensions = ReadonlyMap<string, string>;

type Opened = { dialogue: Dialogue; extensions: Extensions };

/** A token that the relay refuses is renewed once: it may have been revoked before its end. */
export async function openRelay(relay: Relay, signal: AbortSignal): Promise<Opened> {
  const { auth } = relay;
  if (!auth || 'pass' in auth) return open(relay, auth, signal);
  const token = await auth.tokens.current();
  try {
    return await open(relay, { user: auth.user, token }, signal);
  } catch (error) {
    if (!(error instanceof SmtpFailure) || error.kind !== 'password' || signal.aborted) throw error;
    auth.tokens.forget(token);
    return open(relay, { user: auth.user, token: await auth.tokens.current() }, signal);
  }
}

async function open(relay: Relay, secret: Secret | null, signal: AbortSignal): Promise<Opened> {
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
    if (secret && !is_encrypted && relay.tls !== 'off') {
      // An attacker between us and the relay could have removed the offer, and would get the password.
      const message =
        'The relay offers no encryption, and the password is not sent in clear text unless TLS is off';
      throw new SmtpFailure('tls', message, { command: 'AUTH' });
    }
    if (secret) await logIn(dialogue, secret, { mechanisms: extensions.get('AUTH') ?? '', host, port });
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

export const refused = (reply: Reply, command: string) =>
  new SmtpFailure('refused', reply.text, { reply, command });
