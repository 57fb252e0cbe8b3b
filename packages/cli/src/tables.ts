// Tables for people: the columns of the records that people read most, chosen by hand, and CSV of all columns.
import { stripVTControlCharacters, styleText } from 'node:util';

export type Row = Record<string, unknown>;

/** Subjects, texts and names are untrusted: escape sequences in them must not control the terminal. */
export const plain = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '');

type Column = { title: string; text(row: Row): string };

const dash = '-';

export const cellText = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return dash;
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.join(', ') || dash;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const is_time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** In the zone of this machine: the time of day for today, the day as well in this year, else the date. */
export function localTime(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === now.toDateString()) return time;
  return at.getFullYear() === now.getFullYear() ? `${day.slice(5)} ${time}` : day;
}

const column = (title: string, ...names: string[]): Column => ({
  title,
  text: (row) => {
    const value = names
      .map((name) => row[name])
      .find((each) => each !== null && each !== undefined && each !== '');
    return typeof value === 'string' && is_time.test(value) ? localTime(value) : cellText(value);
  },
});
const of = (title: string, text: (row: Row) => unknown): Column => ({
  title,
  text: (row) => cellText(text(row)),
});
const inside = (row: Row, name: string) => (row[name] ?? {}) as Row;

const id = column('id', 'id');
const created = column('created', 'created_at');
const amount = (micros: unknown) => (typeof micros === 'number' ? (micros / 1_000_000).toFixed(2) : null);
const seconds = (count: unknown) =>
  typeof count === 'number' ? `${Math.floor(count / 60)}:${String(count % 60).padStart(2, '0')}` : null;

/** What became of it, with the reason or what it waits for. */
const outcome = of('outcome', (row) => {
  const hold = row.hold as { kind: string } | null | undefined;
  const state = row.last_outcome ?? row.status;
  const reason = row.end_reason ?? row.error_code;
  if (hold) return `waits: ${hold.kind}`;
  return reason ? `${state}: ${reason}` : state;
});

const recent = (row: Row) => inside(row, 'recent_deliveries') as { count?: number; failed_count?: number };

/** By command (`noun verb`), else by noun. */
const columns: Record<string, Column[]> = {
  calls: [
    column('direction', 'direction'),
    column('from', 'from'),
    column('to', 'to'),
    outcome,
    of('length', (row) => seconds(row.duration_seconds)),
    column('summary', 'summary'),
    column('requested', 'requested_at'),
    id,
  ],
  emails: [
    column('direction', 'direction'),
    column('from', 'from_address'),
    column('to', 'to_addresses'),
    column('subject', 'subject'),
    outcome,
    column('time', 'requested_at', 'provider_received_at'),
    id,
  ],
  sms: [
    column('direction', 'direction'),
    column('from', 'from'),
    column('to', 'to'),
    column('body', 'body'),
    outcome,
    column('time', 'requested_at'),
    id,
  ],
  webhooks: [
    column('url', 'target_url'),
    of('state', (row) =>
      row.status === 'active' && (recent(row).failed_count ?? 0) > 0 ? 'failing' : row.status,
    ),
    of('failed', (row) => `${recent(row).failed_count ?? 0} of ${recent(row).count ?? 0}`),
    column('events', 'event_types'),
    created,
    id,
  ],
  'webhooks list-deliveries': [
    column('event', 'event_type'),
    column('state', 'status'),
    column('attempts', 'attempt_count'),
    column('answer', 'last_status_code', 'last_error'),
    column('next', 'next_attempt_at'),
    created,
    id,
  ],
  approvals: [
    of('what', (row) => inside(row, 'object').noun),
    of('to', (row) => inside(row, 'shown').to),
    of('content', (row) => inside(row, 'shown').subject ?? inside(row, 'shown').body_text),
    column('state', 'status'),
    column('rule', 'rule'),
    column('requested', 'requested_at'),
    column('expires', 'expires_at'),
    id,
  ],
  agents: [
    column('name', 'name'),
    column('instructions', 'system_prompt'),
    column('language', 'language'),
    column('version', 'version'),
    column('paused until', 'paused_until'),
    column('changed', 'updated_at'),
    id,
  ],
  contacts: [
    column('name', 'name'),
    column('phone', 'phone_e164'),
    column('email', 'email'),
    column('kind', 'kind'),
    of('contact', (row) => (row.do_not_contact ? 'do not contact' : row.is_vouched ? 'vouched' : null)),
    created,
    id,
  ],
  numbers: [
    column('number', 'e164'),
    column('state', 'provisioning_state'),
    column('can', 'capabilities'),
    of('texts', (row) => inside(row, 'sms_registration').status),
    column('answers calls', 'voice_agent_id'),
    column('answers texts', 'sms_agent_id'),
    created,
    id,
  ],
  domains: [
    column('domain', 'domain'),
    column('sending', 'verification_status'),
    of('receiving', (row) => (row.inbound_enabled ? (row.receive_ready ? 'ready' : 'not ready') : 'off')),
    column('forwards to', 'forward_to'),
    created,
    id,
  ],
  'api-keys': [
    column('name', 'name'),
    column('starts with', 'start'),
    column('scopes', 'scopes'),
    column('expires', 'expires_at'),
    column('last used', 'last_used_at'),
    created,
    id,
  ],
  budgets: [
    of('subject', (row) => inside(row, 'subject').kind),
    column('channel', 'channel'),
    column('window', 'window'),
    of('used', (row) => (row.max_count === null ? row.used_count : `${row.used_count} of ${row.max_count}`)),
    of('spent', (row) =>
      row.max_amount_micros === null
        ? null
        : `${amount(row.used_micros)} of ${amount(row.max_amount_micros)}`,
    ),
    column('resets', 'resets_at'),
    id,
  ],
  conversations: [
    column('with', 'title'),
    column('channels', 'channels'),
    column('state', 'status'),
    column('unread', 'unread_count'),
    of('last', (row) => inside(row, 'last_item').preview),
    column('changed', 'updated_at'),
    id,
  ],
  events: [column('event', 'type'), of('object', (row) => inside(row, 'data').id), created, id],
};

/** For other records: the most useful columns first; ids last, because they are long. */
const first_columns = [
  'name',
  'status',
  'direction',
  'from',
  'to',
  'subject',
  'body',
  'domain',
  'e164',
  'type',
  'target_url',
  'email',
  'phone_e164',
  'created_at',
  'requested_at',
  'request_id',
  'id',
];
const max_columns = 7;
/** With fewer useful columns than this, other short values of the records are shown too. */
const enough_columns = 5;

const isShort = (value: unknown): boolean =>
  value === null || (typeof value !== 'object' && String(value).length <= 40);

function guessedColumns(items: readonly Row[]): Column[] {
  const keys = first_columns.filter((key) => items.some((item) => item[key] !== undefined));
  const useful = keys.filter((key) => key !== 'id').slice(0, max_columns - 1);
  const others = Object.keys(items[0] ?? {}).filter(
    (key) =>
      !first_columns.includes(key) &&
      !/(^|_)id$|^updated_at$/.test(key) &&
      items.every((item) => isShort(item[key])),
  );
  const added = others.slice(0, Math.max(0, enough_columns - useful.length));
  return [...added, ...useful, ...(keys.includes('id') ? ['id'] : [])].map((key) => column(key, key));
}

/** Columns that say nothing in these records are left out. */
function columnsOf(command: string, items: readonly Row[]): Column[] {
  const chosen = columns[command] ?? columns[command.split(' ')[0]!];
  if (!chosen) return guessedColumns(items);
  return chosen.filter(({ text }, at) => at === 0 || items.some((item) => text(item) !== dash));
}

const max_cell = 40;
const gap = 2;

/** Cells are cut to what fits; ids and the first column are not, because people copy or recognize a row by them. */
export async function tableText(command: string, items: readonly Row[]): Promise<string> {
  const dim = (text: string) => styleText('dim', text, { stream: process.stdout });
  const used = columnsOf(command, items);
  const rows = items.map((item) => used.map(({ text }) => plain(text(item)).replaceAll(/\s+/g, ' ')));
  const { default: Table } = await import('cli-table3');
  const widths = cellWidths(used, rows);
  const table = new Table({
    // Colored here: the library ignores NO_COLOR.
    head: used.map(({ title }) => dim(title)),
    chars: { ...bare, middle: ' '.repeat(gap) },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows)
    table.push(
      row.map((text, at) => {
        const cut = text.length > widths[at]! ? `${text.slice(0, widths[at]! - 1)}…` : text;
        return text === dash ? dim(cut) : cut;
      }),
    );
  return table.toString();
}

/** The longest columns are cut first, until a row fits the terminal. */
function cellWidths(used: readonly Column[], rows: readonly string[][]): number[] {
  const widths = used.map(({ title }, at) =>
    title === 'id'
      ? Number.POSITIVE_INFINITY
      : Math.min(max_cell, Math.max(title.length, ...rows.map((row) => row[at]!.length))),
  );
  const id_width = Math.max(
    0,
    ...rows.map((row) => row[used.findIndex(({ title }) => title === 'id')]?.length ?? 0),
  );
  const total = () =>
    widths.reduce((sum, width) => sum + gap + (width === Number.POSITIVE_INFINITY ? id_width : width), -gap);
  const limit = process.stdout.columns || 120;
  while (total() > limit) {
    const longest = widths.indexOf(Math.max(...widths.filter(Number.isFinite)));
    if (longest < 0 || widths[longest]! <= 8) break;
    widths[longest]! -= 1;
  }
  return widths;
}

const bare = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((part) => [part, '']),
);

/** A spreadsheet would run a cell that begins like a formula; numbers such as +49 30 123 are none. */
const is_formula = /^[=@\t\r]|^[+-](?![\d\s.,()-]*$)/;

function csvCell(value: unknown): string {
  const bare_text = value === null || value === undefined ? '' : cellText(value);
  const text = is_formula.test(bare_text) ? `'${bare_text}` : bare_text;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with all columns of the first record. */
export const csvHead = (first: Row): string => Object.keys(first).map(csvCell).join(',');
export const csvLine = (first: Row, row: Row): string =>
  Object.keys(first)
    .map((key) => csvCell(row[key]))
    .join(',');
