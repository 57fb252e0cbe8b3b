// Stores the recordings that were left in files: the object storage did not answer, or the process was killed during the call.
import { rm } from 'node:fs/promises';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Database } from '../../../../../platform/db/database.ts';
import type { Ids } from '../../../../../platform/ids.ts';
import type { Log } from '../../../../../platform/log.ts';
import { streamsOf } from '../../../../../platform/unnamed-file.ts';
import { wav_header_bytes } from '../../../../../protocols/audio/wav.ts';
import { recordingHeader } from '../../../../../providers/media/recorder.ts';
import type { ObjectStorage } from '../../../../../providers/storage/storage.ts';
import type { StorageQuota } from '../../../../rules/storage-quota/index.ts';
import type { TimelineStore } from '../../timeline-store.ts';
import { recordingKey, storeFile } from './recording.ts';
import { type UnfinishedRecording, unfinishedRecordings } from './recording-file.ts';
import { recordingStore } from './recording-store.ts';

type LateRecordingDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  storage: ObjectStorage;
  quota: Pick<StorageQuota, 'check' | 'stored'>;
  timeline: Pick<TimelineStore, 'add'>;
  recordings_folder: string;
};

const every_ms = 60_000;

/** Files are on this machine, so each process looks itself instead of a job that any process may run. */
export function lateRecordings(deps: LateRecordingDeps) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  const run = (): Promise<void> => {
    running ??= storeAll(deps).finally(() => {
      running = null;
    });
    return running;
  };
  const runAndLog = () =>
    void run().catch((error) => deps.log.error({ err: error }, 'late recordings not stored'));
  return {
    run,
    start(): void {
      runAndLog();
      timer = setInterval(runAndLog, every_ms);
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await running?.catch(() => undefined);
    },
  };
}

async function storeAll(deps: LateRecordingDeps): Promise<void> {
  for await (const recording of unfinishedRecordings(deps.recordings_folder, Date.now)) {
    try {
      if (await storeOne(deps, recording)) await rm(recording.path, { force: true });
    } catch (error) {
      // The file stays for the next run.
      deps.log.warn({ call_id: recording.id, err: error }, 'late recording not stored');
    }
  }
}

/** True when the file is no longer needed. */
async function storeOne(deps: LateRecordingDeps, recording: UnfinishedRecording): Promise<boolean> {
  const { organization_id, id } = recording;
  const store = recordingStore(deps.db);
  const call = await store.find(organization_id, id);
  // Erased with the person, or another process leads the call and stored its own recording.
  if (!call || call.recording_key !== null || call.content_erased_at !== null) return true;
  if (call.ended_at === null) return false;
  // A process that is killed may leave half a sample.
  const data_bytes =
    recording.size_bytes - wav_header_bytes - ((recording.size_bytes - wav_header_bytes) % 4);
  if (data_bytes <= 0) return true;
  const streams = streamsOf(recording.file);
  const { header, duration_ms } = recordingHeader(data_bytes);
  await streams.replaceStart(header);
  const size_bytes = wav_header_bytes + data_bytes;
  await deps.quota.check(organization_id, size_bytes);
  await storeFile(deps.storage, id, streams.reader());
  const is_stored = await store.setRecording(organization_id, id, {
    recording_key: recordingKey(id),
    recording_bytes: size_bytes,
  });
  // The content was erased while it was stored.
  if (!is_stored) await deps.storage.remove(recordingKey(id));
  else {
    deps.quota.stored(organization_id, size_bytes);
    const occurred_at = deps.clock.now().toISOString();
    const detail = { duration_ms, size_bytes };
    const entry = { id: deps.ids.next(), organization_id, call_id: id, kind: 'recorded', detail } as const;
    await deps.timeline.add({ organization_id, id }, { ...entry, occurred_at });
  }
  return true;
}
