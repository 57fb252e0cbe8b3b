// Spans around the turns of a call. What the agent does in a turn (model, tools, synthesis) has its spans below it.
import type { Span } from '../../../../../platform/tracing/trace.ts';
import type { RecordTrace } from '../../../../../platform/tracing/trace-below.ts';
import type { Fact } from '../facts.ts';
import type { ListenerCallbacks } from '../listen/listener.ts';
import type { AgentTurn } from './turn.ts';

const name = 'call.turn';

export function tracedTurn(trace: RecordTrace | null, start: () => AgentTurn): AgentTurn {
  if (!trace) return start();
  const span = trace.enter(name, { attributes: { 'parley.speaker': 'agent' } });
  const turn = start();
  turn.done.then(
    (outcome) => {
      span.set({ 'parley.outcome': outcome });
      span.end();
    },
    (error: Error) => {
      span.fail(error.name);
      span.end();
    },
  );
  return turn;
}

/** The span of a spoken turn has its latency, as the transcript has it. */
export function tracedFacts(trace: RecordTrace | null, emit: (fact: Fact) => void): (fact: Fact) => void {
  if (!trace) return emit;
  return (fact) => {
    if (fact.kind === 'said' && fact.speaker === 'agent' && fact.timings) {
      const times = Object.entries(fact.timings).map(([part, ms]) => [`parley.${part}`, ms]);
      trace.set({ ...Object.fromEntries(times), 'parley.interrupted': fact.is_interrupted });
    }
    emit(fact);
  };
}

/** A turn of the person lasts until it counts as over, or the conversation is over. */
export function tracedListening(
  trace: RecordTrace | null,
  callbacks: ListenerCallbacks,
  over: Promise<unknown>,
): ListenerCallbacks {
  if (!trace) return callbacks;
  let span: Span | null = null;
  const end = (outcome: string) => {
    span?.set({ 'parley.outcome': outcome });
    span?.end();
    span = null;
  };
  void over.then(() => end('cut_off'));
  return {
    ...callbacks,
    speechStarted(sound_ms) {
      span ??= trace.record.begin(name, { attributes: { 'parley.speaker': 'person' } });
      callbacks.speechStarted(sound_ms);
    },
    turnEnded(turn) {
      end(turn.text === '' ? 'no_words' : 'spoken');
      callbacks.turnEnded(turn);
    },
    speechLost(speech) {
      end('lost');
      callbacks.speechLost(speech);
    },
    failed(layer, error) {
      if (layer === 'stt') {
        span?.fail(error.name);
        end('failed');
      }
      callbacks.failed(layer, error);
    },
  };
}
