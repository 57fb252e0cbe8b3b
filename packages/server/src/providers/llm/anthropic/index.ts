// LLM vendor for the Anthropic Messages API: streaming, with tools.
import type { Dispatcher } from 'undici';
import { requestStream } from '../../../platform/egress/request-stream.ts';
import { vendorFailure } from '../../vendor-failure.ts';
import { type Llm, LlmFailed } from '../llm.ts';
import { withoutReasoning } from '../reasoning-filter.ts';
import { readMessage, readMessageEvents } from './read-message.ts';
import { requestBody } from './request-body.ts';

export type AnthropicSettings = {
  /** Including the version: https://api.anthropic.com/v1 */
  base_url: string;
  api_key: string | null;
  model: string;
  max_tokens: number;
};

const max_response_bytes = 1024 * 1024;

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
    async *reply(request) {
      try {
        const { content_type, body } = await requestStream(agent, {
          url,
          headers: {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            ...anthropicHeaders(settings.api_key ?? ''),
          },
          body: JSON.stringify(requestBody(request, settings)),
          signal: request.signal,
          max_response_bytes,
        });
        const chunks = content_type.includes('application/json')
          ? readMessage(body)
          : readMessageEvents(body);
        yield* withoutReasoning(chunks);
      } catch (error) {
        const failure = vendorFailure(error);
        throw failure ? new LlmFailed(failure.message, { ...failure, cause: error }) : error;
      }
    },
  };
}
