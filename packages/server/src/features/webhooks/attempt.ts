// Makes one attempt of a delivery: signs it, sends it, and says how it went in the words of the log.
import { api_version, limits } from '@parley/contract/limits';
import type { WebhookAttempt, WebhookAttemptError } from '@parley/contract/webhooks';
import type { Dispatcher } from 'undici';
import { isoTime, type MovableClock } from '../../platform/clock.ts';
import { RequestFailed, requestOnce, type Target } from '../../platform/egress/request-once.ts';
import type { Log } from '../../platform/log.ts';
import { type SigningKey, signatures } from './signature.ts';

const user_agent = `Parley-Webhooks/${api_version}`;

export type Message = {
  id: string;
  subscription_id: string;
  event_type: string;
  source_name: string | null;
  body: Buffer;
};

/** One attempt as the log tells it, and when it began. */
export type Attempt = { started_ms: number; record: WebhookAttempt };

export type Recipient = { target: Target; keys: readonly SigningKey[] };

export function attempter(deps: {
  agent: Dispatcher;
  clock: MovableClock;
  log: Log;
  timeout_ms: number;
  /** Whether the process is going down, and takes its connections with it. */
  isStopping(): boolean;
}) {
  const { agent, clock, log, timeout_ms } = deps;

  /** Null when our own stopping cut it off: then it was no attempt, and another process makes it. */
  return async (message: Message, recipient: Recipient): Promise<Attempt | null> => {
    const started_ms = clock.ms();
    // The receiver compares the timestamp with its own clock, which knows nothing of the sandbox's.
    const unix_seconds = Math.floor((started_ms - clock.offset_ms()) / 1000);
    try {
      const { own, standard } = signatures(recipient.keys, message, unix_seconds);
      const headers: Record<string, string> = {
        'Content-Type': 'application/json',
        'User-Agent': user_agent,
        'X-Service-Event': message.event_type,
        'X-Service-Delivery': message.id,
        'X-Service-Subscription': message.subscription_id,
        'X-Service-Signature': own,
        'webhook-id': message.id,
        'webhook-timestamp': String(unix_seconds),
        'webhook-signature': standard,
      };
      if (message.source_name !== null) headers['X-Service-Email-Domain'] = message.source_name;
      const answer = await requestOnce(agent, {
        url: recipient.target,
        method: 'POST',
        headers,
        body: message.body,
        deadline_ms: timeout_ms,
        max_response_bytes: limits.webhook_response_bytes,
      });
      const record: WebhookAttempt = {
        attempted_at: isoTime(started_ms),
        status_code: answer.status,
        duration_ms: answer.duration_ms,
        error: errorOf(answer.status),
        response_body: readableText(answer.body_start),
      };
      return { started_ms, record };
    } catch (failure) {
      if (failure instanceof RequestFailed) return failed(started_ms, failure.reason, failure.duration_ms);
      if (deps.isStopping()) return null;
      log.error({ err: failure, delivery_id: message.id }, 'a webhook attempt failed on our side');
      return failed(started_ms, 'internal_error', clock.ms() - started_ms);
    }
  };
}
export type Attempter = ReturnType<typeof attempter>;

const failed = (started_ms: number, error: WebhookAttemptError, duration_ms: number): Attempt => ({
  started_ms,
  record: { attempted_at: isoTime(started_ms), status_code: null, duration_ms, error, response_body: null },
});

function errorOf(status: number): WebhookAttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect_not_followed' : 'bad_status';
}

/** The receiver may answer anything; PostgreSQL keeps no NUL, and a cut may have split the last character. */
function readableText(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  return text.replaceAll('\0', '\ufffd');
}
