// Connects agent clients to the MCP server: prints or writes their configuration, or is the server itself over stdio.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParleyError } from '@parley/sdk';
import { type Command, Option } from 'commander';
import { exit } from './output.ts';
import { surroundings } from './surroundings.ts';

type Entry = Record<string, unknown>;
type ClientKind = {
  /** The file it reads, from the user's home or the project's folder. */
  file(): string;
  /** Below which name the servers stand in that file. */
  section: string;
  entry(place: { url: string; base_url: string }): Entry;
};

const home = () => process.env.HOME ?? homedir();
const bin = fileURLToPath(new URL('../bin/parley.js', import.meta.url));
const by_url = ({ url }: { url: string }): Entry => ({ url });

/** Keys never go into these files: the server over HTTP asks nobody or by OAuth, and over stdio the stored key is used. */
const clients: Record<string, ClientKind> = {
  'claude-code': {
    file: () => join(process.cwd(), '.mcp.json'),
    section: 'mcpServers',
    entry: ({ url }) => ({ type: 'http', url }),
  },
  'claude-desktop': {
    file: desktopFile,
    section: 'mcpServers',
    entry: ({ base_url }) => ({
      command: process.execPath,
      args: [bin, 'mcp', 'serve', '--base-url', base_url],
    }),
  },
  cursor: { file: () => join(home(), '.cursor', 'mcp.json'), section: 'mcpServers', entry: by_url },
  vscode: {
    file: () => join(process.cwd(), '.vscode', 'mcp.json'),
    section: 'servers',
    entry: ({ url }) => ({ type: 'http', url }),
  },
  windsurf: {
    file: () => join(home(), '.codeium', 'windsurf', 'mcp_config.json'),
    section: 'mcpServers',
    entry: ({ url }) => ({ serverUrl: url }),
  },
};

function desktopFile(): string {
  const name = 'claude_desktop_config.json';
  if (process.platform === 'darwin') return join(home(), 'Library', 'Application Support', 'Claude', name);
  if (process.platform === 'win32')
    return join(process.env.APPDATA ?? join(home(), 'AppData', 'Roaming'), 'Claude', name);
  return join(process.env.XDG_CONFIG_HOME ?? join(home(), '.config'), 'Claude', name);
}

/** Beside the API on its own port, unless somebody says otherwise. */
function mcpUrl(given: string | undefined, base_url: string): string {
  if (given) return given;
  const url = new URL(base_url);
  return `${url.protocol}//${url.hostname}:8081/mcp`;
}

export function addMcpCommands(program: Command): void {
  const mcp = program.command('mcp').description('The tools for agent clients');
  const kinds = Object.keys(clients);
  const address = () => new Option('--url <url>', 'The MCP server; default: port 8081 beside the API');
  const kindOf = (name: string): ClientKind => {
    const kind = clients[name];
    if (!kind) throw new ParleyError(`There is no client ${name}. Choose from: ${kinds.join(', ')}`);
    return kind;
  };

  mcp
    .command('config <client>')
    .description(`Print the configuration for a client: ${kinds.join(', ')}`)
    .addOption(address())
    .action((name: string, options: { url?: string }, command: Command) => {
      const { output, base_url } = surroundings(command);
      const { section, entry } = kindOf(name);
      const made = { [section]: { parley: entry({ url: mcpUrl(options.url, base_url), base_url }) } };
      if (output.is_json) output.record(made);
      else output.text(JSON.stringify(made, null, 2));
    });

  mcp
    .command('install <client>')
    .description(`Write the configuration into the client's file: ${kinds.join(', ')}`)
    .addOption(address())
    .action((name: string, options: { url?: string }, command: Command) => {
      const { output, base_url } = surroundings(command);
      const kind = kindOf(name);
      const file = kind.file();
      merge(file, kind.section, kind.entry({ url: mcpUrl(options.url, base_url), base_url }), name);
      output.progress(`Restart ${name} to see the tools.`);
      output.record({ client: name, file });
    });

  mcp
    .command('serve')
    .description('Be the MCP server over standard input and output, with the stored key')
    .option('--toolsets <names>', 'Which tools: default, all, or nouns, separated by commas', 'default')
    .option('--read-only', 'Only tools that change nothing')
    .action(async (options: { toolsets: string; readOnly?: true }, command: Command) => {
      const { base_url, api_key } = surroundings(command);
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

/** Leaves everything else in the file as it is; a file that cannot be read is not touched. */
function merge(file: string, section: string, entry: Entry, client: string): void {
  let content: Record<string, Entry> = {};
  if (existsSync(file)) {
    try {
      content = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      throw new ParleyError(
        `${file} is not plain JSON; it was left as it is. Add by hand what this prints: parley mcp config ${client}`,
      );
    }
  }
  const whole = { ...content, [section]: { ...content[section], parley: entry } };
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(whole, null, 2)}\n`);
  renameSync(draft, file);
}
