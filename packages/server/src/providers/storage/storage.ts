// Where objects are kept: attachments, raw messages, recordings. A key is made by us and never a user's file name.
import type { Readable } from 'node:stream';

export type ObjectInfo = { size_bytes: number; sha256: string };

export type ObjectTooLarge = { too_large: true };

export type ObjectStorage = {
  /** Reads the content to its end and keeps it whole, or not at all. */
  put(
    key: string,
    content: AsyncIterable<Uint8Array> | Uint8Array,
    options: { content_type: string; max_bytes: number },
  ): Promise<ObjectInfo | ObjectTooLarge>;
  /** Null when there is no such object. */
  open(key: string): Promise<Readable | null>;
  /** Removing what is not there is fine. */
  remove(key: string): Promise<void>;
  /**
   * Keys that begin with the prefix, which ends in a slash, in the order of their letters: those after `after`, at most
   * `limit`. `next` is where to go on, null at the end.
   */
  list(
    prefix: string,
    options: { after: string; limit: number },
  ): Promise<{ keys: string[]; next: string | null }>;
  /** When an object was stored, by the storage's own clock; null when there is no such object. */
  storedAt(key: string): Promise<Date | null>;
  /** A link that works for everybody until it expires, and always downloads. */
  link(key: string, options: { filename: string; content_type: string }): Promise<string>;
  /** Throws when the storage cannot be used. */
  check(): Promise<void>;
};

/** Long enough to follow a redirect, too short to be passed around. */
export const link_seconds = 300;

const key_form = /^[a-z0-9][a-z0-9/_-]{0,200}$/;

/** Whether an object could be one of ours. */
export const isKey = (text: string) => key_form.test(text) && !text.includes('//');

/** Keys come from our own code; one that could leave the storage's place is a fault of ours. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`Not a storage key: ${key}`);
}

/** RFC 6266: the plain form for old readers, the extended one for every letter. */
export function attachmentDisposition(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const extended = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended}`;
}
