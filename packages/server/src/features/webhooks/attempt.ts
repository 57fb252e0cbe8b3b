// Makes one attempt of a delivery: signs it, sends it, and says how it went in the words of the log.
import { api_version, limits } from '@parley/contract/limits';
import type { WebhookAttempt, WebhookAttemptError } from '@parley/contract/webhooks';
import type { Dispatcher } from 'undici';
import type { MovableClock } from '../../platform/clock.ts';
import { RequestFailed, requestOnce } from '../../platform/egress/request-once.ts';
import type { Log } from '../../platform/log.ts';
import { type SigningKey, signatureHeaders } from './signature.ts';

export type Message = {
  id: string;
  subscription_id: string;
  event_type: string;
  source_name: string | null;
  body: Buffer;
};

export type Recipient = { url: URL; keys: readonly SigningKey[] };

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
  return async (message: Message, recipient: Recipient): Promise<WebhookAttempt | null> => {
    const started = clock.now();
    const attempted_at = started.toISOString();
    // The receiver compares the timestamp with its own clock, which knows nothing of the sandbox's.
    const unix_seconds = Math.floor((started.getTime() - clock.offset_ms()) / 1000);
    try {
      const answer = await requestOnce(agent, {
        url: recipient.url,
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': `Parley-Webhooks/${api_version}`,
          'X-Service-Event': message.event_type,
          'X-Service-Delivery': message.id,
          'X-Service-Subscription': message.subscription_id,
          ...(message.source_name === null ? {} : { 'X-Service-Email-Domain': message.source_name }),
          ...signatureHeaders(recipient.keys, { delivery_id: message.id, unix_seconds, body: message.body }),
        },
        body: message.body,
        deadline_ms: timeout_ms,
        max_response_bytes: limits.webhook_response_bytes,
      });
      return {
        attempted_at,
        status_code: answer.status,
        duration_ms: answer.duration_ms,
        error: errorOf(answer.status),
        response_body: readableText(answer.body_start),
      };
    } catch (failure) {
      if (failure instanceof RequestFailed) return failed(attempted_at, failure.reason, failure.duration_ms);
      if (deps.isStopping()) return null;
      log.error({ err: failure, delivery_id: message.id }, 'a webhook attempt failed on our side');
      return failed(attempted_at, 'internal_error', clock.ms() - started.getTime());
    }
  };
}
export type Attempter = ReturnType<typeof attempter>;

const failed = (attempted_at: string, error: WebhookAttemptError, duration_ms: number): WebhookAttempt => ({
  attempted_at,
  status_code: null,
  duration_ms,
  error,
  response_body: null,
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
