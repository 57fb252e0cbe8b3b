// The client library: `const parley = createParley(); await parley.contacts.create({ … })`.
import { type AnyEvent, type Api, operations, type Wait, type WaitCreate } from './api.ts';
import { followEvents, type StreamOptions } from './event-stream.ts';
import { settleHold } from './holds.ts';
import { listOf, type Page } from './page.ts';
import {
  type ClientOptions,
  makeTransport,
  type OperationInfo,
  type RequestOptions,
  type Transport,
} from './transport.ts';
import { type CallWaitOptions, type WaitOptions, waitForCall, waitUntil } from './waits.ts';
import { signWebhook, verifyWebhook, type WebhookHeaders } from './webhook-signature.ts';

export type * from './api.ts';
export {
  type Certification,
  type CertifiedCase,
  type CertifyOptions,
  certifyReceiver,
} from './certify-receiver.ts';
export * from './errors.ts';
export type { List, Page } from './page.ts';
export type { ReceiverAnswer, ReceiverRequest } from './receiver-cases.ts';
export type { ClientOptions, RequestOptions } from './transport.ts';
export {
  type ReceiptKeySet,
  type ReceiptsVerification,
  type ReceiptToVerify,
  type VerifiedReceipt,
  verifyReceipts,
} from './verify-receipts.ts';
export { version } from './version.ts';
export type { CallWaitOptions, WaitOptions } from './waits.ts';

type Info = OperationInfo & { input?: true; list?: true; stream?: true };

/** Builds the method of an operation: path parameters first, then body or query, then options. */
function methodFor(transport: Transport, operation: Info) {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[0]);
  return (...args: unknown[]) => {
    const path = names.reduce(
      (text, name, index) => text.replace(name, encodeURIComponent(String(args[index]))),
      operation.path,
    );
    const rest = args.slice(names.length);
    const [input, options] = operation.input ? rest : [undefined, rest[0]];
    const request = options as RequestOptions | undefined;
    if (operation.list) {
      const query = (input ?? {}) as { cursor?: string };
      return listOf(
        (cursor) => transport.json<Page<unknown>>(operation, path, { ...query, cursor }, request),
        query.cursor,
      );
    }
    const result = transport.json(operation, path, input, request);
    return request?.on_hold ? result.then((made) => settleHold(transport, path, made, request)) : result;
  };
}

const extras = (transport: Transport) => ({
  calls: {
    /** Waits until the call is over and returns it; at most `wait_ms`. */
    wait: (call_id: string, options?: CallWaitOptions) => waitForCall(transport, call_id, options),
  },
  waits: {
    /** Creates a wait, or goes on with one by its id, and returns it when it is over; at most `wait_ms`. */
    until: (what: Omit<WaitCreate, 'wait_seconds'> | string, options?: WaitOptions<Wait>) =>
      waitUntil(transport, what, options),
  },
  webhooks: {
    /** Verifies the signature of a webhook request and returns its event. */
    verify: (
      raw_body: string | Uint8Array,
      headers: WebhookHeaders,
      secret: string,
      options?: { now?: Date; tolerance_seconds?: number },
    ) => verifyWebhook<AnyEvent>(raw_body, headers, secret, options),
    /** The headers that Parley would send, for tests of a receiver. */
    testHeaders: signWebhook,
  },
  events: {
    /** Streams events as they happen; reconnects when the connection breaks. */
    stream: (options?: StreamOptions) =>
      followEvents<AnyEvent>(transport, { method: 'GET', path: '/v1/events/stream' }, options),
  },
});

/**
 * Sends any request with credential, timeout and retries, and returns the raw response. For operations without a
 * method.
 */
type RawRequest = (
  method: string,
  path: string,
  /** The query of a GET or DELETE, else the body: JSON or a FormData. */
  input?: unknown,
  options?: RequestOptions,
) => Promise<Response>;

type Extras = ReturnType<typeof extras>;
export type Parley = {
  [Noun in keyof Api | keyof Extras]: (Noun extends keyof Api ? Api[Noun] : unknown) &
    (Noun extends keyof Extras ? Extras[Noun] : unknown);
} & { request: RawRequest };

export function createParley(options: ClientOptions = {}): Parley {
  const transport = makeTransport(options);
  const client: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of Object.entries(operations) as [string, Info][]) {
    const [noun, name] = id.split('.') as [string, string];
    client[noun] ??= {};
    if (!operation.stream) client[noun][name] = methodFor(transport, operation);
  }
  for (const [noun, methods] of Object.entries(extras(transport)))
    client[noun] = { ...client[noun], ...methods };
  const request: RawRequest = (method, path, input, options) =>
    transport.send(
      {
        method,
        path,
        ...(options?.idempotency_key === undefined ? {} : { idempotent: true }),
        ...(method === 'GET' ? { redirects: true } : {}),
      },
      path,
      input,
      options,
    );
  return { ...client, request } as Parley;
}
