// The credentials of the command line: a file of the user, overridden by environment variables and options.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export type Stored = { base_url: string; api_key: string };

type Environment = Record<string, string | undefined>;

/** $XDG_CONFIG_HOME/parley/credentials.json, or the matching path on Windows. */
export function credentialsFile(environment: Environment = process.env): string {
  const base =
    environment.XDG_CONFIG_HOME ??
    (process.platform === 'win32' ? environment.APPDATA : undefined) ??
    join(environment.HOME ?? homedir(), '.config');
  return join(base, 'parley', 'credentials.json');
}

export function readStored(environment: Environment = process.env): Stored | null {
  try {
    const stored = JSON.parse(readFileSync(credentialsFile(environment), 'utf8'));
    return typeof stored?.api_key === 'string' && typeof stored?.base_url === 'string' ? stored : null;
  } catch {
    return null;
  }
}

/** Writes a temporary file and renames it, so that a reader never sees a partial file. Readable by the user only. */
export function writePrivately(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

export function store(stored: Stored, environment: Environment = process.env): string {
  const file = credentialsFile(environment);
  writePrivately(file, `${JSON.stringify(stored, null, 2)}\n`);
  return file;
}

export function forget(environment: Environment = process.env): boolean {
  const had = readStored(environment) !== null;
  rmSync(credentialsFile(environment), { force: true });
  return had;
}

const default_base_url = 'http://127.0.0.1:8080';

/**
 * Options override the environment, and the environment overrides the file. The stored key is sent only to its own
 * server.
 */
export function connection(
  flags: { apiKey?: string; baseUrl?: string },
  environment: Environment = process.env,
): { base_url: string; api_key: string | null } {
  const stored = readStored(environment);
  const base_url = flags.baseUrl ?? environment.PARLEY_URL ?? stored?.base_url ?? default_base_url;
  const stored_key = stored?.base_url === base_url ? stored.api_key : null;
  return { base_url, api_key: flags.apiKey ?? environment.PARLEY_API_KEY ?? stored_key };
}
