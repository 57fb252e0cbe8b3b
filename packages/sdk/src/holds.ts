// What to do with a new message or call that is held for approval: return it, wait for the decision, or throw.
import { HeldError } from './errors.ts';
import { pause, type RequestOptions, type Transport } from './transport.ts';

const slice_seconds = 25;
const poll_ms = 500;

type ApprovalHold = { kind: string; approval_id: string; until: string | null };
/** `noun`: only in the result of a reply in a conversation, which is not the record itself. */
type HeldRecord = { id: string; noun?: 'email' | 'sms'; status: string; hold: ApprovalHold };

const reply_paths = { email: '/v1/emails', sms: '/v1/sms' };

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
  const { noun, id } = created;
  const own_path = `${noun ? reply_paths[noun] : path.split('/').slice(0, 3).join('/')}/${id}`;
  for (let record: unknown = created; ; ) {
    if (isHeld(record)) {
      const approval_path = `/v1/approvals/${record.hold.approval_id}`;
      await read(approval_path, { wait_seconds: slice_seconds });
    }
    record = await read(own_path);
    const { status, hold } = record as { status: string; hold: unknown };
    // Approved and not yet handed over: that takes a moment.
    if (status === 'queued' && hold === null) await pause(poll_ms, request.signal);
    else if (!isHeld(record)) return noun ? { noun, id, status, hold } : record;
  }
}
