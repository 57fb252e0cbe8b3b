// Splits a TCP or TLS stream into SIP messages by their Content-Length (RFC 3261 section 18.3).
import { content_length_header } from './message-text.ts';

const max_message_bytes = 65_536;

export type Framing = {
  /** Null for a malformed stream, whose rest cannot be read. */
  push(bytes: Buffer): { messages: string[]; pings: number } | null;
};

export function streamFraming(): Framing {
  let rest: Buffer = Buffer.alloc(0);
  return {
    push(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const messages: string[] = [];
      let pings = 0;
      for (;;) {
        // Empty lines between messages keep the connection open (RFC 5626 section 3.5.1). Two of them request one back.
        while (rest.length >= 2 && rest[0] === 0x0d && rest[1] === 0x0a) {
          if (rest.length >= 4 && rest[2] === 0x0d && rest[3] === 0x0a) {
            pings++;
            rest = rest.subarray(4);
          } else {
            rest = rest.subarray(2);
          }
        }
        const head_end = rest.indexOf('\r\n\r\n');
        if (head_end === -1) return rest.length > max_message_bytes ? null : { messages, pings };
        const head = rest.toString('utf8', 0, head_end + 2);
        const length = content_length_header.exec(head)?.[1]?.trim();
        if (length === undefined || !/^\d{1,6}$/.test(length)) return null;
        const end = head_end + 4 + Number(length);
        if (end > max_message_bytes) return null;
        if (rest.length < end) return { messages, pings };
        messages.push(rest.toString('utf8', 0, end));
        rest = rest.subarray(end);
      }
    },
  };
}
