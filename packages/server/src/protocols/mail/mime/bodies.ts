// Joins the text parts of a message into one text body and one HTML body, each complete.
import { limits } from '@parley/contract/limits';
import { htmlToText } from '../../html/text.ts';
import { decodeText } from './charsets.ts';
import type { Part } from './structure.ts';
import { bodyBytes } from './transfer-encoding.ts';

/** One section of the message: its plain text parts, its HTML parts, or both as alternatives. */
type Section = { plain: string[]; html: string[] };

export type Bodies = { text: string | undefined; html: string | undefined; files: Part[] };

const convert_max_chars = 200_000;

export function readBodies(raw: Buffer, root: Part): Bodies {
  const sections: Section[] = [];
  const files: Part[] = [];

  const collect = (part: Part, alternative: Section | null): void => {
    if (part.children.length > 0) {
      let part_alternative = alternative;
      if (part.type === 'multipart/alternative' && !part_alternative) {
        part_alternative = { plain: [], html: [] };
        sections.push(part_alternative);
      }
      for (const child of part.children) collect(child, part_alternative);
      return;
    }
    // A multipart without parts: treat its content, if any, as text.
    const type = part.type.startsWith('multipart/') ? 'text/plain' : part.type;
    if ((type !== 'text/plain' && type !== 'text/html') || part.disposition === 'attachment') {
      files.push(part);
      return;
    }
    const section = alternative ?? { plain: [], html: [] };
    if (!alternative) sections.push(section);
    const is_long = part.end - part.start > limits.inbound_body_chars;
    // The body is cut to the limit of the record, and the whole part is stored as an attachment.
    if (is_long)
      files.push({ ...part, filename: part.filename ?? (type === 'text/html' ? 'body.html' : 'body.txt') });
    const text = textOf(raw, is_long ? { ...part, end: part.start + limits.inbound_body_chars } : part);
    (type === 'text/html' ? section.html : section.plain).push(text);
  };
  collect(root, null);

  const has = (form: keyof Section) => sections.some((section) => section[form].length > 0);
  const joined = (form: keyof Section, converted: (section: Section) => string): string | undefined =>
    has(form)
      ? sections.map((each) => (each[form].length > 0 ? each[form].join('\n') : converted(each))).join('\n')
      : undefined;
  return {
    // Convert the other sections: a plain text footer below an HTML message must not become the whole text body.
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
  // RFC 3676: a space at the end of a line joins it with the next line, except in the signature separator "-- ".
  const space = part.params.get('delsp')?.toLowerCase() === 'yes' ? '' : ' ';
  return text.replaceAll(/(?<!^--) \n(?!>)/gm, space);
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const textToHtml = (text: string): string =>
  `<div>${text.replaceAll(/[&<>]/g, (char) => escapes[char]!).replaceAll('\n', '<br>\n')}</div>`;
