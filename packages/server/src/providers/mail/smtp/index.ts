// Hands mail to a relay over SMTP: pooled connections, one answer for each recipient.
import { classifyBounce, enhancedCode } from '../../../protocols/mail/bounce-class.ts';
import {
  type ComposedMail,
  type MailReport,
  type MailTransport,
  messageOf,
  type OutgoingMail,
  type SendOutcome,
} from '../transport.ts';
import { type Connection, connections, type PoolState } from './connections.ts';
import { SmtpFailure } from './dialogue.ts';
import { type Chunking, type Handed, isUnknownBdat, type Sent, transact } from './transaction.ts';

export type SmtpSettings = {
  /** smtp://user:password@host:port, or smtps://… */
  url: string;
  max_connections: number;
  tls: 'opportunistic' | 'required' | 'off';
  /** The name this host greets with. */
  hostname: string;
  timeout_ms: number;
  /** For how long after a relay's last word it is taken for awake. */
  awake_ms?: number;
};

/** For how long a relay that refused BDAT as unknown is given messages by DATA only. */
const bdat_refused_ms = 3_600_000;
/** How much of a reply is kept in records, events and ids. */
const kept_reply_chars = 2000;
const kept_id_chars = 200;

const not_handed: Handed = { is_begun: false, may_be_taken: false };

export type SmtpTransport = MailTransport & { pool(): PoolState };

export function smtpTransport(settings: SmtpSettings): SmtpTransport {
  const url = new URL(settings.url);
  const awake_ms = settings.awake_ms ?? 1000;
  const is_secure = url.protocol === 'smtps:';
  const pool = connections({
    relay: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port ? Number(url.port) : is_secure ? 465 : 25,
      is_secure,
      tls: settings.tls,
      hostname: settings.hostname,
      auth: url.username
        ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
        : null,
      timeout_ms: settings.timeout_ms,
    },
    max: settings.max_connections,
  });

  let chunking: Chunking = 'untried';
  let chunking_refused_ms = 0;
  const chunkingNow = (): Chunking => {
    if (chunking === 'refused' && performance.now() - chunking_refused_ms > bdat_refused_ms)
      chunking = 'untried';
    return chunking;
  };

  const attempt = async (
    mail: OutgoingMail,
    message: ComposedMail,
    signal: AbortSignal,
    handed: Handed,
  ): Promise<Sent> => {
    const envelope = { from: mail.envelope.from, to: mail.envelope.to, id: mail.email_id };
    for (;;) {
      const connection = await pool.take(signal);
      const { talk, extensions } = connection;
      Object.assign(handed, not_handed);
      const is_awake = performance.now() - connection.heard_ms < awake_ms;
      const cut = () => talk.end(new SmtpFailure('timeout', 'Given up'));
      signal.addEventListener('abort', cut, { once: true });
      try {
        const how = { is_awake, chunking: chunkingNow() };
        const sent = await transact(talk, extensions, envelope, message, handed, how);
        if (sent.by === 'BDAT' && chunking === 'untried') chunking = 'proven';
        pool.giveBack(connection);
        return sent;
      } catch (error) {
        if (!(error instanceof SmtpFailure)) {
          pool.drop(connection);
          throw error;
        }
        if (isUnknownBdat(error) && !signal.aborted) {
          chunking = 'refused';
          chunking_refused_ms = performance.now();
          // It reads the content as commands, so this connection is of no use; nothing was taken.
          pool.drop(connection);
          continue;
        }
        const is_goodbye = error.reply?.code === 421;
        if (error.kind === 'refused' && !is_goodbye) void startAfresh(connection);
        else pool.drop(connection);
        // A kept connection may have been closed by the relay meanwhile. What cannot have been taken is tried afresh.
        const is_stale = connection.messages > 0 && (error.kind === 'lost' || is_goodbye) && !handed.is_begun;
        if (!is_stale || signal.aborted) throw error;
      } finally {
        signal.removeEventListener('abort', cut);
      }
    }
  };

  /** After a refusal the relay may still hold a part of the message. */
  const startAfresh = async (connection: Connection): Promise<void> => {
    const reply = await connection.talk.ask('RSET').catch(() => null);
    if (reply?.code === 250) pool.giveBack(connection);
    else pool.drop(connection);
  };

  return {
    name: 'smtp',
    capabilities: { rewrites: [], simulated: false },
    async send(mail, signal) {
      const handed: Handed = { ...not_handed };
      try {
        return accepted(mail, await attempt(mail, messageOf(mail), signal, handed));
      } catch (error) {
        return failure(error as Error, signal, handed);
      }
    },
    close: async () => pool.close(),
    pool: pool.state,
  };
}

/** Cut without leaving half of a surrogate pair, which could not be stored. */
const kept = (text: string): string => text.slice(0, kept_reply_chars).toWellFormed();

function accepted(mail: OutgoingMail, sent: Sent): SendOutcome {
  const delivered: MailReport = {
    kind: 'delivered',
    recipients: sent.accepted,
    occurred_at: null,
    detail: { recipients: sent.accepted, response: kept(sent.response) },
    report_id: 'accepted',
  };
  // Taken for some, refused for others: the message is sent, and each refusal is a bounce.
  const bounced = sent.refused.map(({ recipient, response }): MailReport => {
    const words = kept(response);
    const verdict = classifyBounce(enhancedCode(words), words);
    return {
      kind: 'bounced',
      recipients: [recipient],
      occurred_at: null,
      hard: verdict.hard,
      detail: { ...verdict, recipients: [recipient], diagnostic_code: `smtp; ${words}` },
      report_id: `refused:${recipient.toLowerCase()}`,
    };
  });
  const queue_id = /\bqueued as ([A-Za-z0-9]+)/i.exec(sent.response)?.[1]?.slice(0, kept_id_chars);
  return {
    accepted: true,
    provider_message_id: queue_id ?? mail.message_id,
    reports: [delivered, ...bounced],
  };
}

function failure(error: Error, signal: AbortSignal, handed: Handed): SendOutcome {
  const { kind, reply, command } =
    error instanceof SmtpFailure ? error : { kind: null, reply: null, command: null };
  const detail = { response: kept(reply?.text ?? error.message), ...(command ? { command } : {}) };
  // A refusal is an answer: nothing was taken.
  const may_be_taken = handed.may_be_taken && kind !== 'refused';
  const failed = (
    reason: 'smtp_rejected' | 'connection_failed' | 'timeout' | 'provider_error',
    retryable: boolean,
  ) => ({ accepted: false, reason, retryable, detail, ...(may_be_taken ? { may_be_taken } : {}) }) as const;
  if (signal.aborted || kind === 'timeout') return failed('timeout', true);
  if (kind === 'password' || kind === 'tls') return failed('provider_error', false);
  if (reply) return failed('smtp_rejected', reply.code < 500);
  return failed('connection_failed', true);
}
