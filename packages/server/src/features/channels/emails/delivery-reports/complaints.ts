// Reads complaints: feedback reports (RFC 5965), and the forms of providers that return the message with a short text.

import { hasPhrase, normalizeText } from '../../../../protocols/mail/bounce-phrases/phrase-table.ts';
import { isComplaint } from '../../../../protocols/mail/complaint.ts';
import type { MailReport } from '../../../../providers/mail/transport.ts';
import { complaint_openings } from './notices/complaints.ts';
import { addressesIn, readFields } from './reading/fields.ts';
import type { ReportParts } from './reading/parts.ts';
import { recipientsOfOriginal } from './reading/prose-recipients.ts';
import { isoDate } from './reading/status.ts';

export type ReadComplaint = { reports: MailReport[]; sent_by: string[] };

/** Null for a message that is no feedback; an empty list for feedback that is no complaint. */
export function readComplaint(parts: ReportParts, report_id: string, known: string[]): ReadComplaint | null {
  const fields = parts.feedback ?? feedbackInText(parts);
  if (fields !== null) return fromFields(fields, parts, report_id, known);
  if (!isComplaintForm(parts)) return null;
  return { reports: [complaintOf('abuse', parts, report_id, known)], sent_by: [] };
}

const feedbackInText = ({ text, from }: ReportParts): string | null => {
  if (from.address === '' && from.name === '') return null;
  const at = /^feedback-type:/im.exec(text)?.index;
  return at === undefined || !/^user-agent:|^version:|^original-/im.test(text) ? null : text.slice(at);
};

function fromFields(text: string, parts: ReportParts, report_id: string, known: string[]): ReadComplaint {
  const fields = new Map(readFields(text).flatMap((group) => [...group]));
  const feedback_type = (fields.get('feedback-type') ?? 'abuse').toLowerCase().replace(/[;\s].*$/s, '');
  const sent_by = addressesIn(fields.get('original-mail-from') ?? '');
  if (!isComplaint(feedback_type)) return { reports: [], sent_by };
  const named = addressesIn(fields.get('original-rcpt-to') ?? fields.get('removal-recipient') ?? '');
  const report = complaintOf(feedback_type, parts, report_id, known);
  return {
    sent_by,
    reports: [
      {
        ...report,
        recipients: named.length > 0 ? named : report.recipients,
        occurred_at: isoDate(fields.get('arrival-date') ?? fields.get('received-date') ?? null),
        detail: { ...report.detail, user_agent: fields.get('user-agent') ?? null },
      },
    ],
  };
}

const complaint_senders =
  /^(staff@(hotmail|outlook|live|msn)\.com|complaints@email-abuse\.amazonses\.com|scomp@aol\.net|[\w.-]*(fbl|feedbackloop|feedback-loop|abuse-report|complaints?)[\w.-]*@)/i;

/** Microsoft's form and similar ones: the whole message is returned, and the subject calls it a complaint. */
function isComplaintForm({ from, subject, text, original, header }: ReportParts): boolean {
  // Every provider names itself; without a sender it is mail of a person who quotes such a form.
  if (from.address === '' || (original === null && header('x-hmxmroriginalrecipient') === '')) return false;
  const title = normalizeText(subject.slice(0, 500));
  const normalized = normalizeText(text.slice(0, 2000));
  const says_so = hasPhrase(title, complaint_openings) || hasPhrase(normalized, complaint_openings);
  const marked = /^x-hmxmroriginalrecipient:/im.test((original ?? '').slice(0, 20_000));
  if (marked && says_so) return true;
  return complaint_senders.test(from.address) && (says_so || marked || text.trim() === '');
}

const complaintOf = (
  feedback_type: string,
  parts: ReportParts,
  report_id: string,
  known: string[],
): MailReport => {
  const own = addressesIn(parts.header('x-hmxmroriginalrecipient'));
  const returned = own.length > 0 ? own : recipientsOfOriginal(parts.original ?? '');
  return {
    kind: 'complained',
    // With several recipients, the header of the returned message does not say who complained.
    recipients: returned.length === 1 || known.length === 1 ? returned : [],
    occurred_at: isoDate(parts.date),
    detail: { feedback_type, user_agent: null },
    report_id,
  };
};
