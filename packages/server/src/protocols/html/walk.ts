// Goes through HTML tag by tag, as mail programs read it, within bounds: a page may be made to be slow.
import { Parser } from 'htmlparser2';

export type Attributes = Record<string, string>;
export type HtmlVisitor = {
  /** `from` and `to` are where the tag begins and where its last letter is. */
  open?(name: string, attributes: Attributes, from: number, to: number): void;
  text?(text: string): void;
  /** `implied` where the page does not say so. */
  close?(name: string, implied: boolean, from: number): void;
};

/** Chromium shows no more of them either. */
const max_depth = 512;

/** False where elements nest too deeply: it ends there, because every tag more would cost as much as all that are open. */
export function walkHtml(html: string, visitor: HtmlVisitor): boolean {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > max_depth) parser.pause();
        else visitor.open?.(name, attributes, parser.startIndex, parser.endIndex);
      },
      ontext: (text) => visitor.text?.(text),
      onclosetag(name, implied) {
        depth--;
        visitor.close?.(name, implied, parser.startIndex);
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.write(html);
  if (depth > max_depth) return false;
  parser.end();
  return true;
}
