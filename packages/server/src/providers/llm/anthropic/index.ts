// LLM vendor for the Anthropic Messages API: streaming, with tools.
import type { Dispatcher } from 'undici';
import type { Llm } from '../llm.ts';
import { streamReply } from '../stream-reply.ts';
import { readMessage, readMessageEvents } from './read-message.ts';
import { requestBody } from './request-body.ts';

export type AnthropicSettings = {
  /** Including the version: https://api.anthropic.com/v1 */
  base_url: string;
  api_key: string | null;
  model: string;
  max_tokens: number;
};

export const anthropicHeaders = (api_key: string): Record<string, string> => ({
  'x-api-key': api_key,
  'anthropic-version': '2023-06-01',
});

/** `agent` must be a guarded one when a user supplied the address. */
export function anthropicLlm(deps: { agent: Dispatcher; settings: AnthropicSettings }): Llm {
  const { agent, settings } = deps;
  const url = new URL(`${settings.base_url.replace(/\/+$/, '')}/messages`);

  return {
    name: 'anthropic',
    capabilities: { tools: true },
    reply: (request) =>
      streamReply(
        agent,
        {
          url,
          headers: anthropicHeaders(settings.api_key ?? ''),
          body: requestBody(request, settings),
          signal: request.signal,
        },
        { readEvents: readMessageEvents, readWhole: readMessage },
      ),
  };
}
