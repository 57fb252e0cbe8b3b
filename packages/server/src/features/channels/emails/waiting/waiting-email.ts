// Emails that wait in status queued: until a time, for an approval, or for the worker.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../../platform/clock.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { EmailRow } from '../store.ts';
import type { TimelineEntry } from '../timeline-store.ts';

export const send_waiting_job = 'send_held_email';

/** An email that is being handed over has a deadline; one that waits has none. */
export const isWaiting = ({ direction, status, send_deadline }: EmailRow): boolean =>
  direction === 'outbound' && status === 'queued' && send_deadline === null;

/** When the worker sends it; null while a person must decide first. */
export function dueAt({ hold }: Pick<EmailRow, 'hold'>, clock: Clock): Date | null {
  if (hold?.kind === 'approval') return null;
  return hold?.until ? new Date(hold.until) : clock.now();
}

/** The job that sends the email. One that comes too early or too late does nothing, so an email may have several. */
export const newSendJob = ({ organization_id, id }: EmailRow, run_at: Date) => ({
  kind: send_waiting_job,
  payload: { organization_id, email_id: id },
  run_at,
});

type WaitingEntry = { kind: 'held' | 'released' | 'canceled'; detail: Record<string, unknown> };

export function waitingEntry(
  { ids, clock }: { ids: Ids; clock: Clock },
  { organization_id, id: email_id }: EmailRow,
  { kind, detail }: WaitingEntry,
): TimelineEntry {
  const id = ids.next();
  const occurred_at = clock.now().toISOString();
  const dedupe_key = `${kind}:${id}`;
  return { id, organization_id, email_id, kind, occurred_at, detail, dedupe_key, counted: [] };
}

export const waitingFor = (hold: Hold): WaitingEntry => ({ kind: 'held', detail: { ...hold } });
