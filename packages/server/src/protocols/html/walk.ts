// Visits the tags and text of an HTML page in order, as mail programs parse it, with a depth limit against hostile pages.
import { Parser } from 'htmlparser2';

export type Attributes = Record<string, string>;
export type HtmlVisitor = {
  /** `from` and `to` are the positions of the first and the last character of the tag. */
  open?(name: string, attributes: Attributes, from: number, to: number): void;
  text?(text: string): void;
  /** `implied` is true if the page has no closing tag here. */
  close?(name: string, implied: boolean, from: number): void;
};

/** The same limit as Chromium's. */
const max_depth = 512;

/** Stops and returns false if elements nest too deeply: the cost of each further tag grows with the number of open ones. */
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
