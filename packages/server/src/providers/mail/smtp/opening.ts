// Opens a connection to a relay and brings it to where messages can be sent: greeting, encryption, password.
import { createHmac } from 'node:crypto';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Dialogue, dialogue, type Reply, SmtpFailure } from './dialogue.ts';

export type Relay = {
  host: string;
  port: number;
  /** Encrypted from the first byte (smtps). */
  is_secure: boolean;
  tls: 'opportunistic' | 'required' | 'off';
  /** The name this host greets with. */
  hostname: string;
  auth: { user: string; pass: string } | null;
  timeout_ms: number;
};

/** What the relay says it can do: keywords in capitals with their arguments (RFC 5321 section 4.1.1.1). */
export type Extensions = ReadonlyMap<string, string>;

export async function openRelay(
  relay: Relay,
  signal: AbortSignal,
): Promise<{ talk: Dialogue; extensions: Extensions }> {
  const { host, port, timeout_ms } = relay;
  const certified = { host, ...(isIP(host) ? {} : { servername: host }) };
  const socket = relay.is_secure ? connectTls({ ...certified, port }) : connect({ host, port });
  const talk = dialogue(socket, timeout_ms);
  const cut = () => talk.end(new SmtpFailure('timeout', 'Given up'));
  signal.addEventListener('abort', cut, { once: true });
  try {
    const greeting = await talk.expect();
    if (greeting.code !== 220) throw refused(greeting, 'CONN');
    let extensions = await greet(talk, relay.hostname);
    let is_encrypted = relay.is_secure;
    if (!relay.is_secure && relay.tls !== 'off') {
      const answer = extensions.has('STARTTLS') ? await talk.ask('STARTTLS') : null;
      if (answer?.code === 220) {
        await talk.encrypt(certified);
        extensions = await greet(talk, relay.hostname);
        is_encrypted = true;
      } else if (relay.tls === 'required') {
        throw new SmtpFailure('tls', answer?.text ?? 'The relay offers no encryption', {
          command: 'STARTTLS',
        });
      }
    }
    if (relay.auth && !is_encrypted && relay.tls !== 'off') {
      // Whoever stands in between could have left the offer out, and would be told the password.
      const words =
        'The relay offers no encryption, and the password goes to nobody in clear unless TLS is off';
      throw new SmtpFailure('tls', words, { command: 'AUTH' });
    }
    if (relay.auth) await prove(talk, relay.auth, extensions);
    return { talk, extensions };
  } catch (error) {
    talk.end(error as SmtpFailure);
    throw error;
  } finally {
    signal.removeEventListener('abort', cut);
  }
}

async function greet(talk: Dialogue, hostname: string): Promise<Extensions> {
  const answer = await talk.ask(`EHLO ${hostname}`);
  if (answer.code === 250) {
    const keywords = answer.text.split('\n').slice(1);
    return new Map(
      keywords.map((line) => {
        const [keyword, ...rest] = line.slice(4).trim().split(/[ =]/);
        return [keyword!.toUpperCase(), rest.join(' ')];
      }),
    );
  }
  const simpler = answer.code >= 500 ? await talk.ask(`HELO ${hostname}`) : answer;
  if (simpler.code !== 250) throw refused(simpler, 'EHLO');
  return new Map();
}

/** The first way that both sides know; a relay that names none is tried with PLAIN, which all know. */
async function prove(talk: Dialogue, auth: { user: string; pass: string }, extensions: Extensions) {
  const offered = (extensions.get('AUTH') ?? '').toUpperCase().split(' ');
  const way = ['PLAIN', 'LOGIN', 'CRAM-MD5'].find((each) => offered.includes(each)) ?? 'PLAIN';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  let answer: Reply;
  if (way === 'PLAIN') answer = await talk.ask(`AUTH PLAIN ${base64(`\0${auth.user}\0${auth.pass}`)}`);
  else {
    answer = await talk.ask(`AUTH ${way}`);
    const challenge = Buffer.from(answer.text.slice(4), 'base64');
    const words =
      way === 'LOGIN'
        ? [auth.user, auth.pass]
        : [`${auth.user} ${createHmac('md5', auth.pass).update(challenge).digest('hex')}`];
    for (const each of words) if (answer.code === 334) answer = await talk.ask(base64(each));
  }
  if (answer.code !== 235) throw new SmtpFailure('password', answer.text, { reply: answer, command: 'AUTH' });
}

export const refused = (reply: Reply, command: string) =>
  new SmtpFailure('refused', reply.text, { reply, command });
