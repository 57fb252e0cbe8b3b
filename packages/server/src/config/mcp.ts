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
    default_note: 'none; beside an API in managed mode: that one',
    meaning:
      'OAuth mode: the issuers whose tokens callers of the MCP server bring, separated by commas. The API judges the tokens.',
  }),
  PARLEY_MCP_KEY: text({
    default: null,
    default_note: 'none; beside an API with a shared key: that key, on loopback only',
    meaning:
      'Static-key mode: callers of the MCP server are not asked who they are, and this key is used for all of them.',
    secret: true,
  }),
  PARLEY_MCP_TOOLSETS: list({
    default: ['default'],
    meaning: 'Which tools are offered: default, all, or nouns such as contacts, webhooks.',
  }),
  PARLEY_MCP_READ_ONLY: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning: 'Whether the MCP server leaves out every tool that sends or changes anything.',
  }),
} as const;

/** Where clients find the MCP server, and what they bring. */
export type McpAccess = { url: string; auth: 'oauth' | 'key' | 'none' };

/** Null where neither this process nor a setting knows the address. `listening` is the address in this process. */
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

/** Where callers reach the MCP server, known before it listens unless it may take any port. */
export const mcpUrl = (config: {
  MCP_HOST: string;
  MCP_PORT: number;
  PARLEY_MCP_URL: string | null;
}): string =>
  config.PARLEY_MCP_URL ??
  `http://${config.MCP_HOST.includes(':') ? `[${config.MCP_HOST}]` : config.MCP_HOST}:${config.MCP_PORT}/mcp`;
