// Reads the structure of a message (RFC 2045 and 2046): headers, parts, and where each body lies. Nothing is copied that
// need not be; what real mail gets wrong is read as its sender meant it.
import { isUtf8 } from 'node:buffer';
import { limits } from '@parley/contract/limits';
import { decodeWords } from 'postal-mime';

export type Header = { key: string; value: string };

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

/** A message that is taken for an attack or an accident: refused, so that its sender knows. */
export class UnreadableMessage extends Error {
  override name = 'UnreadableMessage';
  /** Whether size alone is the reason. */
  readonly is_too_large: boolean;
  constructor(message: string, options: { is_too_large?: boolean } = {}) {
    super(message);
    this.is_too_large = options.is_too_large ?? false;
  }
}

/** Of the message and all its parts together. */
const headers_max_bytes = 512 * 1024;
const lf = 0x0a;
const cr = 0x0d;

export function readMime(raw: Buffer): Part {
  const budget = { parts: limits.inbound_mime_parts, header_bytes: headers_max_bytes };
  return readPart(raw, 0, raw.length, 0, budget);
}

type Budget = { parts: number; header_bytes: number };

function readPart(raw: Buffer, start: number, end: number, depth: number, budget: Budget): Part {
  if (--budget.parts < 0) throw new UnreadableMessage('Too many parts');
  if (depth > limits.inbound_mime_depth) throw new UnreadableMessage('Parts are nested too deeply');
  const body = bodyStart(raw, start, end, depth === 0 ? message_header : part_header);
  budget.header_bytes -= body - start;
  if (budget.header_bytes < 0) throw new UnreadableMessage('Too many headers', { is_too_large: true });
  const headers = readHeaders(raw, start, body);
  const field = (name: string) => headers.find(({ key }) => key === name)?.value ?? '';
  const { value: type, params } = readParams(field('content-type'));
  const { value: disposition, params: disposed } = readParams(field('content-disposition'));
  const filename = disposed.get('filename') ?? params.get('name') ?? null;
  const part: Part = {
    headers,
    type: type.includes('/') ? type : 'text/plain',
    params,
    disposition,
    filename: filename === null ? null : decodeWords(filename),
    encoding: field('content-transfer-encoding').trim().toLowerCase(),
    start: body,
    end,
    children: [],
  };
  const boundary = params.get('boundary');
  if (type.startsWith('multipart/') && boundary) {
    for (const [from, to] of partsBetween(raw, body, end, boundary)) {
      part.children.push(readPart(raw, from, to, depth + 1, budget));
    }
  }
  return part;
}

type HeaderLimits = { whose: string; lines: number; bytes: number };
const message_header: HeaderLimits = {
  whose: 'The header',
  lines: limits.inbound_header_lines,
  bytes: limits.inbound_header_bytes,
};
const part_header: HeaderLimits = {
  whose: 'The header of a part',
  lines: limits.inbound_part_header_lines,
  bytes: limits.inbound_part_header_bytes,
};

/**
 * Where the body of a message begins; throws when its header is longer than the limits allow. Cheap enough for the event
 * loop: it looks at no more bytes than the limit, and at each of them once.
 */
export const headerEnd = (raw: Buffer): number => bodyStart(raw, 0, raw.length, message_header);

/** After the first empty line. */
function bodyStart(raw: Buffer, start: number, end: number, max: HeaderLimits): number {
  const tooLarge = (limit: string) =>
    new UnreadableMessage(`${max.whose} has more than ${limit}`, { is_too_large: true });
  // One byte more than allowed is looked at, so that a header without an end is not read to the message's end.
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

function readHeaders(raw: Buffer, start: number, end: number): Header[] {
  const bytes = raw.subarray(start, end);
  // Since RFC 6532 headers may be UTF-8; older programs wrote whatever they had.
  const text = isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');
  const headers: Header[] = [];
  for (const line of text.split(/\r?\n(?![ \t])/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const value = line.slice(colon + 1).replaceAll(/\r?\n(?=[ \t])/g, '');
    headers.push({ key: line.slice(0, colon).trim().toLowerCase(), value: value.trim() });
  }
  return headers;
}

/** From the end of one boundary line to the beginning of the next; the line break before a boundary belongs to it. */
function partsBetween(raw: Buffer, start: number, end: number, boundary: string): [number, number][] {
  const body = raw.subarray(start, end);
  // With the line break before it: the same letters within a line are no boundary.
  const mark = Buffer.from(`\n--${boundary}`);
  const parts: [number, number][] = [];
  const close = (from: number, to: number) => parts.push([start + from, start + Math.max(from, to)]);
  let open = -1;
  const is_first = body.subarray(0, mark.length - 1).equals(mark.subarray(1));
  for (let at = is_first ? -1 : body.indexOf(mark); at !== -2; ) {
    const after = at + mark.length;
    const byte = body[after];
    // Another boundary may begin with this one.
    if (byte === undefined || byte <= 0x20 || byte === 0x2d) {
      const line_end = body.indexOf(lf, after);
      const next = line_end === -1 ? body.length : line_end + 1;
      const rest = body.toString('latin1', after, Math.min(next, after + 200)).trim();
      if (rest === '' || rest === '--') {
        if (open !== -1) close(open, body[at - 1] === cr ? at - 1 : at);
        open = next;
        if (rest === '--') return parts;
      }
    }
    const found = body.indexOf(mark, Math.max(0, after - 1));
    at = found === -1 ? -2 : found;
  }
  if (open !== -1) close(open, body.length);
  return parts;
}

const max_params_chars = 8000;

/** RFC 2231 with its continuations and charsets, and what programs wrote before it. */
export function readParams(header: string): { value: string; params: Map<string, string> } {
  const text = header.slice(0, max_params_chars);
  const semicolon = text.indexOf(';');
  const value = (semicolon === -1 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  const params = new Map<string, string>();
  if (semicolon === -1) return { value, params };
  const pieces = new Map<string, { place: number; text: string; is_coded: boolean }[]>();
  for (const match of text.slice(semicolon).matchAll(/;\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"?|[^;]*)/g)) {
    const name = match[1]!.toLowerCase();
    const given = match[2]!;
    const said = given.startsWith('"')
      ? given.slice(1).replace(/"$/, '').replaceAll(/\\(.)/g, '$1')
      : given.trim();
    const form = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/.exec(name);
    if (!form || (form[2] === undefined && form[3] === undefined)) {
      if (!params.has(name)) params.set(name, said);
      continue;
    }
    const of = pieces.get(form[1]!) ?? [];
    pieces.set(form[1]!, of);
    of.push({ place: Number(form[2] ?? 0), text: said, is_coded: form[3] === '*' });
  }
  for (const [name, of] of pieces) {
    of.sort((a, b) => a.place - b.place);
    const [first] = of;
    const coded = first!.is_coded ? /^([^']*)'[^']*'(.*)$/s.exec(first!.text) : null;
    if (coded) first!.text = coded[2]!;
    const bytes = Buffer.concat(
      of.map(({ text: piece, is_coded }) => (is_coded ? percentDecoded(piece) : Buffer.from(piece))),
    );
    params.set(name, decodeText(bytes, coded?.[1] || 'utf-8'));
  }
  return { value, params };
}

const percentDecoded = (text: string): Buffer =>
  Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** Text in whatever it was written in: as it says, where that can be, else as the bytes suggest. */
export function decodeText(bytes: Buffer, charset: string): string {
  const label = charset.trim().toLowerCase();
  const is_plain =
    label === '' || label === 'utf-8' || label === 'utf8' || label === 'us-ascii' || label === 'ascii';
  if (is_plain && isUtf8(bytes)) return bytes.toString('utf8');
  try {
    return new TextDecoder(is_plain ? 'windows-1252' : label).decode(bytes);
  } catch {
    return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The body of a part as bytes. */
export function bodyBytes(raw: Buffer, { start, end, encoding }: Part): Buffer {
  if (encoding === 'base64') return Buffer.from(raw.toString('latin1', start, end), 'base64');
  if (encoding !== 'quoted-printable') return raw.subarray(start, end);
  return quotedPrintable(raw.subarray(start, end));
}

const equals = 0x3d;
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09;

/** The value of a hexadecimal digit, -1 for any other byte. */
const hexValue = (byte: number | undefined): number => {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

/** RFC 2045 section 6.7, byte by byte: a message may be made of nothing else. An equals sign that means nothing stays. */
function quotedPrintable(coded: Buffer): Buffer {
  const out = Buffer.allocUnsafe(coded.length);
  let size = 0;
  for (let at = 0; at < coded.length; at++) {
    if (coded[at] !== equals) {
      out[size++] = coded[at]!;
      continue;
    }
    const [high, low] = [hexValue(coded[at + 1]), hexValue(coded[at + 2])];
    if (high >= 0 && low >= 0) {
      out[size++] = high * 16 + low;
      at += 2;
      continue;
    }
    let next = at + 1;
    while (isBlank(coded[next])) next++;
    if (coded[next] === cr && coded[next + 1] === lf) next++;
    if (next >= coded.length || coded[next] === lf) at = next;
    else out[size++] = equals;
  }
  return out.subarray(0, size);
}
