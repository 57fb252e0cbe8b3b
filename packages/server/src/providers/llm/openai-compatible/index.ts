// LLM vendor for any endpoint with the chat completions protocol: streaming, with tools.
import type { Dispatcher } from 'undici';
import { requestStream } from '../../../platform/egress/request-stream.ts';
import { vendorFailure } from '../../vendor-failure.ts';
import { type Llm, LlmFailed, type LlmRequest } from '../llm.ts';
import { withoutReasoning } from '../reasoning-filter.ts';
import { readCompletion, readEvents } from './read-completion.ts';

export type OpenAiCompatibleSettings = {
  /** Including the version: https://api.openai.com/v1 */
  base_url: string;
  api_key: string | null;
  model: string;
  /** Default: authorization. */
  auth_header?: AuthHeader;
};
export type AuthHeader = 'authorization' | 'api-key';

const max_response_bytes = 1024 * 1024;

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
    capabilities: { tools: true },
    async *reply(request) {
      try {
        const { content_type, body } = await requestStream(agent, {
          url,
          headers: {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            ...(settings.api_key && authorization(settings.api_key, settings.auth_header)),
          },
          body: JSON.stringify(requestBody(request, request.model ?? settings.model)),
          signal: request.signal,
          max_response_bytes,
        });
        // Some endpoints ignore `stream: true` and send the whole completion.
        const chunks = content_type.includes('application/json') ? readCompletion(body) : readEvents(body);
        yield* withoutReasoning(chunks);
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
