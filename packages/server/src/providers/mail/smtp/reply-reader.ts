// Reads SMTP replies (RFC 5321 section 4.2) from the bytes of a connection, with limits on their size.

/** `text` is the whole reply, including its code. */
export type Reply = { code: number; text: string };

/**
 * RFC 5321 section 4.5.3.1.5 allows 512 octets in a line, and EHLO replies have a few dozen lines. More than this is an attack
 * or a fault, and the connection is closed.
 */
const max_line_chars = 4096;
const max_reply_lines = 128;
const max_reply_chars = 64 * 1024;
const reply_line = /^[2-5]\d\d(?:[ -]|$)/;

export type ReplyHandlers = {
  /** Whether a command waits for a reply. */
  isWaiting(): boolean;
  isEnded(): boolean;
  onReply(reply: Reply): void;
  onInvalid(problem: string, text: string): void;
};

export function replyReader({ isWaiting, isEnded, onReply, onInvalid }: ReplyHandlers) {
  /** The unfinished last line, and the lines of the unfinished reply. */
  let rest = '';
  let text = '';
  let lines = 0;

  const readLine = (line: string): void => {
    // An unexpected line is usually a goodbye. After it, replies could no longer be matched to commands.
    const problem = !isWaiting() ? 'Unexpected reply' : reply_line.test(line) ? null : 'Not an SMTP reply';
    if (problem) {
      onInvalid(problem, line);
      return;
    }
    text += text === '' ? line : `\n${line}`;
    lines++;
    if (line[3] === '-') {
      if (lines >= max_reply_lines || text.length > max_reply_chars) onInvalid('Endless reply', text);
      return;
    }
    const reply = { code: Number(line.slice(0, 3)), text: readable(text) };
    text = '';
    lines = 0;
    onReply(reply);
  };

  return {
    read(chunk: Buffer): void {
      const complete = (rest + chunk.toString('latin1')).split('\n');
      rest = complete.pop()!;
      for (const line of complete) {
        if (isEnded()) return;
        if (line.length > max_line_chars) {
          onInvalid('Endless reply line', line);
          return;
        }
        readLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      }
      if (isEnded() || (rest === '' && text === '')) return;
      if (!isWaiting()) onInvalid('Unexpected reply', rest);
      else if (rest.length > max_line_chars) onInvalid('Endless reply line', rest);
    },
    /** Whether the beginning of a reply was read, but not its end. */
    isPartial: (): boolean => rest !== '' || text !== '',
  };
}

/** Replies are ASCII, or UTF-8 if the relay supports it. Control characters are replaced, because NUL cannot be stored. */
export const readable = (text: string): string => {
  const decoded = /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace.
  return decoded.replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, '\ufffd');
};
