// Which details of stored entries explain shows: only fields that say what happened, never people, addresses or content.

/** Digits that a person pressed, addresses, user agents and transcripts are left out. */
const shown_fields = [
  'action',
  'answered_by',
  'approval_id',
  'bounce_type',
  'check',
  'code',
  'confirmed_by',
  'detail',
  'diagnostic_code',
  'duration_ms',
  'end_reason',
  'error',
  'error_code',
  'feedback_type',
  'kind',
  'layer',
  'name',
  'provider',
  'provider_call_id',
  'provider_code',
  'reason',
  'remote_mta',
  'response',
  'rule_id',
  'smtp_code',
  'status',
  'tool',
  'until',
] as const;

const max_chars = 300;

export function shownDetail(detail: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const visible_details: Record<string, unknown> = {};
  for (const field of shown_fields) {
    const value = detail[field];
    if (typeof value === 'string' && value !== '') visible_details[field] = value.slice(0, max_chars);
    else if (typeof value === 'number' || typeof value === 'boolean') visible_details[field] = value;
  }
  return visible_details;
}

/** The words that tell a person the most, for the verdict. */
export function wordsOf(detail: Readonly<Record<string, unknown>>): string | null {
  for (const field of ['detail', 'response', 'diagnostic_code', 'error'] as const) {
    const value = detail[field];
    if (typeof value === 'string' && value !== '') return value.slice(0, max_chars);
  }
  return null;
}
