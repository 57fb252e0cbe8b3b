// Waiting for something to happen, in requests short enough for every proxy on the way.
import type { Api } from './api.ts';
import { pause, type RequestOptions, type Transport } from './transport.ts';

type AnyRecord = { [field: string]: unknown };
/** The record of an operation, once the API has that operation. */
type RecordOf<Noun extends string> = Api extends {
  [N in Noun]: { get(...args: never[]): Promise<infer Found> };
}
  ? Found
  : AnyRecord;
export type CallRecord = RecordOf<'calls'>;
export type EmailRecord = RecordOf<'emails'>;

export type WaitOptions<Found> = RequestOptions & {
  /** How long to wait in all; without it, until it happens. */
  wait_ms?: number;
  /** Called with every look that was not the last. */
  onLook?: (seen: Found) => void;
};

const slice_seconds = 25;
const mail_poll_ms = 1000;
const final_call = new Set(['completed', 'failed', 'busy', 'no_answer', 'canceled']);

const deadlineOf = ({ wait_ms }: { wait_ms?: number }) =>
  wait_ms === undefined ? Number.POSITIVE_INFINITY : performance.now() + wait_ms;

/** The call once it is over, or as it stands when the time is up. */
export async function waitForCall(
  transport: Transport,
  call_id: string,
  options: WaitOptions<CallRecord> = {},
): Promise<CallRecord> {
  const path = `/v1/calls/${encodeURIComponent(call_id)}`;
  const deadline = deadlineOf(options);
  for (;;) {
    const left_seconds = Math.ceil((deadline - performance.now()) / 1000);
    const wait_seconds = Math.max(1, Math.min(slice_seconds, left_seconds));
    const call = await transport.json<CallRecord>({ method: 'GET', path }, path, { wait_seconds }, options);
    if (final_call.has(String((call as AnyRecord).status)) || performance.now() >= deadline) return call;
    options.onLook?.(call);
  }
}

type Arrival = { id: string; from_address: string };

/** The first email that comes in from now on; null when the time is up. */
export async function waitForEmail(
  transport: Transport,
  filter: { from?: string; conversation_id?: string } = {},
  options: WaitOptions<null> = {},
): Promise<EmailRecord | null> {
  const path = '/v1/emails';
  const deadline = deadlineOf(options);
  const { from, ...rest } = filter;
  const query = { ...rest, direction: 'inbound', limit: 50 };
  let known: Set<string> | undefined;
  for (;;) {
    const { items } = await transport.json<{ items: Arrival[] }>(
      { method: 'GET', path },
      path,
      query,
      options,
    );
    known ??= new Set(items.map(({ id }) => id));
    const fresh = items.filter(
      (email) => !known!.has(email.id) && (!from || email.from_address.toLowerCase() === from.toLowerCase()),
    );
    // The list begins with the newest; who waits wants the first that came.
    const first = fresh.at(-1);
    if (first)
      return transport.json<EmailRecord>({ method: 'GET', path }, `${path}/${first.id}`, undefined, options);
    if (performance.now() >= deadline) return null;
    options.onLook?.(null);
    await pause(Math.max(1, Math.min(mail_poll_ms, deadline - performance.now())), options.signal);
  }
}
