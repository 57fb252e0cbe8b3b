// Records one call: to a temporary file while the call lasts, to object storage when it is over.
import { openUnnamedFile } from '../../../platform/unnamed-file.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';
import { recordCall } from '../../../providers/media/recorder.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { StorageQuota } from '../../storage-quota/index.ts';

/** More than the longest allowed call needs. */
const max_bytes = 1024 * 1024 * 1024;

export async function startRecording(
  deps: { storage: ObjectStorage; quota: Pick<StorageQuota, 'check' | 'stored'>; clock: MediaClock },
  call: { id: string; organization_id: string },
  session: MediaSession,
) {
  const file = await openUnnamedFile();
  const recording = recordCall({
    clock: deps.clock,
    session,
    to: file.writer(),
  });

  return {
    session: recording.session,
    /** For a call that another process leads: nothing is stored. */
    async discard(): Promise<void> {
      await recording.finish().catch(() => {});
      await file.close();
    },
    /** Stores the recording and closes the temporary file. `recording_key` is its key in object storage. */
    async finish(): Promise<{ recording_key: string; duration_ms: number; size_bytes: number }> {
      try {
        const { header, duration_ms, size_bytes } = await recording.finish();
        // The header was written before the length was known.
        await file.replaceStart(header);
        await deps.quota.check(call.organization_id, size_bytes);
        const recording_key = `recordings/${call.id}`;
        const stored = await deps.storage.put(recording_key, file.reader(), {
          content_type: 'audio/wav',
          max_bytes,
        });
        if ('too_large' in stored) throw new Error('The recording is too large to be stored.');
        deps.quota.stored(call.organization_id, size_bytes);
        return { recording_key, duration_ms, size_bytes };
      } finally {
        await file.close();
      }
    },
  };
}
