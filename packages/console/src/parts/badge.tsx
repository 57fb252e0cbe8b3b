// A status as a word with a colored dot. The word carries the meaning; the dot only helps.
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'still';

const tones: Record<string, Tone> = {
  completed: 'good',
  in_progress: 'info',
  dialing: 'info',
  ringing: 'info',
  queued: 'still',
  failed: 'bad',
  busy: 'warn',
  no_answer: 'warn',
  canceled: 'still',
  sent: 'good',
  delivered: 'good',
  received: 'info',
  bounced: 'bad',
  complained: 'bad',
  undelivered: 'bad',
  pending: 'warn',
  verified: 'good',
  active: 'good',
  released: 'still',
  disabled: 'bad',
  dead: 'bad',
  missing: 'bad',
  wrong: 'bad',
  unknown: 'still',
  waiting: 'warn',
  delivery_delayed: 'warn',
  opened: 'info',
  clicked: 'info',
  send_failed: 'bad',
  answered: 'good',
  hung_up: 'good',
  broke: 'bad',
  declined: 'warn',
  rang_out: 'warn',
  requeued: 'warn',
  not_understood: 'bad',
  went_wrong: 'bad',
  interrupted: 'warn',
  received_suppressed: 'warn',
  approved: 'good',
  accepted: 'good',
  registered: 'good',
  given: 'info',
  handed_over: 'info',
  submitted: 'info',
  in_review: 'info',
  draft: 'still',
  rejected: 'bad',
  revoked: 'bad',
  expired: 'warn',
  running: 'info',
  passed: 'good',
  ended: 'still',
  connected: 'good',
  consulting: 'info',
  requested: 'still',
  ready: 'good',
  cancelled: 'warn',
  tool_failed: 'bad',
  transfer_failed: 'bad',
  transfer_canceled: 'warn',
  transfer_connected: 'good',
};
const moving = new Set(['queued', 'dialing', 'ringing', 'in_progress', 'consulting', 'running']);

export const toneOf = (state: string): Tone => tones[state] ?? 'still';
export const humanize = (name: string) => name.replaceAll('_', ' ');

export function StatusBadge({ status }: { status: string }) {
  return (
    <span className="badge">
      <span className={`dot ${toneOf(status)}${moving.has(status) ? ' moving' : ''}`} />
      {humanize(status)}
    </span>
  );
}

/** The outcome of a message, with the reason where there is one. */
export const Outcome = ({ status, reason }: { status: string; reason?: string | null }) => (
  <span className="row" style={{ flexWrap: 'nowrap', gap: 8, maxWidth: '100%' }}>
    <StatusBadge status={status} />
    {reason && (
      <span className="small muted clip" title={humanize(reason)}>
        {humanize(reason)}
      </span>
    )}
  </span>
);

export const PlainBadge = ({ children, tone }: { children: string; tone?: Tone }) => (
  <span className="badge">
    {tone && <span className={`dot ${tone}`} />}
    {children}
  </span>
);
