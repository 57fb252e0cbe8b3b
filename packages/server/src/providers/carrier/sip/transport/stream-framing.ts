// Splits a TCP or TLS stream into SIP messages by their Content-Length (RFC 3261 section 18.3).
import { content_length_header } from './message-text.ts';

const max_message_bytes = 65_536;

export type Framing = {
  /** The rest of a malformed stream cannot be read: close the connection after handling the messages. */
  push(bytes: Buffer): { messages: string[]; pings: number; is_malformed: boolean };
};

export function streamFraming(): Framing {
  let rest: Buffer = Buffer.alloc(0);
  /** The last bytes were an empty line. A second one, also in another chunk, makes it a ping. */
  let after_empty_line = false;
  return {
    push(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const messages: string[] = [];
      let pings = 0;
      const read = (is_malformed: boolean) => ({ messages, pings, is_malformed });
      for (;;) {
        // Empty lines between messages keep the connection open. Two of them are a ping, answered by one (RFC 5626 section 3.5.1).
        while (rest.length >= 2 && rest[0] === 0x0d && rest[1] === 0x0a) {
          if (after_empty_line) pings++;
          after_empty_line = !after_empty_line;
          rest = rest.subarray(2);
        }
        if (rest.length > 1) after_empty_line = false;
        const head_end = rest.indexOf('\r\n\r\n');
        if (head_end === -1) return read(rest.length > max_message_bytes);
        const head = rest.toString('utf8', 0, head_end + 2);
        const length = content_length_header.exec(head)?.[1]?.trim();
        if (length === undefined || !/^\d{1,6}$/.test(length)) return read(true);
        const end = head_end + 4 + Number(length);
        if (end > max_message_bytes) return read(true);
        if (rest.length < end) return read(false);
        messages.push(rest.toString('utf8', 0, end));
        rest = rest.subarray(end);
      }
    },
  };
}
