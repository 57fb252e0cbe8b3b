// Finds the recipient addresses in the prose of a report.
import { addressKey } from '@parley/contract/schema/mailbox';
import { addressesIn } from './fields.ts';

export type NamedRecipient = {
  address: string;
  /** The number of the line that has it. */
  line: number;
  /** True if the line has no other purpose than to name the recipient. */
  is_sure: boolean;
};

export type Candidates = {
  /** Addresses that cannot be meant, such as the one that received the report. */
  excluded: string[];
  /** The recipients of the email. If the text has one of them, no other address is meant. */
  known: string[];
  /** The domain of the reporting server, for users that it names without a domain. */
  domain: string;
};

const max_found = 50;

/** From the most to the least certain form; the first one that finds an address decides. */
type Form = (line: string) => string[];
const sure_forms: Form[] = [
  // A line of its own: "<ana@example.com>:", "ana@example.com on Thu, …", '"ana@example.com":'.
  (line) => {
    const found =
      /^[\s>*•·-]{0,20}(?:\d{1,2}[.)]\s+)?["'“«(]?<?(?:mailto:|rfc822;|smtp:)?([^\s<>"'“”«»(),;:]{1,64}@[^\s<>"'“”«»(),;:]{1,255})>?["'”»)]?(?:\s*<(?:mailto:)?[^<>\s]{3,330}>)?\s*(?:$|[:;([,]|-\s|\.{2,}|\bon\b|\bwas\b|\bis\b|\bhas\b|\bdoes\b)/iu.exec(
        line,
      );
    return found ? addressesIn(found[1]!) : [];
  },
  // A label or a command in front: "Recipient: ana@example.com", "RCPT TO:<ana@example.com>".
  (line) =>
    /\bsmtp=[^\s;=]{1,64}@|^.{0,60}\b(rcpt to|recipients?( address)?|addressed to|intended recipient|failed recipient|failed address|undeliverable address|error-for|final-recipient|original-recipient|delivered to|addressee|address|mailbox|user|account)\b[^@]{0,40}[:<"'=(]/i.test(
      line,
    )
      ? addressesIn(line.slice(0, 600).replaceAll(/\bsmtp=/gi, ' '))
      : [],
];
const unsure_forms: Form[] = [
  // A sentence: "Your message to ana@example.com could not be delivered".
  (line) =>
    /\b(to|for|an|à|a|para|per|aan|till|til|do|für|pour|recipient|destinataire|destinatario|empfänger|получател\w*|адрес\w*)\s*:?\s*["'<«“(]{0,2}(mailto:)?[^\s<>@]{1,64}@/iu.test(
      line.slice(0, 2000),
    )
      ? addressesIn(line, 2000)
      : [],
  (line) => addressesIn(line, 2000),
];

const not_a_recipient =
  /^\s*(from|sender|reply-to|return-path|message-id|in-reply-to|references|von|absender|de|da|expéditeur|remitente|mittente|x-[\w-]+|received|reporting-mta|remote-mta)\s*:|\bmessage-?id\b|\bcontact\b|\bhelpdesk\b|\bassistance\b|\bsend (mail|email|an? e-?mail|a message) to\b|\bmail from\b|\bfrom:\s*</i;
const service_address =
  /^(post[_-]?master|mailer-?daemon|mail-?daemon|abuse|support|help|helpdesk|admin|administrator|no-?reply)@/i;

export function namedIn(lines: string[], people: Candidates): NamedRecipient[] {
  const recipients = new Set(people.known.map(addressKey));
  const isKnown = ({ address }: Found) => recipients.has(addressKey(address));
  if (recipients.size > 0) {
    for (const form of [...sure_forms, ...unsure_forms]) {
      const known = search(lines, people, [form], true).filter(isKnown);
      if (known.length > 0) return marked(known, sure_forms.includes(form));
    }
  }
  const sure = search(lines, people, sure_forms, false);
  if (sure.length > 0) return marked(sure, true);
  const bare = usersNamed(lines, people);
  if (bare.length > 0) return marked(bare, false);
  const unsure = search(lines, people, unsure_forms, false);
  if (unsure.length > 0) return marked(unsure, false);
  // Last, because a report that has a postmaster address usually means the postmaster of the reporting server.
  return marked(search(lines, people, [...sure_forms, ...unsure_forms], true), false);
}

type Found = Omit<NamedRecipient, 'is_sure'>;
const marked = (found: Found[], is_sure: boolean) => found.map((each) => ({ ...each, is_sure }));

function search(lines: string[], { excluded }: Candidates, forms: Form[], with_services: boolean): Found[] {
  const not_meant = new Set(excluded.map(addressKey));
  const found = forms.map((form) => {
    const named = new Map<string, Found>();
    for (const [line, text] of lines.entries()) {
      if (named.size >= max_found) break;
      if (!text.includes('@') || not_a_recipient.test(text.slice(0, 300))) continue;
      for (const address of form(text)) {
        const key = addressKey(address);
        if (not_meant.has(key) || named.has(key)) continue;
        if (isToContact(lines, line, address)) continue;
        if (!with_services && service_address.test(address)) continue;
        named.set(key, { address, line });
      }
    }
    return [...named.entries()];
  });
  return (found.find((named) => named.length > 0) ?? []).map(([, each]) => each);
}

const contact_before =
  /\b(contact|reach|get in touch with|write to|ask|call|help ?desk|support|assistance|questions?|wenden sie sich( bitte)? an|kontaktieren sie|contactez|adressez-vous à|póngase en contacto con|contacte|contatti|contattare|entre em contato com|neem contact op met|skontaktuj się z|kontakta|обратитесь)\b[^.@]{0,60}$/iu;

/** Whether the text before the address, also in the line above, says whom to ask about the problem. */
function isToContact(lines: string[], line: number, address: string): boolean {
  const text = lines[line]!;
  const at = text.toLowerCase().indexOf(address.toLowerCase());
  const before = `${lines[line - 1]?.slice(-120) ?? ''} ${text.slice(Math.max(0, at - 120), Math.max(0, at))}`;
  return contact_before.test(before.replaceAll(/[<>"'«»“”]/g, ' ').trimEnd());
}

const recipients_follow =
  /\b(following|these) (recipients?|address(es)?|users?|people|persons?|addressees?)\b|\bto the following\s*:?\s*$/i;
const max_heading_lines = 4;

/** Servers list their own users without a domain, below a line such as "The following recipients failed". */
function usersNamed(lines: string[], { known, domain }: Candidates): Found[] {
  const heading = lines.findIndex((line) => recipients_follow.test(line.slice(0, 300)));
  if (heading === -1 || domain === '') return [];
  const found: Found[] = [];
  let is_before_list = true;
  for (const [offset, text] of lines.slice(heading + 1, heading + 40).entries()) {
    const user = /^\s{1,20}([a-z0-9][\w.+-]{0,63})(?:\s*$|\s{2,}\S)/i.exec(text)?.[1];
    if (user) {
      const address =
        known.find((each) => each.slice(0, each.lastIndexOf('@')).toLowerCase() === user.toLowerCase()) ??
        `${user}@${domain}`;
      found.push({ address, line: heading + 1 + offset });
      is_before_list = false;
    } else if (!is_before_list || (text.trim() !== '' && offset >= max_heading_lines)) break;
    if (found.length >= max_found) break;
  }
  return found;
}

/** The recipients of the returned message, if the text has none. Envelope headers are more exact than To and Cc. */
export function recipientsOfOriginal(original: string): string[] {
  const head = original
    .slice(0, 64 * 1024)
    .replaceAll(/\r\n|\r/g, '\n')
    .replaceAll(/\n[ \t]+/g, ' ');
  for (const name of [
    'x-hmxmroriginalrecipient',
    'x-original-to',
    'envelope-to',
    'x-envelope-to',
    'delivered-to',
    'to',
    'cc',
  ]) {
    const line = new RegExp(`^\\s*${name}:([^\\n]{1,5000})`, 'im').exec(head)?.[1];
    const addresses = line ? addressesIn(line) : [];
    if (addresses.length > 0) return addresses;
  }
  return [];
}
