// Sends HTTP requests to the configured API with the caller's credential. Nothing else in this package connects to a
// server.
import { ApiError, createParley, type Parley, TimeoutError } from '@parley/sdk';
import { pooledFetch } from './pooled-fetch.ts';
import type { ToolCall } from './tool-set.ts';
import type { TraceHeaders } from './trace.ts';

export type Caller = {
  credential: string;
  signal?: AbortSignal;
  /** Reports progress to a waiting client, so that it does not time out. */
  progress?(done: number, total: number, message: string): Promise<void>;
  /** Whether the user of the client confirmed that the recipient agreed; null if the client cannot ask its user. */
  consent?: 'given' | 'refused' | null;
  trace?: TraceHeaders;
};

export type Fields = Record<string, unknown>;

/** What every request of a tool call takes from its caller. */
export const requestOptions = ({ signal, trace }: Caller) => ({
  ...(signal ? { signal } : {}),
  ...(trace ? { trace } : {}),
});

/** `scopes` of the credential, if the API returns them. */
export type ApiResponse = { body: Fields; was_replayed: boolean; scopes?: string[] };

export type Api = {
  call(
    credential: string,
    call: Pick<ToolCall, 'method' | 'path' | 'params' | 'input'>,
    fields: Fields,
    options?: {
      idempotency_key?: string;
      signal?: AbortSignal;
      max_retries?: number;
      trace?: TraceHeaders;
      headers?: Record<string, string>;
    },
  ): Promise<ApiResponse>;
};

/** Less than the 60 seconds after which clients give up: nothing is sent for a client that no longer waits. */
const request_timeout_ms = 58_000;

/** `uses_pool` replaces `fetch` by the cheaper `pooledFetch`. `timeout_ms` limits all attempts of a request together. */
export function makeApi(options: { base_url: string; uses_pool?: boolean; timeout_ms?: number }): Api {
  const { timeout_ms = request_timeout_ms } = options;
  // An empty key: a key from the environment of this process is never sent in place of the caller's.
  const parley: Pick<Parley, 'request'> = createParley({
    base_url: options.base_url,
    api_key: '',
    ...(options.uses_pool && { fetch: pooledFetch() }),
  });
  return {
    async call(credential, { method, path, params, input }, fields, { trace, headers, ...request } = {}) {
      const rest = { ...fields };
      let url = path;
      for (const name of params) {
        url = url.replace(`{${name}}`, encodeURIComponent(String(rest[name])));
        delete rest[name];
      }
      const deadline = AbortSignal.timeout(timeout_ms);
      const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
      try {
        const response = await parley.request(method, url, bodyOf(input, rest), {
          ...request,
          signal,
          headers: { ...headers, ...trace, authorization: `Bearer ${credential}` },
        });
        const body = response.status === 204 ? { done: true } : await recordOf(response);
        const scopes = response.headers.get('x-oauth-scopes')?.split(', ');
        const was_replayed = response.headers.get('idempotent-replayed') === 'true';
        return { body, was_replayed, ...(scopes ? { scopes } : {}) };
      } catch (error) {
        if (error !== deadline.reason || !deadline.aborted) throw error;
        throw new TimeoutError(`No response within ${timeout_ms} ms`, { cause: error });
      }
    },
  };
}

async function recordOf(response: Response): Promise<Fields> {
  try {
    return (await response.json()) as Fields;
  } catch (error) {
    // A page of a proxy, not a response of the API.
    throw error instanceof SyntaxError ? new ApiError(response.status, response.headers, null) : error;
  }
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
