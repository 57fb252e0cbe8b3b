// Opens and seals what a tool keeps secret. The text is bound to the row: copied to another tool it does not open.
import type { Sealer } from '../../../platform/crypto.ts';
import { type SigningKey, signingKey } from '../../../protocols/webhook-signature.ts';
import type { StoredTool } from './store.ts';

type Ref = { organization_id: string; id: string };

// Authenticated with the sealed texts: changing one makes stored values unreadable.
const headersContext = ({ organization_id, id }: Ref) => `tool headers|${organization_id}|${id}`;
const secretContext = ({ organization_id, id }: Ref) => `tool secret|${organization_id}|${id}`;

export const sealHeaders = (sealer: Sealer, tool: Ref, headers: Record<string, string>): string | null =>
  Object.keys(headers).length === 0 ? null : sealer.seal(JSON.stringify(headers), headersContext(tool));

export const sealSecret = (sealer: Sealer, tool: Ref, secret: string): string =>
  sealer.seal(secret, secretContext(tool));

export const openHeaders = (sealer: Sealer, tool: StoredTool): Record<string, string> =>
  tool.headers_sealed === null
    ? {}
    : JSON.parse(sealer.open(tool.headers_sealed, headersContext(tool)).toString());

/** The current key, and the previous one while it is valid. */
export function signingKeys(sealer: Sealer, tool: StoredTool, now: Date): SigningKey[] {
  const is_overlapping =
    tool.previous_secret_expires_at !== null && new Date(tool.previous_secret_expires_at) > now;
  const sealed = [tool.secret_sealed, ...(is_overlapping ? [tool.previous_secret_sealed!] : [])];
  return sealed.map((each) => signingKey(sealer.open(each, secretContext(tool)).toString()));
}
