// Calls an HTTP tool once: a signed request, no redirects, no second attempt, limited in time and size.
import { limits } from '@parley/contract/limits';
import { version } from '@parley/contract/version';
import type { Dispatcher } from 'undici';
import type { MovableClock } from '../../../platform/clock.ts';
import { requestStream } from '../../../platform/egress/request-stream.ts';
import { type SigningKey, signatures } from '../../../protocols/webhook-signature.ts';
import { failed, hideSecrets, type ToolContext, type ToolOutcome } from '../runtime/index.ts';
import { readAnswer } from './read-answer.ts';
import { callDetail } from './request-failure.ts';

export type HttpCall = {
  tool_call_id: string;
  name: string;
  url: string;
  headers: Record<string, string>;
  keys: readonly SigningKey[];
  /** Those of the model, with the fixed ones. */
  arguments: Record<string, unknown>;
  /** Null for a test by an API caller. */
  context: ToolContext | null;
  organization_id: string;
  timeout_ms: number;
  signal: AbortSignal;
};

const user_agent = `Parley-Tools/${version}`;

export async function callOverHttp(
  { agent, clock }: { agent: Dispatcher; clock: MovableClock },
  call: HttpCall,
): Promise<ToolOutcome> {
  const body = Buffer.from(JSON.stringify(bodyOf(call, clock.now().toISOString())));
  // The receiver compares the timestamp with its own clock, so the offset of the sandbox clock is subtracted.
  const unix_seconds = Math.floor((clock.ms() - clock.offset_ms()) / 1000);
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(call.timeout_ms)]);
  try {
    const response = await requestStream(agent, {
      url: new URL(call.url),
      headers: { ...call.headers, ...headersOf(call, body, unix_seconds) },
      body,
      signal,
      max_response_bytes: limits.tool_response_bytes,
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return hideSecrets(readAnswer(response.content_type, Buffer.concat(chunks)), call.headers);
  } catch (error) {
    const outcome = callDetail(error, signal);
    if (!outcome) throw error;
    return hideSecrets(outcome, call.headers);
  }
}

function headersOf(call: HttpCall, body: Buffer, unix_seconds: number): Record<string, string> {
  const { own, standard } = signatures(call.keys, { id: call.tool_call_id, body }, unix_seconds);
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/plain',
    'User-Agent': user_agent,
    'Idempotency-Key': call.tool_call_id,
    'X-Service-Event': 'tool.call',
    'X-Service-Signature': own,
    'webhook-id': call.tool_call_id,
    'webhook-timestamp': String(unix_seconds),
    'webhook-signature': standard,
  };
}

const bodyOf = (call: HttpCall, created_at: string) => ({
  type: 'tool.call',
  id: call.tool_call_id,
  tool: call.name,
  arguments: call.arguments,
  channel: call.context?.channel ?? null,
  conversation_id: call.context?.conversation_id ?? null,
  call_id: call.context?.call_id ?? null,
  agent_id: call.context?.agent_id ?? null,
  direction: call.context?.direction ?? null,
  person: call.context?.person ?? null,
  own: call.context?.own ?? null,
  organization_id: call.organization_id,
  is_test: call.context === null,
  deadline_ms: call.timeout_ms,
  created_at,
});

export const invalidArguments = (problems: readonly { path: string; problem: string }[]): ToolOutcome =>
  failed(
    'invalid_arguments',
    problems.map(({ path, problem }) => `${path || 'arguments'}: ${problem}`).join('; '),
  );
