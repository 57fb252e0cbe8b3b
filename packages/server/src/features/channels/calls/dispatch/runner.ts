// Runs one call from dialing to its end: checks the rules, dials or accepts, lets the agent speak, stores the outcome.
import type { CallEventKind } from '@parley/contract/channels/calls/call-records';
import { untilCut } from '../../../../platform/drain.ts';
import { continueTrace } from '../../../../platform/tracing/continue-trace.ts';
import type { Tracing } from '../../../../platform/tracing/trace.ts';
import { traceBelow } from '../../../../platform/tracing/trace-below.ts';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import type { GuardedCarriers, GuardedVoice } from '../../../rules/admission/index.ts';
import type { CallEngines } from '../conversation/engines.ts';
import { endUnanswered, waitForAnswer } from './answer.ts';
import { type CallEngineSet, type ConverseDeps, converse } from './converse.ts';
import { admitCall, type DialDeps, dial, stopAtRule } from './dial.ts';
import { ledLine } from './led-line.ts';
import { type OpenRelayDeps, openRelay } from './open-relay.ts';
import { endedBySignal, failedSetup, insufficient_funds, setupError } from './progress/endings.ts';
import type { CallMeter } from './progress/metering.ts';
import type { CallEnding } from './progress/progress.ts';
import { isOver, type RunningCall } from './progress/progress-store.ts';
import { type RenderDeps, renderedPlan, templateValues } from './progress/rendered-call.ts';

export type RunnerDeps = DialDeps &
  OpenRelayDeps &
  ConverseDeps & {
    carriers: GuardedCarriers;
    meter: CallMeter;
    engines: CallEngines;
    contactName: RenderDeps['contactName'];
    tracing: Tracing | null;
  };

/** Loaded engines are ready immediately. Only a delay that a person would notice gets a timeline entry. */
const preparing_note_ms = 250;

/** Resolves when the call is over. Aborting the signal with a `HangUpReason` ends the call. */
export type CallRunner = (call: RunningCall, signal: AbortSignal) => Promise<void>;

export function callRunner(deps: RunnerDeps): CallRunner {
  return async (call, signal) => {
    try {
      await continueTrace(deps, call, { name: 'call.run' }, (span) => {
        const trace = deps.tracing && span && traceBelow(deps.tracing, span);
        return runCall({ ...deps, trace }, call, signal);
      });
    } catch (error) {
      await endFailed(deps, call, error as Error);
    }
  };
}

async function endFailed(deps: RunnerDeps, call: RunningCall, error: Error): Promise<null> {
  deps.log.error({ call_id: call.id, err: error }, 'call failed');
  const answered_at = (await deps.store.status(call))?.answered_at ?? null;
  // The minutes of an answered call were used, whatever ended it.
  const duration_seconds = deps.progress.secondsSince(answered_at);
  await deps.progress.endAlone(call, { ...failedSetup(error), duration_seconds });
  return null;
}

async function runCall(deps: RunnerDeps, claimed: RunningCall, signal: AbortSignal): Promise<void> {
  const voice = deps.carriers.byName(claimed.provider)?.voice;
  if (!voice) {
    const detail = `The carrier ${claimed.provider} is not set up for calls.`;
    await deps.progress.endAlone(claimed, setupError(detail, 'service'));
    return;
  }
  const ready = await setUp(deps, claimed).catch((error: Error) => endFailed(deps, claimed, error));
  if (!ready) return hangUpAccepted(deps, claimed, voice, signal);
  try {
    await runPrepared(deps, ready.call, { ...ready, voice }, signal);
  } finally {
    ready.engines.relay?.link.close();
  }
}

/** Null when the call ended: a rule or the funds do not allow it. */
async function setUp(deps: RunnerDeps, claimed: RunningCall) {
  const call = { ...claimed, values: await templateValues(deps, claimed) };
  // Checked again before dialing. Checked here too, so that a call that is not allowed loads no engines.
  const decision =
    call.direction === 'outbound' ? await admitCall(deps, call, { is_counted_later: true }) : null;
  if (decision && decision.outcome !== 'allow') {
    await stopAtRule(deps, call, decision);
    return null;
  }
  const funds = await deps.meter.reserve(call);
  if (funds === 'insufficient_funds') await deps.progress.endAlone(call, insufficient_funds);
  if (funds === 'over' || funds === 'insufficient_funds') return null;
  return { ...(await prepareEngines(deps, call)), call, funds };
}

/**
 * Hangs up an inbound call that ended in our records before this process waited for its line: the caller would hear silence.
 * After the end is stored, because the carrier reports the hang-up as a cancellation.
 */
async function hangUpAccepted(
  { store }: RunnerDeps,
  call: RunningCall,
  voice: GuardedVoice,
  signal: AbortSignal,
): Promise<void> {
  if (call.direction !== 'inbound' || signal.reason === 'taken_over') return;
  if (!(await store.isLedElsewhere(call))) await voice.hangUp(call.provider_call_id);
}

type Prepared = NonNullable<Awaited<ReturnType<typeof setUp>>> & { voice: GuardedVoice };

async function runPrepared(
  deps: RunnerDeps,
  call: RunningCall,
  { engines, ready, voice, funds }: Prepared,
  signal: AbortSignal,
): Promise<void> {
  const { meter } = deps;
  // An outbound call is dialed only when the agent can speak. Loading the engines may take longer than a stop allows.
  if (call.direction === 'outbound') {
    const is_ready = await untilCut(untilReady(deps, call, ready), signal);
    if (!is_ready || signal.aborted) return endUnanswered(deps, call, voice, signal);
  }
  const dialed =
    call.direction === 'inbound'
      ? { media: await waitForAnswer(deps, call, voice, call.provider_call_id, signal), call }
      : await dial(deps, call, voice, signal);
  if (dialed === 'over') return;
  const { call: limited } = dialed;
  if (!dialed.media) return endUnanswered(deps, call, voice, signal);
  const media = ledLine(dialed.media, signal);

  const opened_ms = deps.media_clock.ms();
  const metering = funds === 'free' ? null : meter.start(limited, opened_ms, signal);
  try {
    await runAnswered(deps, limited, { media, engines, ready, opened_ms }, metering?.signal ?? signal);
  } finally {
    metering?.stop();
    media.close();
  }
}

/** The call goes on without waiting for the entry, also when it cannot be stored: then the log says that it is missing. */
function noteBeside(
  { progress, log }: RunnerDeps,
  call: RunningCall,
  kind: CallEventKind,
  detail: Record<string, unknown>,
): void {
  progress
    .note(call, kind, detail)
    .catch((error) => log.warn({ call_id: call.id, kind, err: error }, 'an entry of a call was not stored'));
}

async function prepareEngines(deps: RunnerDeps, call: RunningCall) {
  const note = (detail: Parameters<Parameters<CallEngines['forCall']>[1]>[0]) => {
    noteBeside(deps, call, 'went_wrong', detail);
  };
  const engines = await deps.engines.forCall(call, note, deps.trace ?? null);
  const ready: Promise<unknown> = Promise.all([
    engines.vad.ready(),
    engines.stt.ready(),
    engines.tts.ready(),
  ]);
  ready.catch(() => {});
  const relay = await openRelay(deps, call, (detail) => {
    noteBeside(deps, call, 'went_wrong', { layer: 'relay', detail });
  });
  return { engines: { ...engines, relay }, ready };
}

/** Loading the engines takes seconds in a process that has just started. The timeline shows it. */
async function untilReady(deps: RunnerDeps, call: RunningCall, ready: Promise<unknown>): Promise<void> {
  let cancelNote = () => {};
  const late = new Promise<'late'>((resolve) => {
    cancelNote = deps.media_clock.after(preparing_note_ms, () => resolve('late'));
  });
  const first = await Promise.race([ready, late]).finally(() => cancelNote());
  if (first === 'late') noteBeside(deps, call, 'preparing', { detail: 'The speech engines are loading.' });
  await ready;
}

type AnsweredCall = {
  media: MediaSession;
  engines: CallEngineSet;
  ready: Promise<unknown>;
  opened_ms: number;
};

async function runAnswered(
  deps: RunnerDeps,
  call: RunningCall,
  answered: AnsweredCall,
  signal: AbortSignal,
): Promise<void> {
  const { db, store, progress } = deps;
  await db.transaction((tx) => progress.answered(tx, call, { answered_by: null }, {}));
  // A cancel request may have won the race against the answer.
  if (isOver(await store.status(call))) return;
  await progress.endAlone(call, await talk(deps, call, answered, signal));
}

async function talk(
  deps: RunnerDeps,
  call: RunningCall,
  { media, engines, ready, opened_ms }: AnsweredCall,
  signal: AbortSignal,
): Promise<CallEnding> {
  const clock = deps.media_clock;
  if (await untilCut(untilReady(deps, call, ready), signal)) {
    const rendered = { ...call, plan: renderedPlan(call) };
    return converse(deps, rendered, media, engines, opened_ms, signal);
  }
  // Hung up before the agent could speak.
  const duration_seconds = Math.round((clock.ms() - opened_ms) / 1000);
  return { ...endedBySignal(signal), duration_seconds };
}
