// Tells whether a header may be given to the full signature verifier, whose time grows with the square of some of its parts.
import type { Field } from './verify.ts';

/** A fold and its indent; more in a row is padding. */
const blanks_max = 256;
const name_max_bytes = 256;
/** Each may ask DNS for a key of its own. */
const signatures_max = 20;
/** Of a field that the verifier takes apart. */
const parsed_field_max_bytes = 16 * 1024;
const parsed_fields = /^(?:from|sender|return-path|content-type|dkim-signature|arc-[a-z-]+)$/;

/** Fields as they stand in the message, folds included. */
export function isVerifiable(fields: Field[]): boolean {
  let signatures = 0;
  for (const { name, text } of fields) {
    if (name.length > name_max_bytes || hasLongBlank(text)) return false;
    if (parsed_fields.test(name) && text.length > parsed_field_max_bytes) return false;
    if (name === 'dkim-signature' && ++signatures > signatures_max) return false;
  }
  return true;
}

/** Character by character: a pattern for this would itself be slow on what it looks for. */
function hasLongBlank(text: string): boolean {
  let blanks = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    blanks = code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a ? blanks + 1 : 0;
    if (blanks > blanks_max) return true;
  }
  return false;
}
