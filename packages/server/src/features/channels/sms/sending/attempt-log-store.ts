// The attempts of a text that did not succeed: what the carrier answered, for explain. A success needs no entry, because the
// record has its time.
import { type Sql, sql } from '../../../../platform/db/sql.ts';

export type SmsAttempt = {
  at: string;
  /** `send`: it was handed to the carrier. `look_up`: the carrier was asked about it. `report`: the carrier reported by itself. */
  step: 'send' | 'look_up' | 'report';
  outcome: string;
  error_code?: string;
  provider_code?: string | null;
  detail?: string;
};

const most = 10;
const max_detail_chars = 300;

/** The new value of the column attempt_log. */
export const withAttempt = ({ detail, ...attempt }: SmsAttempt): Sql => {
  const entry = { ...attempt, ...(detail ? { detail: detail.slice(0, max_detail_chars) } : {}) };
  return sql`append_newest(attempt_log, ${JSON.stringify(entry)}::json, ${most})`;
};
