// Connects agent clients to the MCP server: prints or writes their configuration, or runs the server over stdio.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParleyError } from '@parley/sdk';
import { type Command, Option } from 'commander';
import { commandContext } from './command-context.ts';
import { readStored, store } from './credentials.ts';
import { exit } from './output.ts';

type Entry = Record<string, unknown>;
type Scope = 'user' | 'project';
type ClientKind = {
  /** The configuration file for the whole account or for one project; null if the client has none. */
  file(scope: Scope): string | null;
  /** The key of the server list in that file. */
  section: string;
  /** The entry for a server at a URL; null if the client can only start programs. */
  remote: ((url: string) => Entry) | null;
  /** For clients that distinguish programs and URLs. */
  program_type?: 'stdio';
};

const home = () => process.env.HOME ?? homedir();
const bin = fileURLToPath(new URL('../bin/parley.js', import.meta.url));

const clients: Record<string, ClientKind> = {
  'claude-code': {
    file: (scope) => (scope === 'project' ? join(process.cwd(), '.mcp.json') : join(home(), '.claude.json')),
    section: 'mcpServers',
    remote: (url) => ({ type: 'http', url }),
    program_type: 'stdio',
  },
  'claude-desktop': {
    file: (scope) =>
      scope === 'project' ? null : join(applicationFolder(), 'Claude', 'claude_desktop_config.json'),
    section: 'mcpServers',
    remote: null,
  },
  cursor: {
    file: (scope) => join(scope === 'project' ? process.cwd() : home(), '.cursor', 'mcp.json'),
    section: 'mcpServers',
    remote: (url) => ({ url }),
  },
  vscode: {
    file: (scope) =>
      scope === 'project'
        ? join(process.cwd(), '.vscode', 'mcp.json')
        : join(applicationFolder(), 'Code', 'User', 'mcp.json'),
    section: 'servers',
    remote: (url) => ({ type: 'http', url }),
    program_type: 'stdio',
  },
  windsurf: {
    file: (scope) => (scope === 'project' ? null : join(home(), '.codeium', 'windsurf', 'mcp_config.json')),
    section: 'mcpServers',
    remote: (url) => ({ serverUrl: url }),
  },
};

/** The folder for the settings of a user. */
function applicationFolder(): string {
  if (process.platform === 'darwin') return join(home(), 'Library', 'Application Support');
  if (process.platform === 'win32') return process.env.APPDATA ?? join(home(), 'AppData', 'Roaming');
  return process.env.XDG_CONFIG_HOME ?? join(home(), '.config');
}

type Access = { url: string; auth: 'oauth' | 'key' | 'none' };

/** Queries the server for the URL of its MCP server and its authentication; `known_url` is a URL that needs no query. */
async function mcpAccess(base_url: string, known_url: string | undefined): Promise<Access> {
  const response = await fetch(`${base_url}/.well-known/parley.json`, {
    signal: AbortSignal.timeout(discovery_timeout_ms),
  }).catch(() => null);
  const access = response?.ok ? ((await response.json()) as { mcp: Access | null }).mcp : null;
  if (known_url !== undefined) return { url: known_url, auth: access?.auth ?? 'oauth' };
  if (access) return access;
  throw new ParleyError(
    response?.ok
      ? `${base_url} has no MCP server URL. Pass it with --url, or set PARLEY_MCP_URL on the server.`
      : `${base_url} cannot be queried for its MCP server. Check that it runs, select another with --base-url, or pass the MCP server with --url.`,
  );
}
const discovery_timeout_ms = 5000;

/**
 * If the server needs a key, the client starts `parley mcp serve` with the stored key, so that no key is in the
 * client's file. Otherwise the entry is the URL.
 */
function entryFor(kind: ClientKind, access: Access, base_url: string): { entry: Entry; needs_key: boolean } {
  if (kind.remote && access.auth !== 'key') return { entry: kind.remote(access.url), needs_key: false };
  const type = kind.program_type ? { type: kind.program_type } : {};
  const args = [bin, 'mcp', 'serve', '--base-url', base_url];
  return { entry: { ...type, command: process.execPath, args }, needs_key: true };
}

export function addMcpCommands(program: Command): void {
  const mcp = program.command('mcp').description('Connect agent clients to the MCP server');
  const kinds = Object.keys(clients);
  const address = () => new Option('--url <url>', 'The MCP server. Default: the one that the server reports');
  const kindOf = (name: string): ClientKind => {
    const kind = clients[name];
    if (!kind) throw new ParleyError(`Unknown client ${name}. Choose from: ${kinds.join(', ')}`);
    return kind;
  };

  mcp
    .command('config <client>')
    .description(`Print the configuration for a client: ${kinds.join(', ')}`)
    .addOption(address())
    .action(async (name: string, options: { url?: string }, command: Command) => {
      const { output, base_url } = commandContext(command);
      const kind = kindOf(name);
      const { entry } = entryFor(kind, await mcpAccess(base_url, options.url), base_url);
      const config = { [kind.section]: { parley: entry } };
      if (output.is_json) output.record(config);
      else output.text(JSON.stringify(config, null, 2));
    });

  mcp
    .command('install <client>')
    .description(`Write the configuration into the client's file: ${kinds.join(', ')}`)
    .addOption(address())
    .option('--project', 'For the project in this folder instead of the whole account')
    .action(install);

  async function install(name: string, options: { url?: string; project?: true }, command: Command) {
    const { output, base_url, api_key, parley } = commandContext(command);
    const kind = kindOf(name);
    const file = kind.file(options.project ? 'project' : 'user');
    if (file === null) throw new ParleyError(`${name} has no project settings: leave out --project.`);
    const { entry, needs_key } = entryFor(kind, await mcpAccess(base_url, options.url), base_url);
    if (needs_key && api_key === null) {
      process.stderr.write(
        'The tools need a key for this server. Run: parley auth set - < data/shared-key (or parley login)\n',
      );
      process.exitCode = exit.not_logged_in;
      return;
    }
    merge(file, kind.section, entry, name);
    if (needs_key && readStored()?.api_key !== api_key) {
      // The client starts the tools without the environment of this shell, so the key must be in the file.
      await parley.identity.whoami();
      output.progress(
        `The key is stored in ${store({ base_url, api_key: api_key! })}, readable only by you.`,
      );
    }
    output.progress(`Restart ${name} to see the tools.`);
    output.record({ client: name, file });
  }

  mcp
    .command('serve')
    .description('Run the MCP server over standard input and output, with the stored key')
    .option('--toolsets <names>', 'Which tools: default, all, or nouns, separated by commas', 'default')
    .option('--read-only', 'Only tools that change nothing')
    .action(async (options: { toolsets: string; readOnly?: true }, command: Command) => {
      const { base_url, api_key } = commandContext(command);
      if (api_key === null) {
        process.stderr.write('No key for this server. Run: parley login (or set PARLEY_API_KEY)\n');
        process.exitCode = exit.not_logged_in;
        return;
      }
      const { serveMcpOverStdio } = await import('@parley/mcp');
      await serveMcpOverStdio({
        api_url: base_url,
        key: api_key,
        toolsets: options.toolsets.split(','),
        read_only: options.readOnly === true,
        onError: (error) => process.stderr.write(`${error.message}\n`),
      });
    });
}

/**
 * Keeps all other settings in the file, and its mode: keys of other servers may be in it. A symbolic link stays one. A file
 * that cannot be parsed is not changed.
 */
function merge(file: string, section: string, entry: Entry, client: string): void {
  let content: Record<string, Entry> = {};
  const exists = existsSync(file);
  if (exists) {
    try {
      content = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      throw new ParleyError(
        `${file} is not plain JSON and was not changed. Add this by hand: parley mcp config ${client}`,
      );
    }
  }
  const whole = { ...content, [section]: { ...content[section], parley: entry } };
  mkdirSync(dirname(file), { recursive: true });
  const target = exists ? realpathSync(file) : file;
  const mode = exists ? statSync(target).mode & 0o777 : 0o600;
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(whole, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, mode);
  renameSync(draft, target);
}
