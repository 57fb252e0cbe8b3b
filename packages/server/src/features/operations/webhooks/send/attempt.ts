// Makes one attempt of a delivery: signs it, sends it, and returns the record for the delivery log.
import { limits } from '@parley/contract/limits';
import type { WebhookAttempt, WebhookAttemptError } from '@parley/contract/operations/webhooks/webhooks';
import { version } from '@parley/contract/version';
import type { Dispatcher } from 'undici';
import { isoTime, type MovableClock } from '../../../../platform/clock.ts';
import { RequestFailed, requestOnce, type Target } from '../../../../platform/egress/request-once.ts';
import type { Log } from '../../../../platform/log.ts';
import { traceHeaders } from '../../../../protocols/trace-context.ts';
import { type SigningKey, signatures } from '../../../../protocols/webhook-signature.ts';

const user_agent = `Parley-Webhooks/${version}`;

export type Message = {
  id: string;
  subscription_id: string;
  event_type: string;
  source_name: string | null;
  body: Buffer;
  /** The trace that the event belongs to. */
  traceparent: string | null;
};

/** `record` is what the delivery log shows. */
export type Attempt = { started_ms: number; record: WebhookAttempt };

export type Recipient = { target: Target; keys: readonly SigningKey[] };

export type AttemptDeps = {
  agent: Dispatcher;
  clock: MovableClock;
  log: Log;
  timeout_ms: number;
  /** True once the process stops and closes its connections. */
  isStopping(): boolean;
};

export type Attempter = ReturnType<typeof attempter>;

/** Returns null when our own shutdown aborted the request: that is not an attempt, and another process makes it. */
export const attempter =
  (deps: AttemptDeps) =>
  async (message: Message, recipient: Recipient): Promise<Attempt | null> => {
    const { agent, clock, timeout_ms } = deps;
    const started_ms = clock.ms();
    // The receiver compares the timestamp with its own clock, so the offset of the sandbox clock is subtracted.
    const unix_seconds = Math.floor((started_ms - clock.offset_ms()) / 1000);
    try {
      const response = await requestOnce(agent, {
        url: recipient.target,
        method: 'POST',
        headers: headersOf(message, recipient, unix_seconds),
        body: message.body,
        deadline_ms: timeout_ms,
        max_response_bytes: limits.webhook_response_bytes,
      });
      const record: WebhookAttempt = {
        attempted_at: isoTime(started_ms),
        status_code: response.status,
        duration_ms: response.duration_ms,
        error: errorOf(response.status),
        response_body: readableText(response.body_start),
      };
      return { started_ms, record };
    } catch (failure) {
      if (failure instanceof RequestFailed) return failed(started_ms, failure.reason, failure.duration_ms);
      if (deps.isStopping()) return null;
      deps.log.error(
        { err: failure, delivery_id: message.id },
        'webhook attempt failed with an internal error',
      );
      return failed(started_ms, 'internal_error', clock.ms() - started_ms);
    }
  };

function headersOf(message: Message, recipient: Recipient, unix_seconds: number): Record<string, string> {
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
  return message.traceparent === null ? headers : { ...headers, ...traceHeaders(message.traceparent) };
}

const failed = (started_ms: number, error: WebhookAttemptError, duration_ms: number): Attempt => ({
  started_ms,
  record: { attempted_at: isoTime(started_ms), status_code: null, duration_ms, error, response_body: null },
});

function errorOf(status: number): WebhookAttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect_not_followed' : 'bad_status';
}

/** A receiver may respond with any bytes. PostgreSQL stores no NUL, and the size limit may have cut a character. */
function readableText(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  return text.replaceAll('\0', '\ufffd');
}
