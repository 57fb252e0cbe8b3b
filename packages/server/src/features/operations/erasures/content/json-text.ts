// Replaces texts inside a JSON text. Everything else stays as it is, byte for byte: structure, order, numbers and blanks.

export type JsonEdit = {
  /** A value. */
  value(text: string): string;
  key(text: string): string;
  /** Whether this value or key is the person: then `name` beside the value is a name, and so is the value in `names`. */
  isPerson(text: string): boolean;
  /** What replaces such a name. */
  erased: string;
};

type Token = { start: number; end: number; text: string };
type ObjectAt = { names: Token[]; is_person: boolean; is_map_of_names: boolean };
type Change = { start: number; end: number; text: string };

const name_keys = new Set(['name', 'display_name', 'from_name']);
const tokens = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs;

/** Null when the text is not an object or array in JSON. */
export function editJson(json: string, edit: JsonEdit): string | null {
  if (!/^\s*[{["]/.test(json) || !isJson(json)) return null;
  const changes: Change[] = [];
  const open: (ObjectAt | null)[] = [];
  let key: string | null = null;
  const valueAt = (text: string): string =>
    key !== null && open.at(-1)?.is_map_of_names && edit.isPerson(key) ? edit.erased : edit.value(text);
  for (const match of json.matchAll(tokens)) {
    const [token, colon] = match;
    if (token === '{') open.push({ names: [], is_person: false, is_map_of_names: key === 'names' });
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') nameChanges(open.pop(), edit.erased, changes);
    else {
      const text = JSON.parse(colon === undefined ? token : token.slice(0, -colon.length)) as string;
      const end = match.index + token.length - (colon?.length ?? 0);
      const after = colon === undefined ? valueAt(text) : edit.key(text);
      const object = open.at(-1);
      if (colon === undefined && object) {
        if (edit.isPerson(text)) object.is_person = true;
        if (key !== null && name_keys.has(key)) object.names.push({ start: match.index, end, text });
      }
      if (after !== text) changes.push({ start: match.index, end, text: after });
      key = colon === undefined ? null : text;
      continue;
    }
    key = null;
  }
  return withChanges(json, changes);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function nameChanges(object: ObjectAt | null | undefined, erased: string, changes: Change[]): void {
  if (!object?.is_person) return;
  for (const { start, end, text } of object.names)
    if (text !== '' && !text.startsWith('erased:')) changes.push({ start, end, text: erased });
}

/** The later change of one token wins: the whole name instead of a part of it. */
function withChanges(json: string, changes: readonly Change[]): string {
  if (changes.length === 0) return json;
  const by_start = new Map(changes.map((change) => [change.start, change]));
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, text } of [...by_start.values()].toSorted((a, b) => a.start - b.start)) {
    parts.push(json.slice(position, start), JSON.stringify(text));
    position = end;
  }
  return parts.join('') + json.slice(position);
}
