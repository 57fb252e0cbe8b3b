// Waits for a call to end, in requests that are shorter than common proxy timeouts.
import type { Api } from './api.ts';
import type { RequestOptions, Transport } from './transport.ts';

export type CallRecord = Awaited<ReturnType<Api['calls']['get']>>;

export type WaitOptions<Found> = RequestOptions & {
  /** Maximum time to wait. Default: until the call is over. */
  wait_ms?: number;
  /** Called with every intermediate state of the record. */
  onPoll?: (found: Found) => void;
};

const slice_seconds = 25;
const final_call = new Set<CallRecord['status']>(['completed', 'failed', 'busy', 'no_answer', 'canceled']);

/** The finished call, or its current state when the time is up. */
export async function waitForCall(
  transport: Transport,
  call_id: string,
  options: WaitOptions<CallRecord> = {},
): Promise<CallRecord> {
  const path = `/v1/calls/${encodeURIComponent(call_id)}`;
  const deadline = performance.now() + (options.wait_ms ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const left_seconds = Math.ceil((deadline - performance.now()) / 1000);
    const wait_seconds = Math.max(1, Math.min(slice_seconds, left_seconds));
    const call = await transport.json<CallRecord>({ method: 'GET', path }, path, { wait_seconds }, options);
    if (final_call.has(call.status) || performance.now() >= deadline) return call;
    options.onPoll?.(call);
  }
}
