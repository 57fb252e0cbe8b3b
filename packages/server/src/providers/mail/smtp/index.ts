// Hands mail to a relay over SMTP: pooled connections, one answer for each recipient.
import type { NodemailerError } from 'nodemailer/lib/errors';
import { classifyBounce, enhancedCode } from '../bounce-class.ts';
import type { ComposedMail, MailReport, MailTransport, OutgoingMail, SendOutcome } from '../transport.ts';
import { type Connection, connections } from './connections.ts';

export type SmtpSettings = {
  /** smtp://user:password@host:port, or smtps://… */
  url: string;
  max_connections: number;
  tls: 'opportunistic' | 'required' | 'off';
  /** The name this host greets with. */
  hostname: string;
  timeout_ms: number;
};

type Refusal = { recipient: string; response: string };
type Sent = { accepted: string[]; refused: Refusal[]; response: string };
type SmtpError = NodemailerError & { recipient?: string };

export function smtpTransport(settings: SmtpSettings): MailTransport {
  const url = new URL(settings.url);
  const secure = url.protocol === 'smtps:';
  const pool = connections({
    smtp: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port ? Number(url.port) : secure ? 465 : 25,
      secure,
      name: settings.hostname,
      requireTLS: settings.tls === 'required',
      ignoreTLS: settings.tls === 'off',
      connectionTimeout: settings.timeout_ms,
      greetingTimeout: settings.timeout_ms,
      socketTimeout: settings.timeout_ms,
      dnsTimeout: settings.timeout_ms,
    },
    auth: url.username
      ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
      : null,
    max: settings.max_connections,
  });

  const transfer = (connection: Connection, mail: OutgoingMail, message: ComposedMail, signal: AbortSignal) =>
    new Promise<Sent>((resolve, reject) => {
      const cut = () => {
        pool.drop(connection);
        reject(Object.assign(new Error('Given up'), { code: 'ETIMEDOUT' }));
      };
      const lost = () => reject(Object.assign(new Error('Connection closed'), { code: 'ECONNECTION' }));
      signal.addEventListener('abort', cut, { once: true });
      connection.smtp.once('end', lost);
      connection.smtp.send(
        {
          ...mail.envelope,
          size: message.size_bytes,
          // The envelope id and the return path both name the email; only its headers need to come back.
          dsn: { id: mail.email_id, return: 'HDRS', notify: ['FAILURE', 'DELAY'] },
        },
        message.content(),
        (error, info) => {
          signal.removeEventListener('abort', cut);
          connection.smtp.removeListener('end', lost);
          if (error || !info) return reject(error ?? new Error('No answer'));
          resolve({
            accepted: info.accepted,
            refused: ((info.rejectedErrors ?? []) as SmtpError[]).map((each) => ({
              recipient: each.recipient ?? '',
              response: each.response ?? each.message,
            })),
            response: info.response,
          });
        },
      );
    });

  const attempt = async (mail: OutgoingMail, message: ComposedMail, signal: AbortSignal): Promise<Sent> => {
    for (;;) {
      const connection = await pool.take(signal);
      try {
        const sent = await transfer(connection, mail, message, signal);
        pool.giveBack(connection);
        return sent;
      } catch (error) {
        const { responseCode, command } = error as SmtpError;
        if (responseCode && !connection.broken) {
          connection.smtp.reset((failed) => (failed ? pool.drop(connection) : pool.giveBack(connection)));
        } else pool.drop(connection);
        // A kept connection may have been closed by the relay meanwhile. Before DATA nothing was taken: try afresh.
        const stale = connection.messages > 0 && !responseCode && command !== 'DATA' && !signal.aborted;
        if (!stale || (error as SmtpError).code === 'ETIMEDOUT') throw error;
      }
    }
  };

  return {
    name: 'smtp',
    capabilities: { rewrites: [], pretends: false },
    async send(mail, signal) {
      const message = await mail.compose();
      try {
        return accepted(mail, await attempt(mail, message, signal));
      } catch (error) {
        return failure(error as SmtpError, signal);
      } finally {
        await message.dispose();
      }
    },
    close: async () => pool.close(),
  };
}

function accepted(mail: OutgoingMail, sent: Sent): SendOutcome {
  const delivered: MailReport = {
    kind: 'delivered',
    recipients: sent.accepted,
    occurred_at: null,
    detail: { recipients: sent.accepted, response: sent.response },
    report_id: 'accepted',
  };
  // Taken for some, refused for others: the message is sent, and each refusal is a bounce.
  const bounced = sent.refused.map(({ recipient, response }): MailReport => {
    const verdict = classifyBounce(enhancedCode(response), response);
    return {
      kind: 'bounced',
      recipients: [recipient],
      occurred_at: null,
      hard: verdict.hard,
      detail: { ...verdict, recipients: [recipient], diagnostic_code: `smtp; ${response}` },
      report_id: `refused:${recipient.toLowerCase()}`,
    };
  });
  const queue_id = /\bqueued as ([A-Za-z0-9]+)/i.exec(sent.response)?.[1];
  return {
    accepted: true,
    provider_message_id: queue_id ?? mail.message_id,
    reports: [delivered, ...bounced],
  };
}

function failure(error: SmtpError, signal: AbortSignal): SendOutcome {
  const { responseCode, code } = error;
  const detail = {
    response: error.response ?? error.message,
    ...(error.command ? { command: error.command } : {}),
  };
  const failed = (
    reason: 'smtp_rejected' | 'connection_failed' | 'timeout' | 'provider_error',
    retryable: boolean,
  ) => ({ accepted: false, reason, retryable, detail }) as const;
  if (signal.aborted || code === 'ETIMEDOUT') return failed('timeout', true);
  if (code === 'EAUTH' || code === 'ETLS') return failed('provider_error', false);
  if (responseCode) return failed('smtp_rejected', responseCode < 500);
  return failed('connection_failed', true);
}
