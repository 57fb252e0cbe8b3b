// The reasons to wait that need no rule of an organization: the requested time, and the kill switch.
import type { Hold, HoldKind } from '@parley/contract/rules/approvals/hold';

export const scheduleHold = (scheduled_at: string): Hold => ({
  kind: 'schedule',
  until: scheduled_at,
  approval_id: null,
  message: `It is scheduled for ${scheduled_at}.`,
});

/** For a record that was approved: it waits for its time, if that is ahead. */
export const holdUntilTime = (scheduled_at: string | null, now: Date): Hold | null =>
  scheduled_at !== null && Date.parse(scheduled_at) > now.getTime() ? scheduleHold(scheduled_at) : null;

/** When a record that waits is tried again; null when a person decides. */
export const dueAt = ({ kind, until }: Hold): string | null => (kind === 'approval' ? null : until);

export const killSwitchHold = (until: string): Hold => ({
  kind: 'kill_switch',
  until,
  approval_id: null,
  message: 'The operator stopped this channel. It is checked again regularly.',
});

/** Approval comes first, because a person decides about the message as it is; after that it waits for its time. */
const order: readonly HoldKind[] = ['approval', 'schedule', 'quiet_hours', 'recipient_limit', 'kill_switch'];

export const firstHold = (holds: readonly Hold[]): Hold | null =>
  order.flatMap((kind) => holds.filter((hold) => hold.kind === kind))[0] ?? null;
