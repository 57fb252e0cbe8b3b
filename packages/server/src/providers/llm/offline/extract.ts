// Fills the properties of a schema from a transcript by rules: format and type first, then the answer to the question that fits.
import { type SchemaNode, validateValue } from '@parley/contract/schema/subset/schema-subset';
import type { TranscriptLine } from '../transcript-text.ts';
import { digitsIn, numbersIn } from './spoken-numbers.ts';
import { dateIn, durationIn, timeIn } from './spoken-times.ts';

export type Dialogue = {
  lines: readonly TranscriptLine[];
  /** The day of the conversation, as YYYY-MM-DD. */
  today: string;
};
type Found = { value: unknown; number: number };
type Property = { name: string; node: SchemaNode };
type Read = (text: string, property: Property, today: string) => unknown;

/** What was found, and the lines where it was said. A property without a value is left out, or null where that is allowed. */
export function extract(
  schema: SchemaNode,
  dialogue: Dialogue,
): { value: Record<string, unknown>; evidence: Record<string, number[]> } {
  const value: Record<string, unknown> = {};
  const evidence: Record<string, number[]> = {};
  for (const [name, node] of Object.entries(schema.properties ?? {})) {
    const found = findValue({ name, node }, dialogue);
    if (found) {
      value[name] = found.value;
      if (found.number > 0) evidence[name] = [found.number];
    } else if ([node.type].flat().includes('null') || node.enum?.includes(null)) {
      value[name] = null;
    }
  }
  return { value, evidence };
}

function findValue(property: Property, dialogue: Dialogue): Found | null {
  const { node, name } = property;
  const type = [node.type].flat().find((one) => one !== 'null');
  if (node.const !== undefined) return { value: node.const, number: 0 };
  if (type === 'object') {
    const { value } = extract(node, dialogue);
    return validateValue(node as Record<string, unknown>, value).length === 0 ? { value, number: 0 } : null;
  }
  const read = readerOf(node, name);
  if (!read) return null;
  const answers = answersTo(property, dialogue.lines);
  // What is recognized by its form may be anywhere; a free text or a yes only where it was asked for.
  const elsewhere = read.is_recognizable ? saidByPerson(dialogue.lines).toReversed() : [];
  for (const { text, number } of [...answers, ...elsewhere]) {
    const value = read.from(text, property, dialogue.today);
    if (value !== undefined && value !== null && fits(node, value)) return { value, number };
  }
  return null;
}

const fits = (node: SchemaNode, value: unknown) =>
  validateValue(node as Record<string, unknown>, value).length === 0;
const saidByPerson = (lines: readonly TranscriptLine[]) =>
  lines.filter(({ speaker }) => speaker === 'person');

function readerOf(node: SchemaNode, name: string): { from: Read; is_recognizable: boolean } | null {
  const type = [node.type].flat().find((one) => one !== 'null');
  if (node.enum) return { from: readChoice, is_recognizable: true };
  if (node.format) {
    const from = formats[node.format];
    return from ? { from, is_recognizable: true } : null;
  }
  if (type === 'boolean') return { from: readYesNo, is_recognizable: false };
  if (type === 'number' || type === 'integer') return { from: readNumber, is_recognizable: false };
  if (type === 'array') return { from: readList, is_recognizable: node.items?.enum !== undefined };
  if (type !== 'string') return null;
  if (/(^|_)name(_|$)/i.test(name)) return { from: readName, is_recognizable: true };
  return { from: readText, is_recognizable: false };
}

const formats: Record<string, Read> = {
  date: (text, _, today) => dateIn(text, today),
  time: (text) => timeIn(text),
  'date-time': (text, _, today) => {
    const [date, time] = [dateIn(text, today), timeIn(text)];
    return date && time ? `${date}T${time}:00Z` : null;
  },
  email: (text) =>
    /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/
      .exec(text.replaceAll(/ dot /gi, '.').replace(/([\w.+-]+) at ([\w-]+\.\w+)/i, '$1@$2'))?.[0]
      ?.toLowerCase(),
  uri: (text) => /https?:\/\/[^\s<>"]+[^\s<>".,]/.exec(text)?.[0],
  e164: (text) => {
    const digits = digitsIn(text);
    return /\+|\bplus\b/i.test(text) ? `+${digits}` : null;
  },
  duration: (text) => durationIn(text),
};

/** The value whose words were said; the longest one, because "not interested" contains "interested". */
function readChoice(text: string, { node }: Property): unknown {
  const said = ` ${plain(text)} `;
  const numbers = numbersIn(text);
  return node
    .enum!.filter((choice) =>
      typeof choice === 'string'
        ? plain(choice) !== '' && said.includes(` ${plain(choice)} `)
        : typeof choice === 'number' && numbers.includes(choice),
    )
    .sort((a, b) => String(b).length - String(a).length)[0];
}

function readYesNo(text: string): boolean | undefined {
  const no = /\b(no|nope|not|never|don't|do not|cannot|can't|isn't|won't|unfortunately)\b/i.exec(text);
  const yes =
    /\b(yes|yeah|yep|sure|of course|certainly|correct|right|absolutely|please do|fine|works|okay|ok)\b/i.exec(
      text,
    );
  if (!yes && !no) return undefined;
  return yes !== null && (no === null || yes.index < no.index);
}

const readNumber: Read = (text, { node }) => {
  const whole = [node.type].flat().includes('integer');
  return numbersIn(text).find((value) => !whole || Number.isInteger(value));
};

function readList(text: string, { node }: Property): unknown[] | undefined {
  const { items } = node;
  if (!items?.enum) return undefined;
  const said = ` ${plain(text)} `;
  const chosen = items.enum.filter(
    (choice) => typeof choice === 'string' && said.includes(` ${plain(choice)} `),
  );
  return chosen.length > 0 ? chosen : undefined;
}

const readName: Read = (text) =>
  /\b(?:my name is|my name's|name is|this is|i am|i'm|under the name(?: of)?|speaking with) ((?:(?:mr|mrs|ms|dr)\.? )?[A-Z][\p{L}'-]+(?: (?:van |de |von )?[A-Z][\p{L}'-]+){0,2})/iu
    .exec(text)?.[1]
    ?.replace(/ (?:and|from|at|calling|speaking|here|with|the|of)\b.*$/i, '')
    .trim() || undefined;

const readText: Read = (text, { node }) => {
  const said = text.trim().replace(/^(?:well|oh|yes|sure|okay),? /i, '');
  return said === '' ? undefined : said.slice(0, node.maxLength ?? 1_000);
};

/** What the person said after the question that shares most words with the property. The last such question counts. */
function answersTo({ name, node }: Property, lines: readonly TranscriptLine[]): TranscriptLine[] {
  const wanted = new Set(stems(`${name} ${node.title ?? ''} ${node.description ?? ''}`));
  let best = { score: 0, at: -1 };
  for (const [at, { speaker, text }] of lines.entries()) {
    if (speaker === 'person') continue;
    // A sentence that only repeats an answer has the same words as the question.
    const shared = new Set(stems(text).filter((word) => wanted.has(word))).size;
    const score = shared > 0 && text.includes('?') ? shared + 0.5 : shared;
    if (score > 0 && score >= best.score) best = { score, at };
  }
  if (best.at < 0) return [];
  const rest = lines.slice(best.at + 1);
  const end = rest.findIndex(({ speaker }) => speaker !== 'person');
  return end < 0 ? rest : rest.slice(0, end);
}

const common_words = new Set(
  'a an and are at be by can could do does for from has have how i if in is it its me my of on or our please say so tell that the their them they this to us was we what when where whether which who will with would you your person caller customer'.split(
    ' ',
  ),
);
const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
/** Words without endings, so that "open" and "opening" count as the same. */
const stems = (text: string): string[] =>
  plain(text)
    .split(' ')
    .filter((word) => word.length > 1 && !common_words.has(word))
    .map((word) => (word.length > 4 ? word.replace(/(?:ing|ment|ed|es|s)$/, '') : word));
