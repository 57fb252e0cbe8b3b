// Waits until the tools of a model turn are done, and fills the silence meanwhile.
import { call_wait_seconds } from '../../../../agents/runtime/index.ts';
import type { FillerDeps } from '../speak/filler.ts';
import { startFilling } from '../speak/filler.ts';
import type { TurnHandle } from '../turns/turn.ts';
import { runsAlone, type ToolRound, type ToolWork } from './tool-round.ts';

export type WaitForToolsDeps = FillerDeps & { tools: ToolWork };

/** After this the model continues without the results that are missing. */
const round_timeout_ms = 20_000;

/** Resolves when all calls that may run together are settled, at the deadline, or when the turn is stopped. */
export async function waitForTools(
  deps: WaitForToolsDeps,
  round: ToolRound,
  { has_words, stopping, turn }: { has_words: boolean; stopping: AbortSignal; turn: TurnHandle },
): Promise<void> {
  const pending = round.calls.filter((each) => each.state === 'started' && !runsAlone(each));
  if (pending.length === 0) return;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const waits_for_person = pending.some(({ tool }) => tool?.approval === 'required');
  const timeout_ms = round_timeout_ms + (waits_for_person ? call_wait_seconds * 1000 : 0);
  const cancelDeadline = deps.clock.after(timeout_ms, end);
  stopping.addEventListener('abort', end, { once: true });
  void Promise.all(pending.map(({ outcome }) => outcome.promise)).then(end);
  turn.use({ utterance: null, cutOff() {}, continues: true });
  const spoken = pending.find(({ tool }) => tool?.speech)?.tool ?? pending[0]!.tool!;
  const filling = startFilling(deps, spoken, { has_words, ...turn });
  try {
    await over;
  } finally {
    cancelDeadline();
    stopping.removeEventListener('abort', end);
    await filling.stop();
  }
}
