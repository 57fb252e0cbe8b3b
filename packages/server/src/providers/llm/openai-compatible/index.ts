// LLM vendor for any endpoint with the chat completions protocol: streaming, with tools.
import type { Dispatcher } from 'undici';
import type { Llm } from '../llm.ts';
import { streamReply } from '../stream-reply.ts';
import { readCompletion, readEvents } from './read-completion.ts';
import { requestBody } from './request-body.ts';

export type OpenAiCompatibleSettings = {
  /** Including the version: https://api.openai.com/v1 */
  base_url: string;
  api_key: string | null;
  model: string;
  /** Default: authorization. */
  auth_header?: AuthHeader;
  /** Whether the endpoint enforces `response_format: json_schema`. Default: true. */
  structured_output?: boolean;
  /** Whether to ask for the number of tokens with `stream_options`. Default: true. */
  include_usage?: boolean;
  /** The name of the field that limits the reply. Default: max_tokens. */
  max_tokens_field?: 'max_tokens' | 'max_completion_tokens';
};
export type AuthHeader = 'authorization' | 'api-key';

export const authorization = (api_key: string, auth_header: unknown): Record<string, string> =>
  auth_header === 'api-key' ? { 'api-key': api_key } : { authorization: `Bearer ${api_key}` };

/** `agent` must be a guarded one when a user supplied the address. `name`: of a preset. */
export function openAiCompatibleLlm(deps: {
  agent: Dispatcher;
  name?: string;
  settings: OpenAiCompatibleSettings;
}): Llm {
  const { agent, name = 'openai-compatible', settings } = deps;
  const url = new URL(`${settings.base_url.replace(/\/+$/, '')}/chat/completions`);

  return {
    name,
    model: settings.model,
    capabilities: { tools: true, structured: settings.structured_output ?? true },
    reply: (request) =>
      streamReply(
        agent,
        {
          url,
          headers: settings.api_key ? authorization(settings.api_key, settings.auth_header) : {},
          body: requestBody(request, settings),
          signal: request.signal,
        },
        { readEvents, readWhole: readCompletion },
      ),
  };
}
