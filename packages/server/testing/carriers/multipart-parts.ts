// Reads a multipart/form-data body that a stand-in received (RFC 7578).
import type { SeenRequest } from './stand-in.ts';

export type Part = {
  name: string;
  filename: string | null;
  content_type: string | null;
  content: Buffer;
  /** The content as text. */
  text: string;
};

/** Throws for a body that is not well-formed. */
export function multipartParts({ headers, bytes }: Pick<SeenRequest, 'headers' | 'bytes'>): Part[] {
  const boundary = /;\s*boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  if (!boundary) throw new Error('the content type has no boundary');
  // One byte per character, so that positions in the text are positions in the bytes.
  const body = `\r\n${bytes.toString('latin1')}`;
  const pieces = body.split(`\r\n--${boundary}`);
  if (pieces.length < 2 || !/^--\s*$/.test(pieces.at(-1)!)) throw new Error('the last boundary is missing');
  return pieces.slice(1, -1).map((piece) => {
    const end = piece.indexOf('\r\n\r\n');
    const head = piece.slice(0, end);
    const name = /content-disposition:\s*form-data;[^\r\n]*\bname="([^"]*)"/i.exec(head)?.[1];
    if (end === -1 || !piece.startsWith('\r\n') || name === undefined) throw new Error('a part has no name');
    const content = Buffer.from(piece.slice(end + 4), 'latin1');
    return {
      name,
      filename: /\bfilename="([^"]*)"/i.exec(head)?.[1] ?? null,
      content_type: /content-type:\s*([^\r\n]+)/i.exec(head)?.[1]?.trim() ?? null,
      content,
      text: content.toString(),
    };
  });
}
