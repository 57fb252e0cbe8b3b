// The answered part of a call on which our agent speaks: the conversation, its transcript and its recording.
import { isDiskFull } from '../../../../platform/disk-space.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { RecordTrace } from '../../../../platform/tracing/trace-below.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import type { ObjectStorage } from '../../../../providers/storage/storage.ts';
import type { StorageQuota } from '../../../rules/storage-quota/index.ts';
import type { CommandRunner } from '../commands/command-runner.ts';
import { StoredLater, startRecording } from '../conversation/recording/recording.ts';
import { spokenCall } from '../conversation/speak/speech-plan.ts';
import type { CallToolSetup } from '../conversation/tools/call-tools.ts';
import type { TransferPort } from '../conversation/transfer/transfer-port.ts';
import { tracedFacts } from '../conversation/turns/traced-turns.ts';
import { type SpeechEngines, speakOnCall } from '../conversation/voice-agent.ts';
import { callToolSetup, type ToolSetupDeps } from './call-tool-setup.ts';
import { type CallRelay, setupFrame } from './open-relay.ts';
import { type FactWriterDeps, factWriter } from './progress/fact-writer.ts';
import type { CallEnding } from './progress/progress.ts';
import type { RunningCall } from './progress/progress-store.ts';

export type ConverseDeps = FactWriterDeps &
  ToolSetupDeps & {
    storage: ObjectStorage;
    recordings_folder: string;
    quota: Pick<StorageQuota, 'check' | 'stored'>;
    media_clock: MediaClock;
    commands: Pick<CommandRunner, 'open'>;
    transferPort(call: RunningCall): TransferPort;
    ids: Ids;
    /** The spans of the running call; null: tracing is off. */
    trace?: RecordTrace | null;
  };

/** The relay, where there is one, replies in place of the model. */
export type CallEngineSet = SpeechEngines & { relay: CallRelay | undefined };

export async function converse(
  deps: ConverseDeps,
  call: RunningCall,
  media: MediaSession,
  engines: CallEngineSet,
  opened_ms: number,
  signal: AbortSignal,
): Promise<CallEnding> {
  const starting = call.is_recorded ? tryRecording(deps, call, media) : null;
  try {
    const [recording, tools] = await Promise.all([starting, callToolSetup(deps, call)]);
    return await speak(deps, call, { media, engines, opened_ms, recording, tools }, signal);
  } catch (error) {
    await (await starting)?.discard();
    throw error;
  }
}

type Prepared = {
  media: MediaSession;
  engines: CallEngineSet;
  opened_ms: number;
  recording: Recording | null;
  tools: CallToolSetup;
};

async function speak(
  deps: ConverseDeps,
  call: RunningCall,
  { media, engines, opened_ms, recording, tools }: Prepared,
  signal: AbortSignal,
): Promise<CallEnding> {
  const clock = deps.media_clock;
  const facts = factWriter(deps, call);
  // The duration counts from the answer; loading engines or opening the recording may have used part of it.
  const waited_ms = clock.ms() - opened_ms;
  const spoken = spokenCall(call.plan, call.direction);
  engines.relay?.link.send(setupFrame(call, deps.ids.next()));
  let closeCommands = () => {};
  const end = await speakOnCall(
    {
      ...engines,
      clock,
      emit: tracedFacts(deps.trace ?? null, facts.emit),
      tools,
      trace: deps.trace ?? null,
      transfers: deps.transferPort(call),
      opened(control) {
        closeCommands = deps.commands.open(call.id, control);
      },
    },
    recording?.session ?? media,
    { ...spoken, max_duration_ms: Math.max(0, spoken.max_duration_ms - waited_ms) },
    signal,
  ).finally(() => closeCommands());
  if (signal.reason === 'taken_over') await recording?.discard();
  const set = recording && signal.reason !== 'taken_over' ? await storeRecording(deps, call, recording) : {};
  await facts.written();
  return {
    trigger: end.outcome === 'completed' ? 'hung_up' : 'broke',
    end_reason: end.reason,
    detail: end.detail,
    duration_seconds: Math.round((waited_ms + end.duration_ms) / 1000),
    set,
  };
}

type Recording = Awaited<ReturnType<typeof startRecording>>;

/** Null when the recording cannot be started, which does not fail the call. */
async function tryRecording(
  deps: ConverseDeps,
  call: RunningCall,
  media: MediaSession,
): Promise<Recording | null> {
  try {
    return await startRecording({ ...deps, clock: deps.media_clock }, call, media);
  } catch (error) {
    await noteNotRecorded(deps, call, error);
    return null;
  }
}

/** Returns the columns of the call to set. A recording that cannot be stored does not fail the call. */
async function storeRecording(
  { progress, log }: ConverseDeps,
  call: RunningCall,
  recording: Recording,
): Promise<Record<string, unknown>> {
  const set: Record<string, unknown> = {};
  try {
    const { recording_key, ...stored } = await recording.finish();
    set.recording_key = recording_key;
    set.recording_bytes = stored.size_bytes;
    await progress.note(call, 'recorded', stored);
  } catch (error) {
    if (error instanceof StoredLater)
      log.warn({ call_id: call.id, err: error }, 'recording not stored yet, its file is kept');
    else await noteNotRecorded({ progress, log }, call, error);
  }
  return set;
}

async function noteNotRecorded(
  { progress, log }: Pick<ConverseDeps, 'progress' | 'log'>,
  call: RunningCall,
  error: unknown,
): Promise<void> {
  const is_over_quota = error instanceof ApiError && error.code === 'storage_full';
  if (!is_over_quota) log.error({ call_id: call.id, err: error }, 'recording not stored');
  const detail = is_over_quota
    ? 'The organization stores as much as it may.'
    : isDiskFull(error)
      ? 'The disk of the service is full.'
      : 'The recording could not be stored.';
  await progress.note(call, 'not_recorded', { detail });
}
