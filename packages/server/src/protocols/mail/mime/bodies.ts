// Puts the bodies of a message together: one text and one HTML, each complete, from however many parts.
import { limits } from '@parley/contract/limits';
import { htmlToText } from '../../html/text.ts';
import { decodeText } from './charsets.ts';
import type { Part } from './structure.ts';
import { bodyBytes } from './transfer-encoding.ts';

/** The ways in which one stretch of the letter was written. */
type Stretch = { plain: string[]; html: string[] };

export type Bodies = { text: string | undefined; html: string | undefined; files: Part[] };

const convert_max_chars = 200_000;

export function readBodies(raw: Buffer, root: Part): Bodies {
  const stretches: Stretch[] = [];
  const files: Part[] = [];

  const collect = (part: Part, alternative: Stretch | null): void => {
    if (part.children.length > 0) {
      let own = alternative;
      if (part.type === 'multipart/alternative' && !own) {
        own = { plain: [], html: [] };
        stretches.push(own);
      }
      for (const child of part.children) collect(child, own);
      return;
    }
    // A multipart without parts is what its sender wrote, if anything.
    const type = part.type.startsWith('multipart/') ? 'text/plain' : part.type;
    if ((type !== 'text/plain' && type !== 'text/html') || part.disposition === 'attachment') {
      files.push(part);
      return;
    }
    const stretch = alternative ?? { plain: [], html: [] };
    if (!alternative) stretches.push(stretch);
    const is_long = part.end - part.start > limits.inbound_body_chars;
    // What does not fit the record is kept whole beside it.
    if (is_long)
      files.push({ ...part, filename: part.filename ?? (type === 'text/html' ? 'body.html' : 'body.txt') });
    const text = textOf(raw, is_long ? { ...part, end: part.start + limits.inbound_body_chars } : part);
    (type === 'text/html' ? stretch.html : stretch.plain).push(text);
  };
  collect(root, null);

  const has = (form: keyof Stretch) => stretches.some((stretch) => stretch[form].length > 0);
  const joined = (form: keyof Stretch, made: (stretch: Stretch) => string): string | undefined =>
    has(form)
      ? stretches.map((each) => (each[form].length > 0 ? each[form].join('\n') : made(each))).join('\n')
      : undefined;
  return {
    // A footer in another form than the letter must not become the whole letter.
    text: joined('plain', ({ html }) =>
      html.map((each) => htmlToText(each, { max_chars: convert_max_chars })).join('\n'),
    ),
    html: joined('html', ({ plain }) => plain.map(textToHtml).join('\n')),
    files,
  };
}

function textOf(raw: Buffer, part: Part): string {
  const text = decodeText(bodyBytes(raw, part), part.params.get('charset') ?? '').replaceAll('\r\n', '\n');
  if (part.params.get('format')?.toLowerCase() !== 'flowed') return text;
  // RFC 3676: a space at the end of a line means that the line goes on; not before a signature.
  const space = part.params.get('delsp')?.toLowerCase() === 'yes' ? '' : ' ';
  return text.replaceAll(/(?<!^--) \n(?!>)/gm, space);
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const textToHtml = (text: string): string =>
  `<div>${text.replaceAll(/[&<>]/g, (letter) => escapes[letter]!).replaceAll('\n', '<br>\n')}</div>`;
