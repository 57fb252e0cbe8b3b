// Keeps the recording of one call: on this machine's disk while somebody speaks, in storage when it is whole.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';
import { recordCall } from '../../../providers/media/recorder.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { StorageQuota } from '../../storage-quota/index.ts';

/** More than the longest call needs. */
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
    /** The key it is stored under. */
    async finish(): Promise<{ recording_key: string; duration_ms: number; size_bytes: number }> {
      try {
        const { header, duration_ms, size_bytes } = await recording.finish();
        const file = await open(path, 'r+');
        await file.write(header, 0, header.length, 0).finally(() => file.close());
        await deps.quota.check(call.organization_id, size_bytes);
        const recording_key = `recordings/${call.id}`;
        const kept = await deps.storage.put(recording_key, createReadStream(path), {
          content_type: 'audio/wav',
          max_bytes,
        });
        if ('too_large' in kept) throw new Error('The recording is too large to be kept.');
        deps.quota.stored(call.organization_id, size_bytes);
        return { recording_key, duration_ms, size_bytes };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
