// What to do with a new message or call that is held for approval: return it, wait for the decision, or throw.
import { HeldError } from './errors.ts';
import { pause, type RequestOptions, type Transport } from './transport.ts';

const slice_seconds = 25;
const poll_ms = 500;

type ApprovalHold = { kind: string; approval_id: string; until: string | null };
type HeldRecord = { id: string; status: string; hold: ApprovalHold };

const isHeld = (record: unknown): record is HeldRecord =>
  (record as Partial<HeldRecord> | null | undefined)?.hold?.kind === 'approval';

/** `path` is that of the request that created the record, such as /v1/emails/{id}/reply. */
export async function settleHold(
  transport: Transport,
  path: string,
  created: unknown,
  options: RequestOptions = {},
): Promise<unknown> {
  const { on_hold = 'return', idempotency_key: _, ...request } = options;
  if (on_hold === 'return' || !isHeld(created)) return created;
  if (on_hold === 'throw') throw new HeldError(created, created.hold);
  const read = <T>(url: string, query?: object) =>
    transport.json<T>({ method: 'GET', path: url }, url, query, request);
  const own_path = `/${path.split('/').slice(1, 3).join('/')}/${created.id}`;
  for (let record: unknown = created; ; ) {
    if (isHeld(record)) {
      const approval_path = `/v1/approvals/${record.hold.approval_id}`;
      await read(approval_path, { wait_seconds: slice_seconds });
    }
    record = await read(own_path);
    const { status, hold } = record as { status: string; hold: unknown };
    // Approved and not yet handed over: that takes a moment.
    if (status === 'queued' && hold === null) await pause(poll_ms, request.signal);
    else if (!isHeld(record)) return record;
  }
}
