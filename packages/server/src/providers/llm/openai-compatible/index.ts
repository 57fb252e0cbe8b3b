// LLM vendor for any endpoint with the chat completions protocol: streaming, with tools.
import type { Dispatcher } from 'undici';
import type { Llm } from '../llm.ts';
import { streamReply } from '../stream-reply.ts';
import { readCompletion, readEvents } from './read-completion.ts';
import { requestBody } from './request-body.ts';
import type { OpenAiCompatibleSettings } from './settings.ts';

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
