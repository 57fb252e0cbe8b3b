// Sends mail to a relay over SMTP: pooled connections, and one outcome for each recipient.
import { classifyBounce, enhancedCode } from '../../../protocols/mail/bounce-class.ts';
import {
  type ComposedMail,
  type MailReport,
  type MailTransport,
  messageOf,
  type OutgoingMail,
  type SendOutcome,
} from '../transport.ts';
import { type Connection, connectionPool, type PoolState } from './connections.ts';
import { SmtpFailure } from './dialogue.ts';
import type { Login } from './login.ts';
import { type OauthSettings, oauthTokens } from './oauth-tokens.ts';
import type { Relay } from './opening.ts';
import { type Chunking, type HandOver, isUnknownBdat, type Sent, transact } from './transaction.ts';

export type SmtpSettings = {
  /** smtp://user:password@host:port, or smtps://… */
  url: string;
  max_connections: number;
  tls: 'opportunistic' | 'required' | 'off';
  /** The host name in EHLO. */
  hostname: string;
  timeout_ms: number;
  /** Logs in with a token of this endpoint instead of a password; the user is in the address. */
  oauth?: OauthSettings | null;
  /** For how long after its last reply a relay is assumed to be alive. */
  alive_ms?: number;
};

/** For how long messages are sent by DATA only after a relay refused BDAT as unknown. */
const bdat_refused_ms = 3_600_000;
/** How much of a reply is stored in records, events and ids. */
const stored_reply_chars = 2000;
const stored_id_chars = 200;

export type SmtpTransport = MailTransport & { pool(): PoolState };

type Client = {
  pool: ReturnType<typeof connectionPool>;
  alive_ms: number;
  chunking: ReturnType<typeof chunkingSupport>;
};

export function smtpTransport(settings: SmtpSettings): SmtpTransport {
  const pool = connectionPool({ relay: relayOf(settings), max: settings.max_connections });
  const client: Client = { pool, alive_ms: settings.alive_ms ?? 1000, chunking: chunkingSupport() };
  return {
    name: 'smtp',
    capabilities: { rewrites: [], simulated: false },
    async send(mail, signal) {
      const hand_over: HandOver = { is_begun: false, may_be_taken: false };
      try {
        return accepted(mail, await attempt(client, mail, messageOf(mail), signal, hand_over));
      } catch (error) {
        return failure(error as Error, signal, hand_over);
      }
    },
    check: (signal) => checkRelay(pool, settings.max_connections, signal),
    close: async () => pool.close(),
    pool: pool.state,
  };
}

/** Opens a connection, or asks over an idle one whether the relay still responds. */
async function checkRelay(pool: Client['pool'], max: number, signal: AbortSignal): Promise<void> {
  // All connections carry messages, so the relay responds.
  const { open, idle } = pool.state();
  if (idle === 0 && open >= max) return;
  const connection = await pool.acquire(signal);
  const reply = await connection.dialogue.command('NOOP').catch((error: Error) => error);
  if (!(reply instanceof Error) && reply.code === 250) return pool.release(connection);
  pool.drop(connection);
  throw reply instanceof Error ? reply : new Error(`The relay replied ${reply.code} to NOOP`);
}

function relayOf(settings: SmtpSettings): Relay {
  const url = new URL(settings.url);
  const is_secure = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : is_secure ? 465 : 25,
    is_secure,
    tls: settings.tls,
    hostname: settings.hostname,
    auth: url.username ? loginOf(url, settings.oauth ?? null) : null,
    timeout_ms: settings.timeout_ms,
  };
}

function loginOf({ username, password }: URL, oauth: OauthSettings | null): Login {
  const user = decodeURIComponent(username);
  return oauth ? { user, tokens: oauthTokens(oauth) } : { user, pass: decodeURIComponent(password) };
}

/** What is known about BDAT at this relay. A refusal is forgotten after a while. */
function chunkingSupport() {
  let chunking: Chunking = 'untried';
  let refused_at_ms = 0;
  return {
    get(): Chunking {
      if (chunking === 'refused' && performance.now() - refused_at_ms > bdat_refused_ms) chunking = 'untried';
      return chunking;
    },
    proven(): void {
      if (chunking === 'untried') chunking = 'proven';
    },
    refused(): void {
      chunking = 'refused';
      refused_at_ms = performance.now();
    },
  };
}

/** Sends over connections of the pool until the relay has answered. */
async function attempt(
  client: Client,
  mail: OutgoingMail,
  message: ComposedMail,
  signal: AbortSignal,
  hand_over: HandOver,
): Promise<Sent> {
  const { pool, chunking } = client;
  const envelope = { ...mail.envelope, id: mail.email_id };
  for (;;) {
    const connection = await pool.acquire(signal);
    const { dialogue, extensions } = connection;
    Object.assign(hand_over, { is_begun: false, may_be_taken: false });
    const is_alive = performance.now() - connection.last_reply_ms < client.alive_ms;
    const abort = () => dialogue.end(new SmtpFailure('timeout', 'Given up'));
    signal.addEventListener('abort', abort, { once: true });
    try {
      const options = { is_alive, chunking: chunking.get() };
      const sent = await transact(dialogue, extensions, envelope, message, hand_over, options);
      if (sent.by === 'BDAT') chunking.proven();
      pool.release(connection);
      return sent;
    } catch (error) {
      if (!mayRetry(client, connection, error, signal, hand_over)) throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}

/** Returns the connection to the pool, or closes it. True if the message may be sent over another connection. */
function mayRetry(
  { pool, chunking }: Client,
  connection: Connection,
  error: unknown,
  signal: AbortSignal,
  hand_over: HandOver,
): boolean {
  if (!(error instanceof SmtpFailure)) {
    pool.drop(connection);
    return false;
  }
  if (isUnknownBdat(error) && !signal.aborted) {
    chunking.refused();
    // The relay reads the content as commands, so this connection cannot be used. It accepted nothing.
    pool.drop(connection);
    return true;
  }
  const is_goodbye = error.reply?.code === 421;
  if (error.kind === 'refused' && !is_goodbye) void reset(pool, connection);
  else pool.drop(connection);
  // The relay may have closed a pooled connection meanwhile. A message that it cannot have accepted is sent again.
  const is_stale = connection.messages > 0 && (error.kind === 'lost' || is_goodbye) && !hand_over.is_begun;
  return is_stale && !signal.aborted;
}

/** After a refusal the relay may still hold a part of the transaction. */
async function reset(pool: Client['pool'], connection: Connection): Promise<void> {
  const reply = await connection.dialogue.command('RSET').catch(() => null);
  if (reply?.code === 250) pool.release(connection);
  else pool.drop(connection);
}

/** Truncated without half of a surrogate pair, which could not be stored. */
const truncated = (text: string): string => text.slice(0, stored_reply_chars).toWellFormed();

function accepted(mail: OutgoingMail, sent: Sent): SendOutcome {
  const delivered: MailReport = {
    kind: 'delivered',
    recipients: sent.accepted,
    occurred_at: null,
    detail: { recipients: sent.accepted, response: truncated(sent.response) },
    report_id: 'accepted',
  };
  // Accepted for some recipients and refused for others: the message is sent, and each refusal is a bounce.
  const bounced = sent.refused.map(({ recipient, response }): MailReport => {
    const reply = truncated(response);
    const verdict = classifyBounce(enhancedCode(reply), reply);
    return {
      kind: 'bounced',
      recipients: [recipient],
      occurred_at: null,
      hard: verdict.hard,
      detail: { ...verdict, recipients: [recipient], diagnostic_code: `smtp; ${reply}` },
      report_id: `refused:${recipient.toLowerCase()}`,
    };
  });
  const queue_id = /\bqueued as ([A-Za-z0-9]+)/i.exec(sent.response)?.[1]?.slice(0, stored_id_chars);
  return {
    accepted: true,
    provider_message_id: queue_id ?? mail.message_id,
    reports: [delivered, ...bounced],
  };
}

function failure(error: Error, signal: AbortSignal, hand_over: HandOver): SendOutcome {
  const { kind, reply, command } =
    error instanceof SmtpFailure ? error : { kind: null, reply: null, command: null };
  const detail = { response: truncated(reply?.text ?? error.message), ...(command ? { command } : {}) };
  // A refusal is a reply: nothing was accepted.
  const may_be_taken = hand_over.may_be_taken && kind !== 'refused';
  const failed = (
    reason: 'smtp_rejected' | 'connection_failed' | 'timeout' | 'provider_error',
    retryable: boolean,
  ) => ({ accepted: false, reason, retryable, detail, ...(may_be_taken ? { may_be_taken } : {}) }) as const;
  if (signal.aborted || kind === 'timeout') return failed('timeout', true);
  if (kind === 'password' || kind === 'tls') return failed('provider_error', false);
  if (reply) return failed('smtp_rejected', reply.code < 500);
  return failed('connection_failed', true);
}
