// Reads mail to a return path: delivery status notifications (RFC 3464), complaints (RFC 5965), prose reports, other mail.
import { createHash } from 'node:crypto';
import { addressKey } from '@parley/contract/schema/mailbox';
import { classifyRefusal } from '../../../../../protocols/mail/bounce-class.ts';
import {
  hasPhrase,
  normalizeText,
  phraseTable,
} from '../../../../../protocols/mail/bounce-phrases/phrase-table.ts';
import type { MailReport } from '../../../../../providers/mail/transport.ts';
import { readComplaint } from '../complaints.ts';
import { addressesIn } from './fields.ts';
import { readJsonNotice } from './json-notice.ts';
import { type ReportParts, readParts } from './parts.ts';
import { type NamedRecipient, namedIn, recipientsOfOriginal } from './prose-recipients.ts';
import { type Notice, recognize } from './recognize.ts';
import { type ReportText, reportText } from './report-text.ts';
import { bounce, isoDate, statusReports } from './status.ts';

export type ReadReport = {
  reports: MailReport[];
  /** Return paths found inside, for complaints that arrive at another address. */
  return_paths: string[];
  /** Message-IDs of the message that the report is about. */
  message_ids: string[];
};

export type ReadMessage = {
  /** Null for mail that is no report. */
  report: ReadReport | null;
  /** True for a report and for automatic replies. False means that a person should look at it. */
  is_understood: boolean;
  from: string;
  subject: string;
};

export type ReadOptions = {
  /** The recipients of the email, when the return path identifies it. */
  known?: string[];
  /** The address that received the report; it is never the address that failed. */
  recipient?: string;
};

export async function readMessage(raw: Buffer, options: ReadOptions = {}): Promise<ReadMessage> {
  const parts = await readParts(raw);
  // Beyond the limits of the parser; no mail server writes such a report.
  if (!parts) return { report: null, is_understood: false, from: '', subject: '' };
  const { report, is_understood } = await readIn(parts, raw, options, 1);
  return { report, is_understood, from: parts.from.address || parts.from.name, subject: parts.subject };
}

/** Null for mail that is no report. */
export const readReport = async (raw: Buffer, options: ReadOptions = {}): Promise<ReadReport | null> =>
  (await readMessage(raw, options)).report;

type Read = Pick<ReadMessage, 'report' | 'is_understood'>;

async function readIn(parts: ReportParts, raw: Buffer, options: ReadOptions, depth: number): Promise<Read> {
  const known = options.known ?? [];
  const report_id = parts.header('message-id') || createHash('sha256').update(raw).digest('base64url');
  const text = reportText(parts.text);
  const original = parts.original ?? text.returned;
  const found = (reports: MailReport[], sent_by: string[] = []): Read => ({
    is_understood: true,
    report: {
      reports,
      return_paths: [...sent_by, ...returnPathsIn(original)],
      message_ids: messageIdsIn(original),
    },
  });

  const notices = readJsonNotice(parts.text, report_id);
  if (notices) return found(notices);
  const complaint = readComplaint(parts, report_id, known);
  if (complaint) return found(complaint.reports, complaint.sent_by);
  if (parts.is_receipt && !isRejection(text)) return { report: null, is_understood: true };

  const named = recipientsNamed(parts, text, options, original);
  const notice = recognize(
    parts,
    text,
    named.some(({ is_sure }) => is_sure),
  );
  const status = parts.status ?? (notice.is_notice ? statusInText(text) : null);
  if (status !== null && (parts.type === 'multipart/report' || notice.is_notice)) {
    const reports = statusReports(status, {
      report_id,
      text: text.prose,
      recipients: named.map(({ address }) => address),
      sectionOf: (recipients) => sectionOf(text, named, recipients),
      is_delay: notice.is_delay,
    });
    if (reports.length > 0) return found(reports);
  }
  if (notice.is_notice) {
    const inner = await reportInside(parts, raw, options, depth);
    return inner ?? found(proseReports(parts, text, notice, named, report_id));
  }
  return { report: null, is_understood: notice.is_answer };
}

/** Some servers report a rejection in the format of a read receipt. */
const isRejection = ({ prose }: ReportText) =>
  hasPhrase(normalizeText(prose.slice(0, 2000)), rejection_phrases);
const rejection_phrases = phraseTable('was automatically rejected');

/** Gateways wrap the report of another server in their own. */
async function reportInside(
  parts: ReportParts,
  raw: Buffer,
  options: ReadOptions,
  depth: number,
): Promise<Read | null> {
  if (depth === 0 || !parts.original) return null;
  if (!/^content-type:\s*multipart\/report\b/im.test(parts.original.slice(0, 20_000))) return null;
  const inner = await readParts(Buffer.from(parts.original));
  const read = inner && (await readIn(inner, raw, options, depth - 1));
  return read?.report && read.report.reports.length > 0 ? read : null;
}

/** Some gateways convert the status fields to plain text. */
const statusInText = ({ lines }: ReportText): string | null => {
  const at = lines.findIndex((line) => /^\s*(reporting-mta|final-recipient)\s*:/i.test(line));
  return at === -1
    ? null
    : lines
        .slice(at)
        .map((line) => line.trimStart())
        .join('\n');
};

function recipientsNamed(
  parts: ReportParts,
  text: ReportText,
  { known = [], recipient }: ReadOptions,
  original: string,
): NamedRecipient[] {
  const failed = addressesIn(parts.header('x-failed-recipients'));
  const excluded = [
    ...(recipient ? [recipient] : []),
    ...addressesIn(parts.header('to')),
    ...(parts.from.address ? [parts.from.address] : []),
    ...returnPathsIn(original),
  ].filter((address) => !known.includes(address));
  const domain = parts.from.address.split('@').at(-1) ?? '';
  const named = namedIn(text.lines, { excluded, known, domain });
  if (failed.length > 0) {
    return failed.map((address) => ({
      address,
      line: named.find((each) => each.address.toLowerCase() === address.toLowerCase())?.line ?? 0,
      is_sure: true,
    }));
  }
  if (named.length > 0) return named;
  const returned = recipientsOfOriginal(original);
  return returned.length === 1 ? [{ address: returned[0]!, line: 0, is_sure: false }] : [];
}

/**
 * The lines after each mention of these recipients, up to a mention of another one. A notice may say everything twice, in two
 * languages or first in short: what follows the second mention of the first recipient is not about the last one.
 */
function sectionOf(text: ReportText, named: NamedRecipient[], recipients: string[]): string {
  const keys = new Set(recipients.map(addressKey));
  const all = new Set(named.map(({ address }) => addressKey(address)));
  const first_lines = Map.groupBy(named, ({ line }) => line);
  let is_inside = false;
  return text.lines
    .filter((line, at) => {
      const written = line.includes('@') ? addressesIn(line, 2000) : [];
      const first = first_lines.get(at)?.map(({ address }) => address) ?? [];
      const mentioned = [...written, ...first].map(addressKey).filter((key) => all.has(key));
      if (mentioned.length > 0) is_inside = mentioned.every((key) => keys.has(key));
      return is_inside;
    })
    .join('\n');
}

/** Old servers write only prose, without status fields. */
function proseReports(
  parts: ReportParts,
  text: ReportText,
  { is_delay }: Notice,
  named: NamedRecipient[],
  report_id: string,
): MailReport[] {
  const occurred_at = isoDate(parts.date);
  const all = `${text.prose}\n${parts.subject}`;
  const people = named.length > 0 ? named : [{ address: null, line: 0 }];
  return people.map(({ address }) => {
    const section = people.length === 1 ? all : sectionOf(text, named, [address ?? '']);
    const judged = classifyRefusal({ status: null, reply: '', prose: section });
    const verdict =
      judged.bounce_type === 'Undetermined' && people.length > 1
        ? classifyRefusal({ status: null, reply: '', prose: all })
        : judged;
    const report = {
      recipients: address === null ? [] : [address],
      occurred_at,
      detail: { diagnostic_code: diagnosisIn(section) },
      report_id: people.length === 1 ? report_id : `${report_id}:${address}`,
    };
    return is_delay ? { ...report, kind: 'delivery_delayed' } : bounce(report, verdict);
  });
}

function diagnosisIn(text: string): string | null {
  const line = text
    .slice(0, 20_000)
    .split('\n')
    .find((each) => /\b[45]\d\d\b|[45]\.\d+\.\d+/.test(each));
  return line?.trim().slice(0, 2000) ?? null;
}

const returnPathsIn = (headers: string): string[] =>
  addressesIn(
    /^(?:return-path|x-original-return-path):([^\n]{0,2000})$/im.exec(headers.slice(0, 200_000))?.[1] ?? '',
  );

const messageIdsIn = (headers: string): string[] =>
  [...headers.slice(0, 100_000).matchAll(/^message-id:\s*(<[^\s<>]{1,490}>)/gim)].map((match) => match[1]!);
