// Fallback adapters for the speech ports: when an engine fails during a call, the next one in the list takes over.
import { type Llm, LlmFailed, type LlmRequest } from './llm/llm.ts';
import { type Stt, SttFailed, type SttSession } from './stt/stt.ts';
import { type Tts, TtsFailed } from './tts/tts.ts';

export type EngineFallback = { layer: 'llm' | 'stt' | 'tts'; from: string; to: string; why: string };
type Report = (event: EngineFallback) => void;

/**
 * The engines in order of preference. A failed engine is not used again for the rest of the call, because the caller
 * would wait for its failure at every turn.
 */
function engineList<Engine extends { name: string }>(
  layer: EngineFallback['layer'],
  engines: readonly [Engine, ...Engine[]],
  report: Report,
) {
  let current = 0;
  return {
    current: () => engines[current]!,
    /** False when no engine is left. */
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
  const list = engineList('llm', engines, report);
  return {
    name: engines[0].name,
    capabilities: {
      tools: engines.every(({ capabilities }) => capabilities.tools),
      structured: engines.every(({ capabilities }) => capabilities.structured),
    },
    async *reply(request: LlmRequest) {
      let said = '';
      while (true) {
        const llm = list.current();
        // The caller has already heard this text, so the next model continues it.
        const turns =
          said === '' ? request.turns : [...request.turns, { role: 'assistant' as const, content: said }];
        try {
          for await (const chunk of llm.reply({ ...request, turns })) {
            if ('text' in chunk) said += chunk.text;
            yield chunk;
          }
          return;
        } catch (error) {
          if (!(error instanceof LlmFailed) || !list.replace(llm, error)) throw error;
        }
      }
    },
  };
}

export function fallbackTts(engines: readonly [Tts, ...Tts[]], report: Report): Tts {
  const list = engineList('tts', engines, report);
  return {
    name: engines[0].name,
    capabilities: engines[0].capabilities,
    ready: async () => void (await Promise.all(engines.map((engine) => engine.ready()))),
    async *speak(request) {
      while (true) {
        const tts = list.current();
        try {
          // Repeat a clause that broke off from its start.
          yield* tts.speak(request);
          return;
        } catch (error) {
          if (!(error instanceof TtsFailed) || !list.replace(tts, error)) throw error;
        }
      }
    },
    close: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
  };
}

/** How many frames of the current turn are kept, to replay them to the next engine: one minute. */
const max_replay_frames = 3000;

export function fallbackStt(engines: readonly [Stt, ...Stt[]], report: Report): Stt {
  const list = engineList('stt', engines, report);
  return {
    name: engines[0].name,
    capabilities: engines[0].capabilities,
    ready: async () => void (await Promise.all(engines.map((engine) => engine.ready()))),
    open(options) {
      let stt = list.current();
      let session: SttSession = stt.open(options);
      let turn: Int16Array[] = [];
      return {
        push(pcm) {
          if (turn.length < max_replay_frames) turn.push(pcm.slice());
          session.push(pcm);
        },
        async text() {
          const asked_in = turn;
          while (true) {
            const used = { stt, session };
            try {
              return await session.text();
            } catch (error) {
              // An engine cancels the requests of a turn that is over. That is no failure of the engine.
              if (!(error instanceof SttFailed) || turn !== asked_in) throw error;
              // Two concurrent calls may fail on the same engine; only the first one replaces it.
              if (used.session !== session) continue;
              if (!list.replace(used.stt, error)) throw error;
              session.close();
              stt = list.current();
              session = stt.open(options);
              for (const pcm of turn) session.push(pcm);
            }
          }
        },
        interim: () => session.interim?.() ?? '',
        nextTurn() {
          turn = [];
          session.nextTurn();
        },
        close() {
          turn = [];
          session.close();
        },
      };
    },
    isBehind: () => list.current().isBehind(),
    close: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
  };
}
