// LLM vendor for any endpoint with the chat completions protocol: streaming, with tools.
import type { Dispatcher } from 'undici';
import { requestStream } from '../../../platform/egress/request-stream.ts';
import { vendorFailure } from '../../vendor-failure.ts';
import { type Llm, LlmFailed, type LlmRequest } from '../llm.ts';
import { readCompletion, readEvents } from './read-completion.ts';

export type OpenAiCompatibleSettings = {
  /** Including the version: https://api.openai.com/v1 */
  base_url: string;
  api_key: string | null;
  model: string;
};

const max_response_bytes = 1024 * 1024;

/** `agent` must be a guarded one when a user supplied the address. */
export function openAiCompatibleLlm(deps: { agent: Dispatcher; settings: OpenAiCompatibleSettings }): Llm {
  const { agent, settings } = deps;
  const url = new URL(`${settings.base_url.replace(/\/+$/, '')}/chat/completions`);

  return {
    name: 'openai-compatible',
    capabilities: { tools: true },
    async *reply(request) {
      try {
        const { content_type, body } = await requestStream(agent, {
          url,
          headers: {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            ...(settings.api_key && { authorization: `Bearer ${settings.api_key}` }),
          },
          body: JSON.stringify(requestBody(request, request.model ?? settings.model)),
          signal: request.signal,
          max_response_bytes,
        });
        // Some endpoints ignore `stream: true` and send the whole completion.
        yield* content_type.includes('application/json') ? readCompletion(body) : readEvents(body);
      } catch (error) {
        const failure = vendorFailure(error);
        throw failure ? new LlmFailed(failure.message, { ...failure, cause: error }) : error;
      }
    },
  };
}

function requestBody({ system_prompt, channel_instructions, turns, tools = [] }: LlmRequest, model: string) {
  const system = [system_prompt, channel_instructions].filter((part) => part).join('\n\n');
  return {
    model,
    stream: true,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...turns.map((turn) => {
        if (turn.role === 'tool') return { role: 'tool', tool_call_id: turn.call_id, content: turn.content };
        if (turn.role === 'user' || !turn.tool_calls?.length)
          return { role: turn.role, content: turn.content };
        return {
          role: 'assistant',
          content: turn.content === '' ? null : turn.content,
          tool_calls: turn.tool_calls.map((call) => ({
            id: call.call_id,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.arguments) },
          })),
        };
      }),
    ],
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
  };
}
