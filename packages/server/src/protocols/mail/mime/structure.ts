// Parses the structure of a message (RFC 2045 and 2046): headers, parts and the position of each body, without copying bodies.
// Common mistakes of mail programs are read as the sender meant them.
import { limits } from '@parley/contract/limits';
import { decodeWords } from 'postal-mime';
import { type Header, readHeaders } from './header-fields.ts';
import { readParams } from './params.ts';

export type Part = {
  headers: Header[];
  /** In lower case, such as text/plain. */
  type: string;
  params: Map<string, string>;
  disposition: string;
  filename: string | null;
  encoding: string;
  /** The body in the raw message. */
  start: number;
  end: number;
  children: Part[];
};

/** Thrown for a message that exceeds the limits, by attack or by accident. It is refused, so that the sender is notified. */
export class UnreadableMessage extends Error {
  override name = 'UnreadableMessage';
  /** Whether the message was refused only for its size. */
  readonly is_too_large: boolean;
  constructor(message: string, options: { is_too_large?: boolean } = {}) {
    super(message);
    this.is_too_large = options.is_too_large ?? false;
  }
}

/** For the headers of the message and all its parts together. */
const headers_max_bytes = 512 * 1024;
const lf = 0x0a;
const cr = 0x0d;

export function readMime(raw: Buffer): Part {
  const budget = { parts: limits.inbound_mime_parts, header_bytes: headers_max_bytes };
  return readPart(raw, { start: 0, end: raw.length, depth: 0, default_type: 'text/plain' }, budget);
}

type Budget = { parts: number; header_bytes: number };

type PartRange = { start: number; end: number; depth: number; default_type: string };

function readPart(raw: Buffer, { start, end, depth, default_type }: PartRange, budget: Budget): Part {
  if (--budget.parts < 0) throw new UnreadableMessage('Too many parts');
  if (depth > limits.inbound_mime_depth) throw new UnreadableMessage('Parts are nested too deeply');
  const body = bodyStart(raw, start, end, depth === 0 ? message_header : part_header);
  budget.header_bytes -= body - start;
  if (budget.header_bytes < 0) throw new UnreadableMessage('Too many headers', { is_too_large: true });
  const headers = readHeaders(raw.subarray(start, body));
  const field = (name: string) => headers.find(({ key }) => key === name)?.value ?? '';
  const { value: type, params } = readParams(field('content-type'));
  const { value: disposition, params: disposed } = readParams(field('content-disposition'));
  const filename = disposed.get('filename') ?? params.get('name') ?? null;
  const part: Part = {
    headers,
    type: type.includes('/') ? type : default_type,
    params,
    disposition,
    filename: filename === null ? null : decodeWords(filename),
    encoding: field('content-transfer-encoding').trim().toLowerCase(),
    start: body,
    end,
    children: [],
  };
  const boundary = boundaryOf(part, raw);
  if (boundary !== null) {
    // The default type of parts in a digest is message/rfc822 (RFC 2046 section 5.1.5).
    const child_type = part.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    for (const [from, to] of partsBetween(raw, body, end, boundary)) {
      const range = { start: from, end: to, depth: depth + 1, default_type: child_type };
      part.children.push(readPart(raw, range, budget));
    }
  }
  return part;
}

/** RFC 2046 allows 70 characters; a few programs use more. */
const boundary_max_chars = 250;

/** The boundary between parts: declared in the header, or else guessed from the body. Null if there are no parts. */
function boundaryOf({ type, params, start, end }: Part, raw: Buffer): string | null {
  if (!type.startsWith('multipart/')) return null;
  const declared = params.get('boundary');
  if (declared) return declared.length <= boundary_max_chars ? declared : null;
  const beginning = raw.toString('latin1', start, Math.min(end, start + 4096));
  const guess = /^--([^\s-][^\r\n]{0,69})\r?\n[\w-]+:/m.exec(beginning)?.[1]?.trimEnd();
  // Accept the guess only if its closing line exists too: a line of plain text may also begin with two dashes.
  return guess && raw.subarray(start, end).includes(`\n--${guess}--`) ? guess : null;
}

type HeaderLimits = { name: string; lines: number; bytes: number };
const message_header: HeaderLimits = {
  name: 'The header',
  lines: limits.inbound_header_lines,
  bytes: limits.inbound_header_bytes,
};
const part_header: HeaderLimits = {
  name: 'The header of a part',
  lines: limits.inbound_part_header_lines,
  bytes: limits.inbound_part_header_bytes,
};

/**
 * The position of the body of a message. Throws if the header exceeds the limits. Cheap enough for the event loop: it reads at
 * most as many bytes as the limit, each once.
 */
export const headerEnd = (raw: Buffer): number => bodyStart(raw, 0, raw.length, message_header);

/** The position after the first empty line. */
function bodyStart(raw: Buffer, start: number, end: number, max: HeaderLimits): number {
  const tooLarge = (limit: string) =>
    new UnreadableMessage(`${max.name} has more than ${limit}`, { is_too_large: true });
  // Stop one byte after the limit, so that a header without an end is not searched to the end of the message.
  const last = Math.min(end, start + max.bytes + 1);
  let lines = 0;
  for (let at = start; at < last; ) {
    if (raw[at] === lf) return at + 1;
    if (raw[at] === cr && raw[at + 1] === lf) return at + 2;
    if (++lines > max.lines) throw tooLarge(`${max.lines} lines`);
    const next = raw.subarray(at, last).indexOf(lf);
    if (next === -1) break;
    at += next + 1;
  }
  if (last < end) throw tooLarge(`${max.bytes} bytes`);
  return end;
}

/** The ranges between boundary lines. The line break before a boundary line is part of the boundary (RFC 2046 section 5.1.1). */
function partsBetween(raw: Buffer, start: number, end: number, boundary: string): [number, number][] {
  const body = raw.subarray(start, end);
  // Includes the line break: the same characters inside a line are not a boundary.
  const mark = Buffer.from(`\n--${boundary}`);
  const parts: [number, number][] = [];
  const close = (from: number, to: number) => parts.push([start + from, start + Math.max(from, to)]);
  let open = -1;
  // True while the open part contains a nested multipart whose boundary is this one plus "--": its boundary lines look
  // like the end of this multipart.
  let has_similar_child = false;
  /** The end of the last such child. The search continues there, so that the total time stays linear. */
  let searched_to = 0;
  const is_first = body.subarray(0, mark.length - 1).equals(mark.subarray(1));
  for (let at = is_first ? -1 : body.indexOf(mark); at !== -2; ) {
    const after = at + mark.length;
    const byte = body[after];
    // Skip a line whose longer boundary only begins with this one.
    if (byte === undefined || byte <= 0x20 || byte === 0x2d) {
      const line_end = body.indexOf(lf, after);
      const next = line_end === -1 ? body.length : line_end + 1;
      const rest = body.toString('latin1', after, Math.min(next, after + 200)).trim();
      if (rest === '') has_similar_child = false;
      else if (rest === '----') {
        has_similar_child = false;
        searched_to = next;
      } else if (rest === '--' && open !== -1 && !has_similar_child) {
        has_similar_child = declares(body.subarray(Math.max(open, searched_to), at), `${boundary}--`);
      }
      if (rest === '' || (rest === '--' && !has_similar_child)) {
        if (open !== -1) close(open, body[at - 1] === cr ? at - 1 : at);
        open = next;
        if (rest === '--') return parts;
      }
    }
    const index = body.indexOf(mark, Math.max(0, after - 1));
    at = index === -1 ? -2 : index;
  }
  if (open !== -1) close(open, body.length);
  return parts;
}

const declares = (part: Buffer, boundary: string): boolean =>
  part.includes(`boundary="${boundary}"`) ||
  ['\r', '\n', ';'].some((end) => part.includes(`boundary=${boundary}${end}`));
