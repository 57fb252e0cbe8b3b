// The port of object storages for attachments, raw messages and recordings. We generate the keys; a user's file name is never one.
import type { Readable } from 'node:stream';

export type ObjectInfo = { size_bytes: number; sha256: string };

export type ObjectTooLarge = { too_large: true };

export type ObjectStorage = {
  /** Stores the whole content, or nothing. */
  put(
    key: string,
    content: AsyncIterable<Uint8Array> | Uint8Array,
    options: { content_type: string; max_bytes: number },
  ): Promise<ObjectInfo | ObjectTooLarge>;
  /** Null if the object does not exist. */
  open(key: string): Promise<Readable | null>;
  /** No error if the object does not exist. */
  remove(key: string): Promise<void>;
  /**
   * Keys that begin with the prefix (which ends in a slash), sorted: those after `after`, at most `limit`. `next` is the `after`
   * of the next page, null at the end.
   */
  list(
    prefix: string,
    options: { after: string; limit: number },
  ): Promise<{ keys: string[]; next: string | null }>;
  /** The time when an object was stored, by the storage's own clock; null if it does not exist. */
  storedAt(key: string): Promise<Date | null>;
  /** A link that works without credentials until it expires, and always downloads the object. */
  link(key: string, options: { filename: string; content_type: string }): Promise<string>;
  /** Throws if the storage cannot be used. */
  check(): Promise<void>;
};

/** Long enough to follow a redirect, too short to be shared. */
export const link_seconds = 300;

const key_form = /^[a-z0-9][a-z0-9/_-]{0,200}$/;

/** Whether the text has the form of our keys. */
export const isKey = (text: string) => key_form.test(text) && !text.includes('//');

/** Keys come from our own code, so an invalid one, such as a path outside the storage, is a bug. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`Not a storage key: ${key}`);
}

/** RFC 6266: the plain form for old clients, the extended form for non-ASCII names. */
export function attachmentDisposition(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const extended = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended}`;
}
