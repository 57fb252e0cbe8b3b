// The one way to the product: HTTP requests to the configured API with the caller's credential, and nowhere else.
import { createParley, type Parley } from '@parley/sdk';
import { lightFetch } from './light-fetch.ts';
import type { ToolCall } from './tool-set.ts';

export type Caller = {
  credential: string;
  signal?: AbortSignal;
  /** Tells a waiting client that there is still somebody here. */
  progress?(done: number, total: number, message: string): Promise<void>;
  /** Whether the person behind the client says that the recipient agreed; null when nobody can be asked. */
  consent?: 'given' | 'refused' | null;
};

export type Fields = Record<string, unknown>;

/** `scopes` of the credential, where the API tells them. */
export type ApiAnswer = { body: Fields; was_replayed: boolean; scopes?: string[] };

export type Api = {
  call(
    credential: string,
    call: Pick<ToolCall, 'method' | 'path' | 'params' | 'input'>,
    fields: Fields,
    options?: { idempotency_key?: string; signal?: AbortSignal; timeout_ms?: number },
  ): Promise<ApiAnswer>;
};

export function makeApi(options: { base_url: string }): Api {
  // An empty key: what this process may have in its environment never goes out in place of the caller's.
  const parley: Pick<Parley, 'request'> = createParley({
    ...options,
    api_key: '',
    timeout_ms: 58_000,
    fetch: lightFetch(),
  });
  return {
    async call(credential, { method, path, params, input }, fields, request = {}) {
      const rest = { ...fields };
      let place = path;
      for (const name of params) {
        place = place.replace(`{${name}}`, encodeURIComponent(String(rest[name])));
        delete rest[name];
      }
      const answer = await parley.request(method, place, bodyOf(input, rest), {
        ...request,
        headers: { authorization: `Bearer ${credential}` },
      });
      const body = answer.status === 204 ? { done: true } : ((await answer.json()) as ApiAnswer['body']);
      const scopes = answer.headers.get('x-oauth-scopes')?.split(', ');
      const was_replayed = answer.headers.get('idempotent-replayed') === 'true';
      return { body, was_replayed, ...(scopes ? { scopes } : {}) };
    },
  };
}

function bodyOf(input: ToolCall['input'], fields: Record<string, unknown>): unknown {
  if (input === null) return undefined;
  if (input !== 'upload') return fields;
  const { filename, content_base64, content_type } = fields as Record<string, string | undefined>;
  const form = new FormData();
  const type = content_type ?? 'application/octet-stream';
  form.append('file', new Blob([Buffer.from(content_base64!, 'base64')], { type }), filename);
  return form;
}
