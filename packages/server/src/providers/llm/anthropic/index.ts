// LLM vendor for the Anthropic Messages API: streaming, with tools.
import type { Dispatcher } from 'undici';
import { ErrorStatus } from '../../../platform/egress/request-stream.ts';
import { type Llm, type LlmChunk, LlmFailed, type LlmRequest } from '../llm.ts';
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
  let caches = true;
  const send = (request: LlmRequest): AsyncIterable<LlmChunk> =>
    streamReply(
      agent,
      {
        url,
        headers: anthropicHeaders(settings.api_key ?? ''),
        body: requestBody(request, { ...settings, caches }),
        signal: request.signal,
      },
      { readEvents: readMessageEvents, readWhole: readMessage },
    );

  return {
    name: 'anthropic',
    model: settings.model,
    capabilities: { tools: true },
    async *reply(request) {
      try {
        yield* send(request);
      } catch (error) {
        if (!caches || !refusesBreakpoints(error)) throw error;
        caches = false;
        yield* send(request);
      }
    },
  };
}

/** Some servers with this API do not know breakpoints, or take the prompt as one text only. Nothing was said yet. */
const refusesBreakpoints = (error: unknown): boolean =>
  error instanceof LlmFailed &&
  error.cause instanceof ErrorStatus &&
  (error.cause.status === 400 || error.cause.status === 422) &&
  /cache_control|\bsystem\b/i.test(error.message);
