// How the MCP server authenticates its callers: by a token, by a key of the API, or not at all.

export type Mode =
  /** Callers send a token, which is forwarded to the API for validation. */
  | { kind: 'oauth'; authorization_servers: readonly string[] }
  /** Callers send a key of the API, which validates it. The default next to an API with a shared key. */
  | { kind: 'key' }
  /** Callers are not authenticated; every request to the API uses this key. */
  | { kind: 'static'; key: string };

export class ModeError extends Error {
  override name = 'ModeError';
  readonly code: 'mcp_mode_ambiguous' | 'mcp_not_configured';

  constructor(code: ModeError['code'], message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/**
 * Exactly one must be configured: choosing between "authenticate everyone" and "authenticate no one" by a guess is
 * dangerous.
 */
export function chooseMode(options: { key: string | null; authorization_servers: readonly string[] }): Mode {
  const { key, authorization_servers } = options;
  if (key !== null && authorization_servers.length > 0)
    throw new ModeError(
      'mcp_mode_ambiguous',
      'The MCP server has both a key and authorization servers. Set PARLEY_MCP_KEY (static-key mode) or PARLEY_MCP_AUTHORIZATION_SERVERS (OAuth mode), not both.',
    );
  if (authorization_servers.length > 0) return { kind: 'oauth', authorization_servers };
  if (key !== null) return { kind: 'static', key };
  throw new ModeError(
    'mcp_not_configured',
    'The MCP server has no authentication mode. Set PARLEY_MCP_AUTHORIZATION_SERVERS (OAuth mode) or PARLEY_MCP_KEY (static-key mode), or remove mcp from PARLEY_ROLES.',
  );
}
