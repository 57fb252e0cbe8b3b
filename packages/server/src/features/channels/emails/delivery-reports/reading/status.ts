// Reads the fields of a delivery status notification (RFC 3464), tolerating servers that deviate from the standard.
import { classifyRefusal } from '../../../../../protocols/mail/bounce-class.ts';
import type { MailReport } from '../../../../../providers/mail/transport.ts';
import { type Fields, readFields, recipientsIn, typedValue } from './fields.ts';

export type ReportContext = {
  report_id: string;
  /** The report's own text. */
  text: string;
  /** The recipients found in the text, for fields without one. */
  recipients: string[];
  /** The part of the text that is about these recipients. */
  sectionOf(recipients: string[]): string;
  is_delay: boolean;
};

const recipient_fields = [
  'original-recipient',
  'final-recipient',
  'x-actual-recipient',
  'x-original-recipient',
];
const outcome_fields = ['action', 'status', 'diagnostic-code'];

/** One set of fields for each recipient. Missing fields are taken from those of the whole message. */
function recipientGroups(text: string): Fields[] {
  const groups = readFields(text);
  const whole: Fields = new Map();
  const found: Fields[] = [];
  for (const group of groups) {
    if (recipient_fields.some((name) => group.has(name))) found.push(group);
    // A blank line too many separates the fields of one recipient.
    else if (found.length > 0) for (const [name, value] of group) setMissing(found.at(-1)!, name, value);
    else for (const [name, value] of group) whole.set(name, value);
  }
  if (found.length === 0 && outcome_fields.some((name) => whole.has(name))) return [whole];
  return joinedPairs(found).map((group) => new Map([...whole, ...group]));
}

/** "Original-Recipient" alone, followed by "Final-Recipient" and the rest after a blank line, is one recipient. */
function joinedPairs(groups: Fields[]): Fields[] {
  const joined: Fields[] = [];
  for (const group of groups) {
    const before = joined.at(-1);
    const is_rest =
      before && !outcome_fields.some((name) => before.has(name)) && !before.has('final-recipient');
    if (is_rest) for (const [name, value] of group) setMissing(before, name, value);
    else joined.push(group);
  }
  return joined;
}

const setMissing = (fields: Fields, name: string, value: string) => {
  if (!fields.has(name)) fields.set(name, value);
};

type Outcome = 'failed' | 'delayed' | 'delivered';

function outcomeOf(action: string, code: string | null, is_delay: boolean): Outcome | null {
  if (/delay|defer|warn|retry|queued/i.test(action)) return 'delayed';
  if (/fail|error|undeliver|bounce|reject|expire|perm/i.test(action)) return 'failed';
  if (code?.startsWith('5')) return 'failed';
  // Relayed or expanded to a system that sends no further reports: counts as delivered.
  if (/deliver|relay|expand|success/i.test(action) || code?.startsWith('2')) return 'delivered';
  if (code?.startsWith('4')) return is_delay ? 'delayed' : 'failed';
  return null;
}

/** Empty if the fields name neither a recipient nor an outcome. */
export function statusReports(status: string, context: ReportContext): MailReport[] {
  const groups = recipientGroups(status);
  return groups.slice(0, 100).flatMap((fields) => reportOf(fields, context, groups.length === 1));
}

function reportOf(fields: Fields, context: ReportContext, is_only: boolean): MailReport[] {
  const field = (name: string) => fields.get(name) ?? '';
  const written = field('status');
  const code = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(written)?.[0] ?? null;
  const outcome = outcomeOf(field('action'), code, context.is_delay);
  if (outcome === null) return [];
  const named = [...new Set(recipient_fields.flatMap((name) => recipientsIn(field(name))))];
  const people = named.length > 0 || !is_only ? named : context.recipients;
  const diagnostic = field('diagnostic-code');
  const detail = {
    diagnostic_code: diagnostic === '' ? null : diagnostic.slice(0, 2000),
    status: code,
    ...(fields.has('remote-mta') ? { remote_mta: typedValue(field('remote-mta')) } : {}),
  };
  const report = {
    recipients: people,
    occurred_at: isoDate(field('last-attempt-date')),
    report_id: `${context.report_id}:${people[0] ?? ''}`,
  };
  if (outcome === 'delayed') return [{ ...report, kind: 'delivery_delayed', detail }];
  if (outcome === 'delivered') return [{ ...report, kind: 'delivered', detail }];
  // "Status: 5.4.4 (Illegal host/domain name found)": the comment is the reply if there is no other.
  const reply = diagnostic || written.replace(/^\s*[\d.]+/, '');
  const refusal = {
    status: code,
    reply: withHost(reply, field('remote-mta')),
    prose: is_only ? context.text : context.sectionOf(people),
  };
  const verdict = classifyRefusal(refusal);
  return [bounce({ ...report, detail }, verdict)];
}

const withHost = (reply: string, host: string) =>
  reply.trim() === '' || host === '' ? reply : `${reply} (${typedValue(host)})`;

type Unjudged = Pick<MailReport, 'recipients' | 'occurred_at' | 'detail' | 'report_id'>;

export function bounce(report: Unjudged, verdict: ReturnType<typeof classifyRefusal>): MailReport {
  return {
    ...report,
    kind: 'bounced',
    hard: verdict.hard,
    detail: { ...verdict, ...report.detail },
    // One invalid address is one event, even if several servers report it.
    report_id: verdict.hard ? `hard:${report.recipients[0] ?? ''}`.toLowerCase() : report.report_id,
  };
}

export function isoDate(text: string | null): string | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
