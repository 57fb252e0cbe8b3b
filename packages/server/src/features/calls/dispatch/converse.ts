// The answered part of a call on which our agent speaks: the conversation, its transcript and its recording.
import { isDiskFull } from '../../../platform/disk-space.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { StorageQuota } from '../../storage-quota/index.ts';
import type { CommandRunner } from '../commands/command-runner.ts';
import { startRecording } from '../conversation/recording.ts';
import { spokenCall } from '../conversation/speech-plan.ts';
import type { TransferPort } from '../conversation/transfer/transfer-port.ts';
import { type SpeechEngines, speakOnCall } from '../conversation/voice-agent.ts';
import { callToolSetup, type ToolSetupDeps } from './call-tool-setup.ts';
import { type FactWriterDeps, factWriter } from './fact-writer.ts';
import { type CallRelay, setupFrame } from './open-relay.ts';
import type { CallEnding } from './progress.ts';
import type { RunningCall } from './progress-store.ts';

export type ConverseDeps = FactWriterDeps &
  ToolSetupDeps & {
    storage: ObjectStorage;
    quota: Pick<StorageQuota, 'check' | 'stored'>;
    media_clock: MediaClock;
    commands: Pick<CommandRunner, 'open'>;
    transferPort(call: RunningCall): TransferPort;
    ids: Ids;
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
  const clock = deps.media_clock;
  const facts = factWriter(deps, call);
  const [recording, tools] = await Promise.all([
    call.is_recorded ? startRecording({ ...deps, clock }, call, media) : null,
    callToolSetup(deps, call),
  ]);
  // The duration counts from the answer; loading engines or opening the recording may have used part of it.
  const waited_ms = clock.ms() - opened_ms;
  const spoken = spokenCall(call.plan, call.direction);
  engines.relay?.link.send(setupFrame(call, deps.ids.next()));
  let closeCommands = () => {};
  const end = await speakOnCall(
    {
      ...engines,
      clock,
      emit: facts.emit,
      tools,
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

/** Returns the columns of the call to set. A recording that cannot be stored does not fail the call. */
async function storeRecording(
  { progress, log }: ConverseDeps,
  call: RunningCall,
  recording: Awaited<ReturnType<typeof startRecording>>,
): Promise<Record<string, unknown>> {
  const set: Record<string, unknown> = {};
  try {
    const { recording_key, ...stored } = await recording.finish();
    set.recording_key = recording_key;
    set.recording_bytes = stored.size_bytes;
    await progress.note(call, 'recorded', stored);
  } catch (error) {
    const is_over_quota = error instanceof ApiError && error.code === 'storage_full';
    if (!is_over_quota) log.error({ call_id: call.id, err: error }, 'recording not stored');
    const detail = is_over_quota
      ? 'The organization stores as much as it may.'
      : isDiskFull(error)
        ? 'The disk of the service is full.'
        : 'The recording could not be stored.';
    await progress.note(call, 'not_recorded', { detail });
  }
  return set;
}
