// Texts with {{name}} and {{name|fallback}}: which names they use, and their form with values. There is no other syntax.

export type TemplateValues = Readonly<Record<string, string | number | boolean | null>>;

/** Bounded repetitions without overlap, so that any text is read in one pass. */
const placeholder = /\{\{ {0,3}([a-z][a-z0-9_]{0,39}) {0,3}(?:\|([^{}]{0,500}))?\}\}/g;

/** Values are inserted once: a {{name}} inside a value stays as it is. A name without value and fallback stays too. */
export function renderText(text: string, values: TemplateValues): string {
  if (!text.includes('{{')) return text;
  return text.replaceAll(placeholder, (whole, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return fallback ?? whole;
    return value === null || value === '' ? (fallback ?? '') : String(value);
  });
}

/** The names without a fallback for which `isKnown` is false, each once. */
export function missingNames(text: string, isKnown: (name: string) => boolean): string[] {
  if (!text.includes('{{')) return [];
  const missing = [...text.matchAll(placeholder)]
    .filter(([, name, fallback]) => fallback === undefined && !isKnown(name!))
    .map(([, name]) => name!);
  return [...new Set(missing)];
}

export const usesName = (text: string, name: string): boolean =>
  text.includes('{{') && [...text.matchAll(placeholder)].some((match) => match[1] === name);

/** Renders every string inside a JSON value. */
export function renderJson(value: unknown, values: TemplateValues): unknown {
  if (typeof value === 'string') return renderText(value, values);
  if (Array.isArray(value)) return value.map((inner) => renderJson(inner, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renderJson(inner, values)]));
}

/** Every string inside a JSON value, with its path. */
export function textsIn(value: unknown, path: string): { path: string; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((inner, index) => textsIn(inner, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, `${path}.${key}`));
}
