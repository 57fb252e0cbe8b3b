// Checks and completes the metadata of a client that registers itself (RFC 7591).
import { limits } from '@parley/contract/limits';
import { hasControls } from '../account-rules.ts';
import { parseObject } from './protocol-http.ts';

/** Users decide by the name, so it must not imitate another one. Null when it is valid. */
export function clientProblem(client: Record<string, unknown>): string | null {
  const { client_name: name } = client;
  if (name === undefined) return null;
  if (typeof name !== 'string' || name.length > limits.name_chars)
    return `client_name has at most ${limits.name_chars} characters`;
  return hasControls(name) ? 'client_name has control or bidirectional characters' : null;
}

/** A program with a redirect to this machine is a native one, but most clients do not send that. */
export function withApplicationType(text: string): string {
  const client = parseObject(text);
  const { redirect_uris, application_type } = client;
  if (application_type !== undefined || !Array.isArray(redirect_uris)) return text;
  const isLocal = (uri: unknown) => {
    const url = typeof uri === 'string' ? URL.parse(uri) : null;
    return url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  };
  return redirect_uris.some(isLocal) ? JSON.stringify({ ...client, application_type: 'native' }) : text;
}
