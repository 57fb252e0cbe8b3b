// Leads one call from the first ring to its end: dials, lets the agent speak, writes down what happens.
import type { CallTurn } from '@parley/contract/call-records';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { isDiskFull } from '../../../platform/disk-space.ts';
import { untilCut } from '../../../platform/drain.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Log } from '../../../platform/log.ts';
import type { CallOrder } from '../../../providers/carrier/carrier.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import {
  type Admission,
  admissionText,
  type GuardedCarriers,
  type GuardedVoice,
  type Stopped,
  stoppedBecause,
} from '../../admission/index.ts';
import type { PoolService } from '../../numbers/index.ts';
import type { StorageQuota } from '../../storage-quota/index.ts';
import type { CallEngines } from '../conversation/engines.ts';
import type { Fact } from '../conversation/facts.ts';
import { startRecording } from '../conversation/recording.ts';
import { endedBy, waitOutside } from '../conversation/remote-talk.ts';
import { briefingOf, spokenCall } from '../conversation/speech-plan.ts';
import { type SpeechEngines, speakOnCall } from '../conversation/voice-agent.ts';
import type { CallMeter } from './metering.ts';
import type { CallEnding, CallProgress } from './progress.ts';
import { type CallRef, isOver, type LedCall, type ProgressStore } from './progress-store.ts';

/** Why this process ends a call that it leads. */
export type HangUpReason = 'api_hangup' | 'force_closed' | 'insufficient_funds';

/** Beyond its own ring timeout a carrier gets so long to say that nobody picked up. */
const ring_grace_ms = 10_000;
/** The events of an end may come a moment after the end itself. */
const news_patience_ms = 3000;
/** Engines that are loaded answer at once; only a wait that a person would notice gets a timeline entry. */
const preparing_note_ms = 250;
const place_attempts = 3;
const certain_absences = 3;

const never_answered: CallEnding = {
  trigger: 'rang_out',
  end_reason: 'ring_timeout',
  detail: 'The carrier did not say that nobody picked up.',
};
const never_opened: CallEnding = {
  trigger: 'broke',
  end_reason: 'media_failure',
  detail: 'The carrier did not open the line.',
};
const ended_early = {
  outbound: { trigger: 'broke', end_reason: 'trunk_failure', detail: 'The call ended without a reason.' },
  inbound: { trigger: 'canceled', end_reason: 'canceled', detail: 'The caller gave up.' },
} as const;
/** The call was ended before the agent could speak. */
const endedUnspoken = (signal: AbortSignal, seconds: number): CallEnding => ({
  ...endedBy(signal),
  duration_seconds: Math.round(seconds),
});
export const unpaid: CallEnding = {
  trigger: 'broke',
  end_reason: 'insufficient_funds',
  detail: 'What is available does not cover a minute.',
  check: 'funds',
};
const stopped: CallEnding = {
  trigger: 'broke',
  end_reason: 'force_closed',
  detail: 'The service was stopped during the call.',
};

export function callRunner(deps: {
  db: Database;
  store: ProgressStore;
  progress: CallProgress;
  carriers: GuardedCarriers;
  pool: Pick<PoolService, 'noteCarrierCall'>;
  storage: ObjectStorage;
  quota: Pick<StorageQuota, 'check' | 'stored'>;
  writeTurn(tx: Transaction, call: CallRef, turn: CallTurn): Promise<void>;
  admission: Pick<Admission, 'admit'>;
  meter: CallMeter;
  /** How long the agent took to answer, from the other party's last sound to its own first. */
  observeTurn(ms: number): void;
  clock: Clock;
  engines: CallEngines;
  /** Settles when all events of this call that came so far have been written down. */
  newsWritten(call_id: string): Promise<void>;
  log: Log;
}) {
  const { db, store, progress, log } = deps;
  const { clock } = deps.engines;
  /** Ends early when the call is to end. */
  const pause = (ms: number, signal: AbortSignal) =>
    untilCut(new Promise<void>((done) => clock.after(ms, done)), signal);

  const orderOf = (call: LedCall): CallOrder => ({
    call_id: call.id,
    from: call.from,
    to: call.to,
    ring_timeout_seconds: call.ring_timeout_seconds,
    max_duration_seconds: call.plan.max_duration_seconds,
    briefing: briefingOf(call.plan),
  });

  /**
   * The answer got lost, and the carrier may have taken the call or not. It is never placed again: it is found at the
   * carrier, or the carrier's own news names it. Null when neither happens.
   */
  const findPlaced = async (call: LedCall, voice: GuardedVoice, since: Date, signal: AbortSignal) => {
    const isKnown = (id: string) => store.isKnown(call.provider, id);
    const until_ms = clock.ms() + call.ring_timeout_seconds * 1000;
    let absences = 0;
    for (
      let pause_ms = 500;
      !signal.aborted && clock.ms() < until_ms;
      pause_ms = Math.min(2 * pause_ms, 5000)
    ) {
      const known = await store.status(call);
      if (isOver(known)) return null;
      if (known?.provider_call_id) return known.provider_call_id;
      const found = await voice.find(orderOf(call), { since, isKnown });
      if (found.outcome === 'found') return found.provider_call_id;
      // It may take a moment to appear.
      if (found.outcome === 'absent' && ++absences === certain_absences) return null;
      await pause(pause_ms, signal);
    }
    return null;
  };

  const mayLeave = (call: LedCall) =>
    deps.admission.admit('hand_over', {
      organization_id: call.organization_id,
      channel: 'calls',
      origin: 'api',
      recipients: [call.to],
      provider: call.provider,
      consent: 'warranted',
      charge: { item: 'call_minute', quantity: 1, reference: call.id },
      has_own_llm: call.plan.brain !== null,
    });

  const stopAtRule = (call: LedCall, decision: Stopped) =>
    progress.endAlone(call, {
      trigger: 'broke',
      end_reason: decision.reason,
      detail: stoppedBecause(decision).detail,
      check: decision.check,
      set: { admission: admissionText(decision) },
    });

  /** Asked anew before each attempt: the carrier may have let us wait. */
  const place = async (call: LedCall, voice: GuardedVoice, signal: AbortSignal) => {
    for (let attempt = 1; ; attempt++) {
      const decision = await mayLeave(call);
      if (decision.outcome !== 'allow') return { outcome: 'stopped', decision } as const;
      const placed = await voice.place(orderOf(call), decision.admitted);
      if (placed.outcome !== 'busy' || attempt >= place_attempts || signal.aborted) {
        return { ...placed, admission: admissionText(decision) };
      }
      await pause(Math.min(placed.retry_after_seconds, 10) * 1000, signal);
    }
  };

  /** Null when the call ended, or had to be given up, before somebody picked up. */
  const ring = async (call: LedCall, voice: GuardedVoice, provider_call_id: string, signal: AbortSignal) => {
    const hangUp = () => voice.hangUp(provider_call_id).catch(() => {});
    const given_up = Promise.withResolvers<null>();
    const giveUp = async () => {
      const is_stop = signal.reason === 'force_closed';
      // Said first: to the carrier it is a cancellation like any other.
      if (is_stop) await progress.endAlone(call, stopped).catch(() => {});
      await hangUp();
      // A stop does not wait until the carrier reports the end of the call.
      if (is_stop) given_up.resolve(null);
    };
    if (signal.aborted) void giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    let cancelLimit = () => {};
    const limit = new Promise<'too_long'>((late) => {
      cancelLimit = clock.after(call.ring_timeout_seconds * 1000 + ring_grace_ms, () => late('too_long'));
    });
    const heard = await Promise.race([voice.media(provider_call_id), limit, given_up.promise]);
    cancelLimit();
    signal.removeEventListener('abort', giveUp);
    if (heard !== 'too_long') return heard;
    await progress.endAlone(call, call.direction === 'outbound' ? never_answered : never_opened);
    void hangUp();
    return null;
  };

  const dial = async (call: LedCall, voice: GuardedVoice, signal: AbortSignal) => {
    const since = deps.clock.now();
    let placed = await place(call, voice, signal);
    if (placed.outcome === 'stopped') {
      await stopAtRule(call, placed.decision);
      return 'over';
    }
    const { admission } = placed;
    if (placed.outcome === 'lost') {
      await progress.note(call, 'went_wrong', { detail: `The carrier’s answer was lost: ${placed.detail}` });
      const provider_call_id = await findPlaced(call, voice, since, signal);
      if (provider_call_id) placed = { outcome: 'placed', provider_call_id, admission };
    }
    if (placed.outcome !== 'placed') {
      const end_reason = placed.outcome === 'refused' ? 'setup_error' : 'trunk_failure';
      await progress.endAlone(call, { trigger: 'broke', end_reason, detail: placed.detail });
      return 'over';
    }
    const { provider_call_id } = placed;
    // Asked for at once: a call that is answered and over before the next line must not be missed.
    const ringing = ring(call, voice, provider_call_id, signal);
    await store.placed(call, provider_call_id, { admission });
    await deps.pool.noteCarrierCall(db, call.id, provider_call_id);
    await progress.note(call, 'placed', { provider_call_id });
    return ringing;
  };

  const endedWithoutAnswer = async (call: LedCall, signal: AbortSignal) => {
    const deadline_ms = performance.now() + news_patience_ms;
    do {
      await deps.newsWritten(call.id);
      const found = await store.status(call);
      if (isOver(found)) return;
      // The carrier says that somebody picked up, and yet there is no sound.
      if (found!.status === 'in_progress') return void (await progress.endAlone(call, never_opened));
      await new Promise((soon) => setTimeout(soon, 50));
    } while (performance.now() < deadline_ms && signal.reason !== 'force_closed');
    await progress.endAlone(call, signal.reason === 'force_closed' ? stopped : ended_early[call.direction]);
  };

  /** What the agent tells while it speaks, written down in that order and never in the way of the sound. */
  const notebook = (call: LedCall) => {
    let writing = Promise.resolve();
    const write = async (fact: Fact): Promise<unknown> => {
      const { kind, ...detail } = fact;
      if (fact.kind === 'said') {
        const { kind: _, ...turn } = fact;
        return db.transaction((tx) => deps.writeTurn(tx, call, turn));
      }
      if (fact.kind === 'answered_by') await store.answeredBy(call, fact.by);
      return progress.note(call, kind as Exclude<typeof kind, 'said'>, detail);
    };
    return {
      emit(fact: Fact) {
        if (fact.kind === 'said' && fact.timings) deps.observeTurn(fact.timings.total_ms);
        writing = writing
          .then(() => write(fact))
          .then(
            () => {},
            (error) => log.warn({ call_id: call.id, err: error }, 'a fact of a call could not be written'),
          );
      },
      written: () => writing,
    };
  };

  const converse = async (
    call: LedCall,
    media: MediaSession,
    engines: SpeechEngines,
    opened_ms: number,
    signal: AbortSignal,
  ): Promise<CallEnding> => {
    const book = notebook(call);
    const recording = call.is_recorded ? await startRecording({ ...deps, clock }, call, media) : null;
    // The call began with the answer, not with the agent's first breath.
    const waited_ms = clock.ms() - opened_ms;
    const spoken = spokenCall(call.plan, call.direction);
    const end = await speakOnCall(
      { ...engines, clock, emit: book.emit },
      recording?.session ?? media,
      { ...spoken, max_duration_ms: Math.max(0, spoken.max_duration_ms - waited_ms) },
      signal,
    );
    const set: Record<string, unknown> = {};
    if (recording) {
      try {
        const { recording_key, ...kept } = await recording.finish();
        set.recording_key = recording_key;
        set.recording_bytes = kept.size_bytes;
        await progress.note(call, 'recorded', kept);
      } catch (error) {
        const is_over_quota = error instanceof ApiError && error.code === 'storage_quota_exceeded';
        if (!is_over_quota) log.error({ call_id: call.id, err: error }, 'a recording could not be kept');
        const detail = is_over_quota
          ? 'The organization stores as much as it may.'
          : isDiskFull(error)
            ? 'The disk of the service is full.'
            : 'The recording could not be stored.';
        await progress.note(call, 'not_recorded', { detail });
      }
    }
    await book.written();
    return {
      trigger: end.outcome === 'completed' ? 'hung_up' : 'broke',
      end_reason: end.reason,
      detail: end.detail,
      duration_seconds: Math.round((waited_ms + end.duration_ms) / 1000),
      set,
    };
  };

  /** Loading the speech engines takes seconds in a process that has just started: the timeline says so. */
  const untilReady = async (call: LedCall, ready: Promise<unknown>): Promise<void> => {
    let cancelNote = () => {};
    const late = new Promise<'late'>((resolve) => {
      cancelNote = clock.after(preparing_note_ms, () => resolve('late'));
    });
    const first = await Promise.race([ready, late]).finally(() => cancelNote());
    if (first === 'late')
      await progress.note(call, 'preparing', { detail: 'The speech engines are loading.' });
    await ready;
  };

  const lead = async (call: LedCall, signal: AbortSignal): Promise<void> => {
    const voice = deps.carriers.byName(call.provider)?.voice;
    if (!voice) {
      const detail = `The carrier ${call.provider} is not set up for calls.`;
      await progress.endAlone(call, { trigger: 'broke', end_reason: 'setup_error', detail });
      return;
    }
    // Early as well: what may not leave loads no engines.
    const decision = call.direction === 'outbound' ? await mayLeave(call) : null;
    if (decision && decision.outcome !== 'allow') return void (await stopAtRule(call, decision));
    const money = await deps.meter.reserve(call);
    if (money === 'over') return;
    if (money === 'insufficient_funds') return void (await progress.endAlone(call, unpaid));
    const engines = await deps.engines.forCall(call, ({ layer, from, to, why }) => {
      const detail = `${from} failed (${why}), and ${to} took over.`;
      progress.note(call, 'went_wrong', { layer, detail }).catch(() => {});
    });
    // Nobody is rung up by an agent that cannot speak yet. A caller of ours has rung already, and waits for nothing else.
    const ready = voice.has_own_agent
      ? Promise.resolve([])
      : Promise.all([engines.vad.ready(), engines.stt.ready(), engines.tts.ready()]);
    ready.catch(() => {});
    if (call.direction === 'outbound') {
      // Loading the engines can take longer than a stop may.
      if (!(await untilCut(untilReady(call, ready), signal)) || signal.aborted)
        return endedWithoutAnswer(call, signal);
    }

    const media =
      call.direction === 'inbound'
        ? await ring(call, voice, call.provider_call_id, signal)
        : await dial(call, voice, signal);
    if (media === 'over') return;
    if (!media) return endedWithoutAnswer(call, signal);
    const opened_ms = clock.ms();
    const metering = money === 'free' ? null : deps.meter.start(call, opened_ms, signal);
    try {
      await db.transaction((tx) => progress.answered(tx, call, { answered_by: null }, {}));
      // Somebody may have canceled the call in the moment in which it was answered.
      if (isOver(await store.status(call))) return;
      const until = metering?.signal ?? signal;
      const ending = voice.has_own_agent
        ? await waitOutside({ clock, media, max_duration_seconds: call.plan.max_duration_seconds }, until)
        : (await untilCut(ready, until))
          ? await converse(call, media, engines, opened_ms, until)
          : endedUnspoken(until, (clock.ms() - opened_ms) / 1000);
      await progress.endAlone(call, ending);
    } finally {
      metering?.stop();
      media.close();
    }
  };

  /** Comes back when the call is over, in whichever way. */
  return async function run(call: LedCall, signal: AbortSignal): Promise<void> {
    try {
      await lead(call, signal);
    } catch (error) {
      log.error({ call_id: call.id, err: error }, 'a call broke');
      const { message } = error as Error;
      await progress.endAlone(call, { trigger: 'broke', end_reason: 'setup_error', detail: message });
    }
  };
}
export type CallRunner = ReturnType<typeof callRunner>;
