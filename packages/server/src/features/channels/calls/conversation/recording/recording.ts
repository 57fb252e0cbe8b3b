// Records one call: to a file while the call lasts, to object storage when it is over.
import type { Readable } from 'node:stream';
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../../../providers/media/media-session.ts';
import { recordCall } from '../../../../../providers/media/recorder.ts';
import type { ObjectStorage } from '../../../../../providers/storage/storage.ts';
import type { StorageQuota } from '../../../../rules/storage-quota/index.ts';
import { openRecordingFile } from './recording-file.ts';

/** More than the longest allowed call needs. */
const max_bytes = 1024 * 1024 * 1024;

/** The object storage did not take the recording. Its file is stored later; see late-recordings.ts. */
export class StoredLater extends Error {
  override name = 'StoredLater';
}

class TooLong extends Error {}

export const recordingKey = (call_id: string): string => `recordings/${call_id}`;

export async function storeFile(storage: ObjectStorage, call_id: string, content: Readable): Promise<void> {
  const options = { content_type: 'audio/wav', max_bytes };
  const stored = await storage.put(recordingKey(call_id), content, options);
  if ('too_large' in stored) throw new TooLong('The recording is too large to be stored.');
}

export async function startRecording(
  deps: {
    storage: ObjectStorage;
    quota: Pick<StorageQuota, 'check' | 'stored'>;
    clock: MediaClock;
    recordings_folder: string;
  },
  call: { id: string; organization_id: string },
  session: MediaSession,
) {
  const file = await openRecordingFile(deps.recordings_folder, call);
  const recording = recordCall({
    clock: deps.clock,
    session,
    to: file.writer(),
  });
  const store = async () => {
    try {
      await storeFile(deps.storage, call.id, file.reader());
    } catch (error) {
      if (error instanceof TooLong || !file.has_name) throw error;
      await file.keep();
      throw new StoredLater('The recording is stored later', { cause: error });
    }
  };

  return {
    session: recording.session,
    /** For a call that another process leads: nothing is stored. */
    async discard(): Promise<void> {
      await recording.finish().catch(() => {});
      await file.remove();
    },
    /** Stores the recording and deletes its file. `recording_key` is its key in object storage. */
    async finish(): Promise<{ recording_key: string; duration_ms: number; size_bytes: number }> {
      try {
        const { header, duration_ms, size_bytes } = await recording.finish();
        // The header was written before the length was known.
        await file.replaceStart(header);
        await deps.quota.check(call.organization_id, size_bytes);
        await store();
        deps.quota.stored(call.organization_id, size_bytes);
        await file.remove();
        return { recording_key: recordingKey(call.id), duration_ms, size_bytes };
      } catch (error) {
        if (!(error instanceof StoredLater)) await file.remove();
        throw error;
      }
    },
  };
}
