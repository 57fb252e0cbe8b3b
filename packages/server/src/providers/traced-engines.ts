// Spans around what engines do: replies of a model (the gen_ai conventions of OpenTelemetry), recognition and synthesis.
// They have names, counts and codes, never what was said or written. Used only while tracing is on.
import { ErrorStatus } from '../platform/egress/request-stream.ts';
import type { Span } from '../platform/tracing/trace.ts';
import type { TraceParent } from '../platform/tracing/trace-below.ts';
import { type Llm, type LlmChunk, LlmFailed } from './llm/llm.ts';
import type { Stt, SttSession } from './stt/stt.ts';
import type { Tts } from './tts/tts.ts';

export function tracedLlm(trace: TraceParent | null, llm: Llm): Llm {
  if (!trace) return llm;
  return {
    ...llm,
    reply: (request) => {
      const model = request.model ?? llm.model;
      return watched(
        () => llm.reply(request),
        () =>
          trace.begin(model ? `chat ${model}` : 'chat', {
            kind: 'client',
            attributes: {
              'gen_ai.operation.name': 'chat',
              'gen_ai.provider.name': llm.name,
              'gen_ai.request.model': model,
              'gen_ai.request.temperature': request.temperature,
              'gen_ai.request.max_tokens': request.max_output_tokens,
            },
          }),
        readReply,
        request.signal,
      );
    },
  };
}

/** Sets what a reply says about itself; the returned function is called at its end. */
function readReply(span: Span) {
  let finish_reason = 'stop';
  const read = (chunk: LlmChunk) => {
    if ('tool_call' in chunk) finish_reason = 'tool_calls';
    else if ('stopped' in chunk) finish_reason = chunk.stopped === 'length' ? 'length' : 'content_filter';
    else if ('usage' in chunk)
      span.set({
        'gen_ai.response.model': chunk.model,
        'gen_ai.usage.input_tokens': chunk.usage.input_tokens,
        'gen_ai.usage.output_tokens': chunk.usage.output_tokens,
        'gen_ai.usage.cache_read.input_tokens': chunk.usage.cached_input_tokens,
      });
  };
  return { read, complete: () => span.set({ 'gen_ai.response.finish_reasons': [finish_reason] }) };
}

export function tracedTts(trace: TraceParent | null, tts: Tts): Tts {
  if (!trace) return tts;
  return {
    ...tts,
    speak: (request) =>
      watched(
        () => tts.speak(request),
        () =>
          trace.begin('speech.synthesize', {
            kind: 'client',
            attributes: { 'parley.provider': tts.name, 'parley.characters': request.text.length },
          }),
        (span) => {
          let samples = 0;
          return {
            read: (pcm) => {
              samples += pcm.length;
            },
            // 8 kHz.
            complete: () => span.set({ 'parley.sound_ms': Math.round(samples / 8) }),
          };
        },
        request.signal,
      ),
  };
}

export function tracedStt(trace: TraceParent | null, stt: Stt): Stt {
  if (!trace) return stt;
  return { ...stt, open: (options) => tracedSession(trace, stt, stt.open(options)) };
}

function tracedSession(trace: TraceParent, { name }: Stt, session: SttSession): SttSession {
  const open = new Set<Span>();
  const end = (span: Span, finish: () => void) => {
    // The turn or the call was over before.
    if (!open.delete(span)) return;
    finish();
    span.end();
  };
  const cancel = () => {
    for (const span of open) end(span, () => span.set({ 'parley.outcome': 'canceled' }));
  };
  return {
    push: (pcm) => session.push(pcm),
    ...(session.interim ? { interim: () => session.interim?.() ?? '' } : {}),
    text() {
      const span = trace.begin('speech.recognize', {
        kind: 'client',
        attributes: { 'parley.provider': name },
      });
      open.add(span);
      const text = session.text();
      text.then(
        (words) => end(span, () => span.set({ 'parley.outcome': words === '' ? 'no_words' : 'recognized' })),
        (error: unknown) => end(span, () => span.fail(failureCode(error))),
      );
      return text;
    },
    nextTurn() {
      cancel();
      session.nextTurn();
    },
    close() {
      cancel();
      session.close();
    },
  };
}

/** The span lasts from the first read to the end, a failure, or until the reader wants no more. */
function watched<T>(
  open: () => AsyncIterable<T>,
  begin: () => Span,
  watch: (span: Span) => { read(piece: T): void; complete(): void },
  signal: AbortSignal,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const started_ms = performance.now();
      const span = begin();
      const { read, complete } = watch(span);
      const pieces = open()[Symbol.asyncIterator]();
      let is_first = true;
      return {
        async next() {
          try {
            const next = await pieces.next();
            if (next.done) {
              complete();
              span.end();
              return next;
            }
            if (is_first) span.set({ 'parley.first_ms': Math.round(performance.now() - started_ms) });
            is_first = false;
            read(next.value);
            return next;
          } catch (error) {
            endUnfinished(span, signal, error);
            throw error;
          }
        },
        async return(value) {
          endUnfinished(span, signal, null);
          return (await pieces.return?.(value)) ?? { done: true, value };
        },
      };
    },
  };
}

function endUnfinished(span: Span, signal: AbortSignal, error: unknown): void {
  // Time limits abort the request with the failure as their reason.
  const failure = signal.aborted ? signal.reason : error;
  if (signal.aborted && !(failure instanceof LlmFailed)) span.set({ 'parley.outcome': 'canceled' });
  else if (failure) span.fail(signal.aborted ? 'timeout' : failureCode(failure));
  span.end();
}

/** The status that the provider answered with, else the name of the error; never its message, which may quote words. */
function failureCode(error: unknown): string {
  const { cause, name } = error as { cause?: unknown; name?: unknown };
  if (cause instanceof ErrorStatus) return String(cause.status);
  const { reason } = (cause ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason : typeof name === 'string' ? name : 'error';
}
