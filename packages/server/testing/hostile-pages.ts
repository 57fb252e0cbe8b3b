// HTML and texts that are as slow to read as their author could make them, each of about the given size.

/** `part` again and again, cut to the size. */
export const repeated = (part: string, chars: number): string =>
  part.repeat(Math.ceil(chars / part.length)).slice(0, chars);

const read_properties =
  'display:block;visibility:visible;opacity:1;mso-hide:none;color:#111;background:#fff;background-color:#fff;font:1px x;' +
  'font-size:9px;overflow:x;overflow-x:x;overflow-y:x;text-indent:0;margin-left:0;margin-top:0;width:9px;height:9px;' +
  'max-width:9px;max-height:9px;position:static;left:0;top:0;right:0;bottom:0;clip:auto;clip-path:none;transform:none';

/** One selector with thousands of declarations, on elements that name it again and again. */
function manyDeclarations(chars: number): string {
  const rule = (number: number) =>
    `p{${Array.from({ length: 99 }, (_, at) => `a${(number * 99 + at).toString(36)}:`).join(';')}}`;
  const rules = Array.from({ length: 91 }, (_, number) => rule(number)).join('');
  return `<style>${rules}</style>${repeated(`<p class="${'a '.repeat(30)}">x`, chars - rules.length)}`;
}

/** Rules for many classes, each with every property that is read, on elements with different sets of classes. */
function manyClasses(chars: number): string {
  const names = Array.from({ length: 200 }, (_, at) => `c${at.toString(36)}`);
  const groups = Array.from({ length: 40 }, (_, at) =>
    Array.from({ length: 50 }, (_, next) => `.${names[(at * 7 + next) % 200]}`).join(','),
  );
  const css = groups.map((group) => `${group}{${read_properties}}`).join('');
  const element = (at: number) =>
    `<p class="${Array.from({ length: 30 }, (_, next) => names[(at * 7 + next * 3 + ((at * next) % 11)) % 200]).join(' ')}">x`;
  let page = `<style>${css}</style>`;
  for (let at = 0; page.length < chars; at++) page += element(at);
  return page;
}

const in_depth = (part: string, chars: number) => '<b>'.repeat(500) + repeated(part, chars);

export const hostilePages: Record<string, (chars: number) => string> = {
  'one selector with many declarations': manyDeclarations,
  'many classes with all properties': manyClasses,
  'closing tags that close nothing': (chars) => in_depth('</i>', chars),
  'elements that close each other': (chars) => in_depth('<p>', chars),
  'list items': (chars) => in_depth('<li>', chars),
  'attributes without end': (chars) => `<p ${repeated('a=b ', chars)}`,
  entities: (chars) => repeated('&amp;', chars),
  'entities without end': (chars) => repeated('&CounterClockwiseContourIntegra', chars),
  'angle brackets': (chars) => repeated('<', chars),
  'comments without end': (chars) => repeated('<!--', chars),
  'style elements without end': (chars) => repeated('<style>', chars),
  'line breaks': (chars) => repeated('<br>', chars),
  quotations: (chars) => repeated('<blockquote>x</blockquote>', chars),
  links: (chars) => repeated('<a href=http://a.test>b', chars),
  'inline styles': (chars) =>
    Array.from({ length: chars / 40 }, (_, at) => `<p style="display:block;left:${at}px">x`).join(''),
};

export const hostileTexts: Record<string, (chars: number) => string> = {
  codes: (chars) => repeated('code 1234 ', chars),
  'quotation marks': (chars) => `>${repeated('<', chars)}x`,
  introductions: (chars) => repeated('On Tue 12:00 2026 a@b.test wrote:\n', chars),
  headers: (chars) => repeated('From: a@b.test\n', chars),
  dividers: (chars) => repeated('-----Original Message-----\n\n\n', chars),
  signatures: (chars) => repeated('-- \n', chars),
  quotations: (chars) => repeated('x\n\n>y\n', chars),
  'empty lines': (chars) => `a${repeated('\n', chars)}a`,
};
