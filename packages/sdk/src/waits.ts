// Waits for a call to end and for stored waits, in requests that are shorter than common proxy timeouts.
import type { Api, Wait, WaitCreate } from './api.ts';
import type { RequestOptions, Transport } from './transport.ts';

export type CallRecord = Awaited<ReturnType<Api['calls']['get']>>;

export type WaitOptions<Found> = RequestOptions & {
  /** Maximum time to wait. Default: until it is over. */
  wait_ms?: number;
  /** Called with every intermediate state of the record. */
  onPoll?: (found: Found) => void;
};

const slice_seconds = 25;
const final_call = new Set<CallRecord['status']>(['completed', 'failed', 'busy', 'no_answer', 'canceled']);

const sliceBefore = (deadline: number): number =>
  Math.max(1, Math.min(slice_seconds, Math.ceil((deadline - performance.now()) / 1000)));

export type CallWaitOptions = WaitOptions<CallRecord> & {
  /** `result`: also until summary and result are settled, which takes some seconds after the end. Default: `end`. */
  wait_for?: 'end' | 'result';
};

/** The finished call, or its current state when the time is up. */
export async function waitForCall(
  transport: Transport,
  call_id: string,
  { wait_for = 'end', ...options }: CallWaitOptions = {},
): Promise<CallRecord> {
  const isOver = ({ status, result_status }: CallRecord) =>
    final_call.has(status) && (wait_for === 'end' || result_status !== 'pending');
  const path = `/v1/calls/${encodeURIComponent(call_id)}`;
  const deadline = performance.now() + (options.wait_ms ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const wait_seconds = sliceBefore(deadline);
    const query = wait_for === 'end' ? { wait_seconds } : { wait_seconds, wait_for };
    const call = await transport.json<CallRecord>({ method: 'GET', path }, path, query, options);
    if (isOver(call) || performance.now() >= deadline) return call;
    options.onPoll?.(call);
  }
}

/**
 * The wait when it is over, or as it stands when the time is up: `what` is a new wait, or the id of one to go on with. A new wait
 * is canceled when the signal aborts.
 */
export async function waitUntil(
  transport: Transport,
  what: Omit<WaitCreate, 'wait_seconds'> | string,
  options: WaitOptions<Wait> = {},
): Promise<Wait> {
  const deadline = performance.now() + (options.wait_ms ?? Number.POSITIVE_INFINITY);
  const pathOf = (id: string) => `/v1/waits/${encodeURIComponent(id)}`;
  const { idempotency_key: _, ...reading } = options;
  const read = (id: string) =>
    transport.json<Wait>(
      { method: 'GET', path: pathOf(id) },
      pathOf(id),
      { wait_seconds: sliceBefore(deadline) },
      reading,
    );
  let id: string | null = typeof what === 'string' ? what : null;
  try {
    // Created without waiting: when a response is lost, the wait is known all the same.
    if (typeof what !== 'string') {
      const create = { method: 'POST', path: '/v1/waits', idempotent: true } as const;
      const created = await transport.json<Wait>(create, create.path, what, options);
      if (created.status !== 'pending') return created;
      id = created.id;
    }
    for (;;) {
      const wait = await read(id!);
      if (wait.status !== 'pending' || performance.now() >= deadline) return wait;
      options.onPoll?.(wait);
    }
  } catch (error) {
    if (options.signal?.aborted && id !== null && typeof what !== 'string') {
      const path = `${pathOf(id)}/cancel`;
      await transport.json({ method: 'POST', path }, path, undefined, { max_retries: 0 }).catch(() => {});
    }
    throw error;
  }
}
