// The settings of the MCP server, which may run beside the API or as a process of its own.
import { choice, integer, list, text, url } from '../platform/settings.ts';

export const mcpSettings = {
  MCP_PORT: integer({
    default: 8081,
    min: 0,
    max: 65_535,
    meaning: 'Port of the MCP server. 0 takes any free one.',
  }),
  MCP_HOST: text({ default: '127.0.0.1', meaning: 'Address the MCP server listens on.' }),
  PARLEY_MCP_URL: url({
    default: null,
    default_note: 'from MCP_HOST and MCP_PORT, at /mcp',
    protocols: ['http:', 'https:'],
    meaning: 'The public address of the MCP server, for which tokens are issued.',
  }),
  PARLEY_MCP_AUTHORIZATION_SERVERS: list({
    default: [],
    default_note: 'none; in a process with the role api in managed mode: that API',
    meaning:
      'OAuth mode: issuers of the tokens that MCP clients send, separated by commas. The API verifies the tokens.',
  }),
  PARLEY_MCP_KEY: text({
    default: null,
    default_note: 'none',
    meaning:
      'Static-key mode: the MCP server does not authenticate its clients and calls the API with this key for all of them.',
    secret: true,
  }),
  PARLEY_MCP_TOOLSETS: list({
    default: ['default'],
    meaning: 'The tools that are offered: default, all, or nouns such as contacts, webhooks.',
  }),
  PARLEY_MCP_READ_ONLY: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning: 'Whether the MCP server leaves out every tool that sends or changes anything.',
  }),
  PARLEY_MCP_FAST_PATH: choice({
    default: 'on',
    of: ['on', 'off'],
    meaning:
      'Whether simple tool calls bypass the protocol library. Results are the same; `off` is slower and helps to find the cause of a problem.',
  }),
} as const;

/** The address of the MCP server, and which credential its clients send. */
export type McpAccess = { url: string; auth: 'oauth' | 'key' | 'none' };

/** Null where the address is unknown. `listening` is the address of the MCP server in this process. */
export function mcpAccess(
  config: {
    PARLEY_MCP_URL: string | null;
    PARLEY_MCP_KEY: string | null;
    PARLEY_MCP_AUTHORIZATION_SERVERS: string[];
    PARLEY_MANAGED: 'on' | 'off';
  },
  listening: string | null,
): McpAccess | null {
  const url = config.PARLEY_MCP_URL ?? listening;
  if (url === null) return null;
  if (config.PARLEY_MCP_KEY !== null) return { url, auth: 'none' };
  const has_issuer = config.PARLEY_MCP_AUTHORIZATION_SERVERS.length > 0 || config.PARLEY_MANAGED === 'on';
  return { url, auth: has_issuer ? 'oauth' : 'key' };
}

/** The address of the MCP server; before it listens it is wrong only when MCP_PORT is 0. */
export const mcpUrl = (config: {
  MCP_HOST: string;
  MCP_PORT: number;
  PARLEY_MCP_URL: string | null;
}): string =>
  config.PARLEY_MCP_URL ??
  `http://${config.MCP_HOST.includes(':') ? `[${config.MCP_HOST}]` : config.MCP_HOST}:${config.MCP_PORT}/mcp`;
