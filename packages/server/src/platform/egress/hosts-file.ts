// Reads the hosts file of the operating system, which an own resolver would otherwise pass over. It is read again when it changes.
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

const max_age_ms = 2000;
const max_bytes = 16 * 1024 * 1024;

const system_path = (): string =>
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/** The addresses of each name. */
type Hosts = ReadonlyMap<string, readonly string[]>;

export function hostsFile(path = system_path()) {
  let hosts: Hosts = new Map();
  let changed = '';
  let looked_at = -Infinity;

  const load = async (): Promise<Hosts> => {
    if (performance.now() - looked_at < max_age_ms) return hosts;
    try {
      const { mtimeMs, size } = await stat(path);
      if (`${mtimeMs} ${size}` !== changed) {
        hosts = size > max_bytes ? new Map() : readHosts(await readFile(path, 'utf8'));
        changed = `${mtimeMs} ${size}`;
      }
    } catch {
      // Without the file, or without the right to read it, no name is in it.
      [hosts, changed] = [new Map(), ''];
    }
    looked_at = performance.now();
    return hosts;
  };

  return {
    /** Empty for a name that is not in the file. */
    find: async (name: string): Promise<readonly string[]> =>
      (await load()).get(name.toLowerCase().replace(/\.$/, '')) ?? [],
  };
}

function readHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, '');
      const addresses = hosts.get(key);
      if (!addresses) hosts.set(key, [address]);
      else if (!addresses.includes(address)) addresses.push(address);
    }
  }
  return hosts;
}
