// Reads settings from the environment by a declared table, and reports all problems together.
import { readFileSync } from 'node:fs';

export type Setting<T = unknown> = {
  /** Reads the text; throws an Error that says what was expected. */
  read(text: string): T;
  /** Null means "not set". */
  default: T | null;
  /** How documentation shows the default, where it is not a plain value. */
  default_note?: string;
  meaning: string;
  secret?: true;
};

export type SettingsTable = Record<string, Setting>;
export type SettingsOf<T extends SettingsTable> = {
  [Name in keyof T]: T[Name] extends Setting<infer Value>
    ? Value | (T[Name]['default'] extends null ? null : never)
    : never;
};

type Rest<T> = { default: T | null; default_note?: string; meaning: string; secret?: true };

export const text = <const D extends string | null>(rest: Rest<string> & { default: D }) => ({
  ...rest,
  read: (value: string) => value,
});

export const integer = <const D extends number | null>(
  rest: Rest<number> & { default: D; min: number; max: number },
) => ({
  ...rest,
  read(value: string) {
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || number < rest.min || number > rest.max) {
      throw new Error(`expected a whole number from ${rest.min} to ${rest.max}`);
    }
    return number;
  },
});

export const choice = <const C extends string, const D extends C | null>(
  rest: Rest<C> & { default: D; of: readonly C[] },
) => ({
  ...rest,
  read(value: string): C {
    if (!rest.of.includes(value as C)) throw new Error(`expected one of ${rest.of.join(', ')}`);
    return value as C;
  },
});

export const choices = <const C extends string>(rest: Rest<C[]> & { default: C[]; of: readonly C[] }) => ({
  ...rest,
  read(value: string): C[] {
    const parts = value.split(',').map((part) => part.trim());
    const wrong = parts.filter((part) => !rest.of.includes(part as C));
    if (wrong.length > 0)
      throw new Error(`expected a comma-separated list of ${rest.of.join(', ')}; not ${wrong.join(', ')}`);
    return parts as C[];
  },
});

/** Several values separated by commas. */
export const list = (rest: Rest<string[]> & { default: string[] }) => ({
  ...rest,
  read: (value: string) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
});

/** Removes a trailing slash so that paths can be appended; `verbatim` keeps it for values that are compared exactly. */
export const url = <const D extends string | null>(
  rest: Rest<string> & { default: D; protocols: readonly string[]; verbatim?: true },
) => ({
  ...rest,
  read(value: string) {
    if (!URL.canParse(value) || !rest.protocols.includes(new URL(value).protocol)) {
      throw new Error(
        `expected an address starting with ${rest.protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    }
    return rest.verbatim ? value : value.replace(/\/$/, '');
  },
});

export class SettingsError extends Error {
  override name = 'SettingsError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The settings have ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

/**
 * An empty variable counts as not set. An unknown name with this prefix is an error, because it is likely a typo, unless
 * it is in `ignored`: names that the clients read.
 */
export function readSettings<T extends SettingsTable>(
  table: T,
  environment: Record<string, string | undefined>,
  prefix: string,
  ignored: Record<string, unknown> = {},
): SettingsOf<T> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const file_names = secretFileNames(table);
  for (const [name, setting] of Object.entries(table)) {
    values[name] = setting.default;
    let source = name;
    try {
      let value = environment[name];
      const file_name = file_names.get(name);
      const path = file_name && environment[file_name];
      if (file_name && path) {
        if (value) throw new Error(`set either it or ${file_name}, not both`);
        source = file_name;
        value = readSecret(path);
      }
      if (value) values[name] = setting.read(value);
    } catch (error) {
      const value_text = setting.secret ? '' : `; it is "${environment[name]}"`;
      problems.push(`${source}: ${(error as Error).message}${value_text}`);
    }
  }
  const files = new Set(file_names.values());
  for (const name of Object.keys(environment)) {
    if (name.startsWith(prefix) && !(name in table) && !(name in ignored) && !files.has(name))
      problems.push(`${name}: there is no such setting${nearNames(name, Object.keys(table))}`);
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return values as SettingsOf<T>;
}

/** Each secret may be in a file, whose path is in this variable. A setting of the same name has its own meaning. */
export const secretFileNames = (table: SettingsTable): Map<string, string> =>
  new Map(
    Object.entries(table)
      .filter(([name, { secret }]) => secret && !(`${name}_FILE` in table))
      .map(([name]) => [name, `${name}_FILE`]),
  );

/** Editors and `echo` end a file with a line end that is not part of the secret. */
function readSecret(path: string): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const secret = content.replace(/\r?\n$/, '');
  if (secret === '') throw new Error('the file is empty');
  return secret;
}

/** The settings that share most words with an unknown name. */
function nearNames(name: string, known: readonly string[]): string {
  const words = new Set(name.split('_'));
  const similarity = (other: string) => {
    const other_words = other.split('_');
    const shared = other_words.filter((word) => words.has(word)).length;
    return shared / (words.size + other_words.length - shared);
  };
  const near = known
    .filter((other) => similarity(other) >= 0.5)
    .sort((a, b) => similarity(b) - similarity(a))
    .slice(0, 3);
  return near.length > 0 ? `; similar names: ${near.join(', ')}` : '';
}

const valueText = (setting: Setting): string =>
  setting.default_note ??
  (setting.default === null
    ? 'none'
    : Array.isArray(setting.default)
      ? setting.default.join(',') || 'none'
      : String(setting.default));

export const envExample = (table: SettingsTable): string =>
  `# Every setting of the service with its default. Copy to .env and change what you need.\n# A secret may also be in a file: set NAME_FILE to its path instead of NAME.\n${Object.entries(
    table,
  )
    .map(([name, setting]) => `\n# ${setting.meaning}\n# Default: ${valueText(setting)}\n# ${name}=\n`)
    .join('')}`;

export const settingsPage = (table: SettingsTable, client_variables: Record<string, string>): string =>
  `# Settings\n\nRead from the environment (or \`.env\`) at start. Every problem is listed at once.\nA secret may also be in a file: set \`NAME_FILE\` to its path instead of \`NAME\`, as with secrets of Docker and Kubernetes.\n\n| name | default | meaning |\n|---|---|---|\n${Object.entries(
    table,
  )
    .map(
      ([name, setting]) =>
        `| \`${name}\` | ${valueText(setting)} | ${setting.meaning}${setting.secret ? ' Secret.' : ''} |\n`,
    )
    .join('')}
## Variables of the clients

Read by the SDK and the command line, ignored by the server.

| name | meaning |
|---|---|
${Object.entries(client_variables)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |\n`)
  .join('')}`;

/** For the log at start: secrets only as set or not set. */
export const describeSettings = <T extends SettingsTable>(
  table: T,
  values: SettingsOf<T>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(table).map(([name, setting]) => [
      name,
      setting.secret ? (values[name as keyof T] === null ? 'not set' : 'set') : values[name as keyof T],
    ]),
  );
