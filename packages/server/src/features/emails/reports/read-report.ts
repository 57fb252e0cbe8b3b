// Reads what comes back to a return path: delivery status notifications (RFC 3464), complaints (RFC 5965), or neither.
import { createHash } from 'node:crypto';
import PostalMime, { type Attachment, type Email as ParsedMail } from 'postal-mime';
import { classifyBounce } from '../../../providers/mail/bounce-class.ts';
import { isComplaint } from '../../../providers/mail/complaint.ts';
import type { MailReport } from '../../../providers/mail/transport.ts';
import { readFields, typedValue } from './fields.ts';

export type ReadReport = {
  reports: MailReport[];
  /** Return paths named inside, for complaints that come to another address than the message's own. */
  return_paths: string[];
  /** Of the message that the report is about. */
  message_ids: string[];
};

/** A report is small; whatever is larger carries the whole message back, which nobody needs. */
const max_bytes = 2 * 1024 * 1024;

export async function readReport(raw: Buffer): Promise<ReadReport | null> {
  const mail = await PostalMime.parse(raw.subarray(0, max_bytes), {
    attachmentEncoding: 'utf8',
    forceRfc822Attachments: true,
    maxNestingDepth: 30,
    maxHeadersSize: 256 * 1024,
  }).catch(() => null);
  // Beyond the parser's limits: no relay writes such a report.
  if (!mail) return null;
  const header = (name: string) => mail.headers.find((each) => each.key === name)?.value ?? '';
  const report_id = header('message-id') || createHash('sha256').update(raw).digest('base64url');
  const parts = Object.fromEntries(mail.attachments.map((part) => [part.mimeType, textOf(part)]));
  const original =
    parts['text/rfc822-headers'] ?? parts['message/rfc822'] ?? parts['message/global-headers'] ?? '';
  const status = parts['message/delivery-status'] ?? parts['message/global-delivery-status'];
  const feedback = parts['message/feedback-report'];
  const message_ids = messageIdsIn(original);
  if (status) {
    return {
      reports: deliveryReports(status, report_id),
      return_paths: returnPathsIn(original),
      message_ids,
    };
  }
  if (feedback) {
    const fields = readFields(feedback)[0] ?? new Map<string, string>();
    const sent_by = fields.get('original-mail-from') ?? '';
    return {
      reports: complaint(fields, report_id),
      return_paths: [...addressesIn(sent_by), ...returnPathsIn(original)],
      message_ids,
    };
  }
  // An answering machine also writes to the return path; only what calls itself a failure is one.
  if (/auto-(replied|generated)/i.test(header('auto-submitted')) && !isFailure(mail, header)) return null;
  if (!isFailure(mail, header)) return null;
  return { reports: plainBounce(mail, header, report_id), return_paths: [], message_ids };
}

function deliveryReports(text: string, report_id: string): MailReport[] {
  const [message, ...recipients] = readFields(text);
  const arrived = message?.get('last-attempt-date') ?? null;
  return recipients.flatMap((fields): MailReport[] => {
    const action = (fields.get('action') ?? '').toLowerCase();
    const recipient = typedValue(fields.get('original-recipient') ?? fields.get('final-recipient') ?? '');
    const also = typedValue(fields.get('final-recipient') ?? '');
    const code = /[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? null;
    const words = fields.get('diagnostic-code') ?? '';
    const diagnostic_code = words === '' ? null : words.slice(0, 2000);
    const people = [...new Set([recipient, also].filter((address) => address.includes('@')))];
    const told = (kind: MailReport['kind'], detail: object, hard?: boolean): MailReport => ({
      kind,
      recipients: people,
      occurred_at: isoDate(fields.get('last-attempt-date') ?? arrived),
      ...(hard === undefined ? {} : { hard }),
      detail: {
        ...detail,
        diagnostic_code,
        status: code,
        ...(fields.has('remote-mta') ? { remote_mta: typedValue(fields.get('remote-mta')!) } : {}),
      },
      report_id: `${report_id}:${people[0] ?? ''}`,
    });
    if (action === 'failed') {
      const verdict = classifyBounce(code, words);
      // One dead address is one event, however many servers report it.
      const report = told('bounced', verdict, verdict.hard);
      return [verdict.hard ? { ...report, report_id: `hard:${people[0] ?? ''}`.toLowerCase() } : report];
    }
    if (action === 'delayed') return [told('delivery_delayed', {})];
    // Handed on, expanded or relayed to a system that reports nothing more: as delivered as it will ever be known.
    if (action === 'delivered' || action === 'relayed' || action === 'expanded')
      return [told('delivered', {})];
    return [];
  });
}

function complaint(fields: Map<string, string>, report_id: string): MailReport[] {
  const feedback_type = (fields.get('feedback-type') ?? '').toLowerCase();
  if (!isComplaint(feedback_type)) return [];
  return [
    {
      kind: 'complained',
      recipients: addressesIn(fields.get('original-rcpt-to') ?? ''),
      occurred_at: isoDate(fields.get('arrival-date') ?? fields.get('received-date') ?? null),
      detail: { feedback_type, user_agent: fields.get('user-agent') ?? null },
      report_id,
    },
  ];
}

const failure_subject =
  /undeliver|delivery (status notification|failure|has failed)|mail delivery (failed|system)|returned mail|failure notice|could not be delivered|message not delivered/i;

function isFailure(mail: ParsedMail, header: (name: string) => string): boolean {
  const daemon = /^(mailer-daemon|postmaster|mail-daemon)@/i.test(mail.from?.address ?? '');
  return header('x-failed-recipients') !== '' || (daemon && failure_subject.test(mail.subject ?? ''));
}

/** Old servers write prose: their words are all there is. */
function plainBounce(mail: ParsedMail, header: (name: string) => string, report_id: string): MailReport[] {
  const words = (mail.text ?? '').slice(0, 20_000);
  const verdict = classifyBounce(null, words);
  const line = words.split('\n').find((each) => /\b[45]\d\d\b|[45]\.\d+\.\d+/.test(each));
  return [
    {
      kind: 'bounced',
      recipients: addressesIn(header('x-failed-recipients')),
      occurred_at: isoDate(mail.date ?? null),
      hard: verdict.hard,
      detail: { ...verdict, diagnostic_code: line?.trim().slice(0, 2000) ?? null },
      report_id,
    },
  ];
}

const textOf = (part: Attachment): string =>
  typeof part.content === 'string' ? part.content : Buffer.from(part.content as ArrayBuffer).toString('utf8');

const addressesIn = (text: string): string[] =>
  [...text.slice(0, 5000).matchAll(/[^\s<>,;:"]{1,64}@[^\s<>,;:"]{1,255}/g)].map((match) => match[0]);

const returnPathsIn = (headers: string): string[] =>
  addressesIn(/^(?:return-path|x-original-return-path):(.*)$/im.exec(headers)?.[1] ?? '');

const messageIdsIn = (headers: string): string[] =>
  [...headers.slice(0, 100_000).matchAll(/^message-id:\s*(<[^\s<>]{1,490}>)/gim)].map((match) => match[1]!);

function isoDate(text: string | null): string | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
