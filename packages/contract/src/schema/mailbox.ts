// Parses one mailbox, such as `Ana Sousa <ana@example.com>`: exactly one address, or null.
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import { exceedsBytes } from './fields.ts';
import { readHostName } from './host-name.ts';

export type Mailbox = { name: string | null; address: string };

// RFC 5322 atext, plus the characters that RFC 6531 adds beyond ASCII. Quoted local parts and comments are rejected on
// purpose: parsers disagree about which recipient they mean.
const local_part =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+)*$/u;
const dns_label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const dns_letters = /^[a-z0-9.-]*$/;
const control = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A domain in lower case as used in the DNS (UTS 46), so that different spellings of one name are equal. */
const dnsName = (domain: string): string | null => (dns_letters.test(domain) ? domain : readHostName(domain));

/** The address with its domain in lower case, or null if the text is not exactly one address. */
export function readAddress(text: string): string | null {
  if (control.test(text) || exceedsBytes(text, limits.email_address_chars)) return null;
  const at = text.lastIndexOf('@');
  if (at < 1) return null;
  const local = text.slice(0, at);
  const domain = text.slice(at + 1).toLowerCase();
  if (!local_part.test(local) || exceedsBytes(local, 64)) return null;
  const labels = dnsName(domain)?.split('.') ?? [];
  if (labels.length < 2 || !labels.every((part) => dns_label.test(part))) return null;
  if (/^\d+$/.test(labels.at(-1)!)) return null;
  return `${local}@${domain}`;
}

/** The address with its domain in ASCII form, for mail systems that do not support UTF-8 names. */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at).toLowerCase();
  return address.slice(0, at) + (dnsName(domain) ?? domain);
}

export function readMailbox(text: string): Mailbox | null {
  // Test before trimming: a line break at the start or end is also rejected.
  if (control.test(text)) return null;
  const trimmed = text.trim();
  if (!trimmed.endsWith('>')) {
    const address = readAddress(trimmed);
    return address ? { name: null, address } : null;
  }
  const open = trimmed.lastIndexOf('<');
  if (open === -1) return null;
  const address = readAddress(trimmed.slice(open + 1, -1));
  if (!address) return null;
  const display = trimmed.slice(0, open).trim();
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(display)?.[1]?.replaceAll(/\\(.)/g, '$1');
  // An unquoted comma or semicolon starts another address in some parsers.
  if (quoted === undefined && /[",;:()\\[\]]/.test(display)) return null;
  const name = (quoted ?? display).trim();
  if (/[<>@]/.test(name) || name.length > limits.email_name_chars) return null;
  return { name: name === '' ? null : name, address };
}

/** A validation rule with its own error code: a request that breaks it gets that code. */
export const rule = (code: ErrorCode, message: string) => ({ message, params: { error: code } });

export const mailbox_schema = {
  type: 'string',
  maxLength: limits.mailbox_chars,
  description: 'An address, such as Ana Sousa <ana@example.com>.',
} as const;

export const MailboxText = z
  .string()
  .max(limits.mailbox_chars)
  .transform((text, context): Mailbox => {
    const mailbox = readMailbox(text);
    if (mailbox) return mailbox;
    context.addIssue({
      code: 'custom',
      ...rule(
        'invalid_email_address',
        'Expected exactly one address, such as ana@example.com or Ana Sousa <ana@example.com>',
      ),
    });
    return z.NEVER;
  })
  .meta({ json_schema: mailbox_schema });

/** One address without a display name, validated like every sender and recipient and stored as typed. */
export const AddressText = z
  .string()
  .superRefine((text, context) => {
    if (readAddress(text) !== null) return;
    const message = 'Expected one email address such as ana@example.com';
    context.addIssue({ code: 'invalid_format', format: 'email', input: text, message });
  })
  .meta({
    description: 'One email address, without a display name; characters beyond ASCII are allowed.',
    json_schema: { type: 'string', maxLength: limits.email_address_chars },
  });

/**
 * Accepts a space as "+": an unencoded plus sign in a query string arrives as a space, and no address contains a space.
 */
export const QueryAddress = z
  .string()
  .max(limits.mailbox_chars)
  .transform((text, context): string => {
    const address = readAddress(text.replaceAll(' ', '+'));
    if (address) return address;
    context.addIssue({
      code: 'custom',
      ...rule('invalid_email_address', 'Expected exactly one address, such as ana@example.com'),
    });
    return z.NEVER;
  })
  .meta({
    description: 'One address; encode + as %2B.',
    json_schema: { type: 'string', maxLength: limits.mailbox_chars },
  });

const ascii = /^[\0-\x7f]*$/;

/** The key under which two spellings of one address are equal. */
export const addressKey = (address: string) =>
  // ASCII needs no normalization, and the test is faster than normalizing.
  (ascii.test(address) ? address : asciiDomain(address.normalize('NFC'))).toLowerCase();
