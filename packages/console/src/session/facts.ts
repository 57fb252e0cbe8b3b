// What the server told with the page: where things are and how people sign in.
export type Facts = {
  base_url: string;
  mcp_url: string;
  /** What clients of the MCP server bring. */
  mcp_auth: 'oauth' | 'key' | 'none';
  is_managed: boolean;
  has_shared_key: boolean;
  is_sandbox: boolean;
};

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const facts: Facts = JSON.parse(meta('parley-facts'));
/** Allows the style elements that components make. */
export const style_nonce = meta('csp-nonce');
