// Cleans the file name and media type that a client sends with an upload.
import { isAscii } from 'node:buffer';

/** The last part of a path, without characters that file systems and mail headers cannot hold. */
export function cleanFilename(filename: string | null): string {
  const name = (filename ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^.*[\\/]/, '')
    .trim();
  return [...name].slice(0, 200).join('') || 'file';
}

/** A known-safe media type. Not multipart or message: mail programs would parse such a part as a tree of parts. */
export function mediaType(content_type: string): string {
  const type = content_type.toLowerCase().split(';')[0]!.trim();
  return /^(?!multipart\/|message\/)[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/.test(
    type,
  )
    ? type
    : 'application/octet-stream';
}

/** RFC 5322 section 2.1.1. */
const max_line_bytes = 998;

/**
 * The media type of a message that is attached. A message/rfc822 part may not be encoded (RFC 2046 section 5.2.1), so one that
 * no mail server must accept unencoded is attached as an ordinary file.
 */
export function messageType(message: Buffer): string {
  return isAscii(message) && !message.includes(0) && hasShortLines(message)
    ? 'message/rfc822'
    : 'application/octet-stream';
}

function hasShortLines(message: Buffer): boolean {
  for (let start = 0; start < message.length; ) {
    const end = message.indexOf('\n', start);
    if ((end === -1 ? message.length : end) - start > max_line_bytes + 1) return false;
    if (end === -1) return true;
    start = end + 1;
  }
  return true;
}
