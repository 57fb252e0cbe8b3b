// Recognizes reports of mail servers among all mail to a return path: automatic replies, newsletters, mail of people.
import {
  hasPhrase,
  normalizeText,
  type PhraseTable,
} from '../../../../../protocols/mail/bounce-phrases/phrase-table.ts';
import { delay_openings, final_openings } from '../notices/delays.ts';
import { failure_openings, mail_terms, plain_openings } from '../notices/openings.ts';
import { answer_titles, delay_titles, failure_titles } from '../notices/titles.ts';
import type { ReportParts } from './parts.ts';
import type { ReportText } from './report-text.ts';

const daemon_address =
  /^(mailer[-_.]?daemon|mail[-_.]?daemon|e?-?mail[-_]?daemon|daemon|mdaemon|post[-_]?master|mail[-_.]?(delivery|system|router|agent)[\w.-]*|mailsystem|smtp[-_]?(daemon|server|gateway)|[\w.-]{0,40}smtp[-_.](mail[-_.])?(service|gateways?)|double-bounce|ndr|isvw|imss|microsoftexchange[0-9a-f]*|mail[-_]?admin\w*|system administrator)(\\?@|$)/i;
const daemon_name =
  /mailer[-_ ]?daemon|mail delivery (sub)?(system|service|agent)|mail deliver|mail system|mail administrator|post ?master|mail router|mail server at|interscan|internet mail service|mailmarshal|mail transfer|content[- ]filter at|smtp (server|gateway)/i;
/** Also used by programs that are no mail servers. */
const machine_address =
  /^(no[-_.]?reply|do[-_.]?not[-_.]?reply|system|sysadmin|administrator|admin|mail|bounces?|notification\w*|support)@/i;
const machine_name = /system administrator|microsoft (outlook|exchange)|facebook|mail gateway|mail security/i;

const reply_subject = /^\s*(re|aw|antw|sv|vs|odp|rif|fwd?|wg|tr|rv|enc|i|vb|doorst)\s*(\[\d+\])?\s*:/i;

const quoted_reply =
  /(^|[^\d.])[45]\d\d[ -]|(^|[^\d.])[45]\.\d{1,3}\.\d{1,3}($|[^\d.])|^\s*(<<<|>>>)|\bsaid:/m;

const empty_path = /^\s*<\s*>/;

export type Notice = { is_notice: boolean; is_delay: boolean; is_answer: boolean };

/** `names_address`: whether a line of the text consists of a recipient address. */
export function recognize(parts: ReportParts, text: ReportText, names_address: boolean): Notice {
  const { header } = parts;
  const title = normalizeText(parts.subject.slice(0, 500));
  const body = normalizeText(text.prose.slice(0, 6000));
  const { is_empty, is_daemon, is_machine } = senderOf(parts);
  const names_failed = header('x-failed-recipients') !== '';
  const has_title = hasPhrase(title, failure_titles);
  const has_delay_title = hasPhrase(title, delay_titles);
  const has_opening = hasPhrase(body, failure_openings) || hasPhrase(body, delay_openings);
  const is_returned = parts.original !== null || text.returned !== '';
  const is_report = parts.type === 'multipart/report' && parts.report_type !== 'disposition-notification';
  const has_answer_title = hasPhrase(title, answer_titles);
  const is_answer =
    !names_failed &&
    (has_title
      ? has_answer_title && !is_daemon
      : has_answer_title ||
        header('x-autoreply') !== '' ||
        header('x-autorespond') !== '' ||
        /auto_reply/i.test(header('precedence')) ||
        (/auto-(replied|generated|notified)/i.test(header('auto-submitted')) && !is_daemon && !is_report));
  const is_reply = reply_subject.test(parts.subject);
  const is_ordinary_mail =
    is_reply ||
    header('list-id') !== '' ||
    header('list-unsubscribe') !== '' ||
    /^\s*(bulk|list)/i.test(header('precedence'));
  const is_titled = has_title || has_delay_title;
  // "Delivery failed" is also said of parcels. Only mail servers return a message or quote the reply of a server.
  const has_evidence =
    is_returned || quoted_reply.test(text.prose.slice(0, 6000)) || empty_path.test(header('return-path'));
  const is_notice =
    !is_answer &&
    (names_failed ||
      (is_report && (is_titled || has_opening)) ||
      (is_daemon && !is_ordinary_mail && is_titled && (has_opening || !is_empty)) ||
      // A mailing list adds its headers to a report that passes through it.
      (is_daemon && !is_reply && is_titled && (is_returned || names_address)) ||
      (is_daemon && has_opening && has_evidence) ||
      (!is_ordinary_mail && is_machine && is_titled && has_opening && has_evidence) ||
      (!is_ordinary_mail && hasNoSender(parts) && has_title && has_opening && is_returned) ||
      (has_title &&
        isFromProgram(parts, text, failure_openings) &&
        (names_address || returnsMessage(parts))) ||
      (is_machine && names_address && isFromProgram(parts, text, plain_openings)));
  const is_delay =
    (hasPhrase(body, delay_openings) || (has_delay_title && !has_title)) &&
    !hasPhrase(body, final_openings) &&
    !isRefused(text.prose);
  return { is_notice, is_delay, is_answer };
}

/** A permanent reply is quoted, and no temporary one: nothing is tried again, whatever the text around it says. */
const isRefused = (prose: string): boolean => {
  const start = prose.slice(0, 6000);
  return (
    /(^|[^\d.])55\d[ -]\D|(^|[^\d.])5\.[1-7]\.\d{1,3}($|[^\d.])/m.test(start) &&
    !/(^|[^\d.])4\d\d[ -]\D|(^|[^\d.])4\.\d{1,3}\.\d{1,3}($|[^\d.])/m.test(start)
  );
};

function senderOf({ from }: ReportParts) {
  const address = from.address.replaceAll('"', '');
  const is_empty = address === '' && from.name === '';
  const is_daemon = is_empty || daemon_address.test(address || from.name) || daemon_name.test(from.name);
  const is_machine = is_daemon || machine_address.test(address) || machine_name.test(from.name);
  return { is_empty, is_daemon, is_machine };
}

/** Mail of a person has a return path, and a reply of a person has In-Reply-To. */
const hasNoSender = ({ header }: ReportParts) =>
  empty_path.test(header('return-path')) ||
  (/auto-/i.test(header('auto-submitted')) && header('in-reply-to') === '');

/**
 * Gateways use any address, but no display name and no In-Reply-To, and their first sentence says that a message failed.
 * People greet, ask and quote first.
 */
function isFromProgram({ from, header }: ReportParts, text: ReportText, openings: PhraseTable): boolean {
  if (from.name !== '' || ['in-reply-to', 'references', 'user-agent'].some((name) => header(name) !== '')) {
    return false;
  }
  const first = text.prose.trimStart().slice(0, 300);
  const normalized = normalizeText(first);
  return !/^>|\?/m.test(first) && hasPhrase(normalized, openings) && hasPhrase(normalized, mail_terms);
}

/** Whether it returns a message. A report as attachment does not count: a person may have attached it to ask about it. */
const returnsMessage = ({ original }: ReportParts): boolean =>
  original !== null &&
  !/^content-type:\s*multipart\/report\b|^from:.{0,200}(mailer-daemon|postmaster)/im.test(
    original.slice(0, 20_000),
  );
