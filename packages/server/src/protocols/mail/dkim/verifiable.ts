// Decides whether a header is safe for the full signature verifier, which takes quadratic time on some long values.
import type { Field } from './verify.ts';

/** Enough for a fold and its indent; more white space in a row has no purpose. */
const blanks_max = 256;
const name_max_bytes = 256;
/** Each signature may cause a DNS query for its key. */
const signatures_max = 20;
/** For the fields that the verifier parses. */
const parsed_field_max_bytes = 16 * 1024;
/** Of all fields with addresses together. A valid message has one From field (RFC 5322 section 3.6). */
const address_fields_max_bytes = 16 * 1024;
const address_fields = /^(?:from|sender|return-path)$/;
const parsed_fields = /^(?:from|sender|return-path|content-type|dkim-signature|arc-[a-z-]+)$/;

/** `fields` are raw, including folds. */
export function isVerifiable(fields: Field[]): boolean {
  let signatures = 0;
  let address_bytes = 0;
  for (const { name, text } of fields) {
    if (name.length > name_max_bytes || hasLongBlank(text)) return false;
    if (parsed_fields.test(name) && text.length > parsed_field_max_bytes) return false;
    if (address_fields.test(name)) address_bytes += text.length;
    if (address_bytes > address_fields_max_bytes) return false;
    if (name === 'dkim-signature' && ++signatures > signatures_max) return false;
  }
  return true;
}

/** A loop, because a regular expression for this takes quadratic time on the very input it looks for. */
function hasLongBlank(text: string): boolean {
  let blanks = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    blanks = code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a ? blanks + 1 : 0;
    if (blanks > blanks_max) return true;
  }
  return false;
}
