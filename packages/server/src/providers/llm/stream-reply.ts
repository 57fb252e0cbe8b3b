// The shared part of LLM vendors with an HTTP API: one POST, and a reply as server-sent events or as one JSON body.
import type { Dispatcher } from 'undici';
import { requestStream } from '../../platform/egress/request-stream.ts';
import { vendorFailure } from '../vendor-failure.ts';
import { type LlmChunk, LlmFailed } from './llm.ts';
import { withoutReasoning } from './reasoning-filter.ts';

const max_response_bytes = 1024 * 1024;

export type ReplyRequest = {
  url: URL;
  headers: Record<string, string>;
  body: object;
  signal: AbortSignal;
};
type Read = (body: AsyncIterable<Buffer>) => AsyncIterable<LlmChunk>;

/** Throws LlmFailed when the vendor fails. `readWhole`: some endpoints do not stream although the request asks for it. */
export async function* streamReply(
  agent: Dispatcher,
  { url, headers, body: sent, signal }: ReplyRequest,
  { readEvents, readWhole }: { readEvents: Read; readWhole: Read },
): AsyncIterable<LlmChunk> {
  try {
    const { content_type, body } = await requestStream(agent, {
      url,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      body: JSON.stringify(sent),
      signal,
      max_response_bytes,
    });
    yield* withoutReasoning(content_type.includes('application/json') ? readWhole(body) : readEvents(body));
  } catch (error) {
    const failure = vendorFailure(error);
    throw failure ? new LlmFailed(failure.message, { ...failure, cause: error }) : error;
  }
}
