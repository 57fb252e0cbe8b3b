// Records one call: to a temporary file while the call lasts, to object storage when it is over.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const folder = await mkdtemp(join(tmpdir(), 'parley-recording-'));
  const path = join(folder, 'call.wav');
  const recording = recordCall({
    clock: deps.clock,
    session,
    to: createWriteStream(path, { mode: 0o600 }),
  });

  return {
    session: recording.session,
    /** For a call that another process leads: nothing is stored. */
    async discard(): Promise<void> {
      await recording.finish().catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
    /** Stores the recording and deletes the temporary file. `recording_key` is its key in object storage. */
    async finish(): Promise<{ recording_key: string; duration_ms: number; size_bytes: number }> {
      try {
        const { header, duration_ms, size_bytes } = await recording.finish();
        // The header was written before the length was known.
        const file = await open(path, 'r+');
        await file.write(header, 0, header.length, 0).finally(() => file.close());
        await deps.quota.check(call.organization_id, size_bytes);
        const recording_key = `recordings/${call.id}`;
        const stored = await deps.storage.put(recording_key, createReadStream(path), {
          content_type: 'audio/wav',
          max_bytes,
        });
        if ('too_large' in stored) throw new Error('The recording is too large to be stored.');
        deps.quota.stored(call.organization_id, size_bytes);
        return { recording_key, duration_ms, size_bytes };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
