// Turns the answer or failure of an MCP server into what the model reads.
import { failureOf, type RequestFailure } from '../../../platform/egress/request-once.ts';
import { failed, type ToolFailure, type ToolOutcome } from '../runtime/index.ts';
import { contentOf } from '../tools/index.ts';
import { ResponseTooLarge } from './guarded-fetch.ts';

type Item = { type: string; text?: unknown };
export type CallAnswer = {
  resultType?: string | undefined;
  isError?: boolean | undefined;
  structuredContent?: unknown;
  content?: readonly Item[] | undefined;
};

export function outcomeOf(answer: CallAnswer): ToolOutcome {
  if (answer.resultType === 'input_required')
    return failed('input_required', 'The tool wants input that only a person at a screen can give.');
  const items = answer.content ?? [];
  const texts = items.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  if (answer.isError) return failed('refused', texts.join('\n') || 'The tool reported an error.');
  if (answer.structuredContent !== undefined)
    return { outcome: 'done', content: contentOf(answer.structuredContent) };
  const dropped = items.length - texts.length;
  const note = dropped === 0 ? [] : [`(${dropped} items that are no text were left out)`];
  return { outcome: 'done', content: contentOf([...texts, ...note].join('\n') || 'done') };
}

/** -32602 of JSON-RPC: the server checks the arguments. */
const invalid_params = -32602;

export function failureOutcome(error: unknown, signal: AbortSignal): ToolOutcome {
  if (signal.aborted) {
    const is_timeout = (signal.reason as Error | undefined)?.name === 'TimeoutError';
    return is_timeout
      ? failed('timeout', 'No answer in time.')
      : failed('cancelled', 'The call was canceled.');
  }
  const { error: code, detail } = describeFailure(error);
  return failed(code, detail);
}

const network_details: Partial<Record<RequestFailure, string>> = {
  timeout: 'No answer in time.',
  target_not_allowed: 'This server may not connect to that address.',
  tls_failed: 'The certificate of the server is not valid.',
  dns_failed: 'The name of the server is not known.',
};

/** Also for the record of the server. Addresses of our network never appear in the text. */
export function describeFailure(thrown: unknown): { error: ToolFailure; detail: string } {
  const chain = causesOf(thrown);
  if (chain.some((each) => each instanceof ResponseTooLarge))
    return { error: 'invalid_result', detail: 'The answer is too large.' };
  for (const each of chain) {
    const reason = typeof (each as { code?: unknown }).code === 'number' ? null : failureOf(each);
    if (!reason) continue;
    const detail = network_details[reason] ?? 'There was no connection to the server.';
    return { error: reason === 'timeout' ? 'timeout' : 'unreachable', detail };
  }
  // What fetch throws when it did not get an answer at all.
  if (chain.some((each) => each instanceof TypeError && each.message === 'fetch failed'))
    return { error: 'unreachable', detail: 'There was no connection to the server.' };
  const [first] = chain as (Error & { code?: unknown; status?: unknown; data?: unknown })[];
  if (!first) return { error: 'unreachable', detail: 'The server failed.' };
  const status = httpStatus(first);
  if (status !== null)
    return { error: 'refused', detail: `The server answered with the HTTP status ${status}.` };
  if (first.code === 'REQUEST_TIMEOUT' || first.name === 'TimeoutError')
    return { error: 'timeout', detail: 'No answer in time.' };
  if (first.code === invalid_params) return { error: 'invalid_arguments', detail: first.message };
  if (typeof first.code === 'number') return { error: 'refused', detail: first.message };
  return { error: 'invalid_result', detail: 'The answer does not follow the protocol.' };
}

function httpStatus({ status, data }: { status?: unknown; data?: unknown }): number | null {
  if (typeof status === 'number') return status;
  const inner = (data as { status?: unknown } | null | undefined)?.status;
  return typeof inner === 'number' ? inner : null;
}

function causesOf(thrown: unknown): Error[] {
  const chain: Error[] = [];
  let error = thrown;
  while (error instanceof Error && chain.length < 6) {
    chain.push(error);
    // The library keeps what caused a failed connection in its data.
    error = error.cause ?? (error as { data?: { cause?: unknown } }).data?.cause;
  }
  return chain;
}
