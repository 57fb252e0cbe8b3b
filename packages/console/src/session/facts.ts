// Settings that the server embeds in the page: URLs and the sign-in methods.
export type Facts = {
  base_url: string;
  mcp_url: string;
  /** How clients authenticate at the MCP server. */
  mcp_auth: 'oauth' | 'key' | 'none';
  is_managed: boolean;
  has_shared_key: boolean;
  is_sandbox: boolean;
  /** The server knows no page with this address. */
  is_not_found: boolean;
  /** How the command line is called where this server is installed. */
  command: string;
};

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const facts: Facts = JSON.parse(meta('parley-facts'));
/** The CSP nonce for style elements of components. */
export const style_nonce = meta('csp-nonce');
