// Several engines that stand in for one another: when one fails in the middle of a call, the next takes over.
import { type Llm, LlmFailed, type LlmRequest } from './llm/llm.ts';
import { type Stt, SttFailed, type SttSession } from './stt/stt.ts';
import { type Tts, TtsFailed } from './tts/tts.ts';

export type EngineFallback = { layer: 'llm' | 'stt' | 'tts'; from: string; to: string; why: string };
type Report = (news: EngineFallback) => void;

/**
 * The engines in order of preference. One that failed is left out for the rest of this object's life, which is a call:
 * asking it again would cost the caller the same wait at every turn.
 */
function inOrder<Engine extends { name: string }>(
  layer: EngineFallback['layer'],
  engines: readonly [Engine, ...Engine[]],
  report: Report,
) {
  let current = 0;
  return {
    engine: () => engines[current]!,
    /** False when there is nobody left. */
    replace(failed: Engine, error: Error): boolean {
      const next = engines[engines.indexOf(failed) + 1];
      if (!next) return false;
      if (engines[current] === failed) {
        current++;
        report({ layer, from: failed.name, to: next.name, why: error.message });
      }
      return true;
    },
  };
}

export function fallbackLlm(engines: readonly [Llm, ...Llm[]], report: Report): Llm {
  const order = inOrder('llm', engines, report);
  return {
    name: engines[0].name,
    capabilities: { tools: engines.every(({ capabilities }) => capabilities.tools) },
    async *reply(thought: LlmRequest) {
      let said = '';
      while (true) {
        const llm = order.engine();
        // What was said cannot be taken back: the next one goes on from there.
        const turns =
          said === '' ? thought.turns : [...thought.turns, { role: 'assistant' as const, content: said }];
        try {
          for await (const piece of llm.reply({ ...thought, turns })) {
            if ('text' in piece) said += piece.text;
            yield piece;
          }
          return;
        } catch (error) {
          if (!(error instanceof LlmFailed) || !order.replace(llm, error)) throw error;
        }
      }
    },
  };
}

export function fallbackTts(engines: readonly [Tts, ...Tts[]], report: Report): Tts {
  const order = inOrder('tts', engines, report);
  return {
    name: engines[0].name,
    capabilities: engines[0].capabilities,
    ready: async () => void (await Promise.all(engines.map((engine) => engine.ready()))),
    async *speak(request) {
      while (true) {
        const tts = order.engine();
        try {
          // A clause that broke off is said again from its start, as people do.
          yield* tts.speak(request);
          return;
        } catch (error) {
          if (!(error instanceof TtsFailed) || !order.replace(tts, error)) throw error;
        }
      }
    },
    close: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
  };
}

/** Sound that the next engine may have to hear again. */
const remembered_frames = 3000;

export function fallbackStt(engines: readonly [Stt, ...Stt[]], report: Report): Stt {
  const order = inOrder('stt', engines, report);
  return {
    name: engines[0].name,
    capabilities: engines[0].capabilities,
    ready: async () => void (await Promise.all(engines.map((engine) => engine.ready()))),
    open(options) {
      let stt = order.engine();
      let session: SttSession = stt.open(options);
      let turn: Int16Array[] = [];
      return {
        push(pcm) {
          if (turn.length < remembered_frames) turn.push(pcm.slice());
          session.push(pcm);
        },
        async text() {
          while (true) {
            const asked = { stt, session };
            try {
              return await session.text();
            } catch (error) {
              if (!(error instanceof SttFailed)) throw error;
              // Two questions may fail over the same engine; only the first replaces it.
              if (asked.session !== session) continue;
              if (!order.replace(asked.stt, error)) throw error;
              session.close();
              stt = order.engine();
              session = stt.open(options);
              for (const pcm of turn) session.push(pcm);
            }
          }
        },
        nextTurn() {
          turn = [];
          session.nextTurn();
        },
        close: () => session.close(),
      };
    },
    isBehind: () => order.engine().isBehind(),
    close: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
  };
}
