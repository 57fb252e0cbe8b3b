// Loads a WAV file that a relay wants to be played, and converts it to samples of the line.
import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { checkUrl } from '../../../platform/egress/check-url.ts';
import { readCapped } from '../../../platform/egress/request-once.ts';
import { RelayFailed } from '../relay.ts';
import type { SoundConverter } from './convert-sound.ts';

const max_bytes = 5 * 1024 * 1024;
const timeout_ms = 10_000;

export async function loadSound(
  { policy, agent, sounds }: { policy: AddressPolicy; agent: Dispatcher; sounds: SoundConverter },
  source: string,
  signal: AbortSignal,
): Promise<Int16Array> {
  const verdict = checkUrl(source, policy);
  if (!verdict.ok) throw new RelayFailed(`the address of the sound may not be called (${verdict.reason})`);
  const { statusCode, body } = await request(verdict.url, {
    method: 'GET',
    headers: { accept: 'audio/wav' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
    dispatcher: agent,
  });
  // One byte more than allowed shows that the file is too long.
  const bytes = await readCapped(body as Readable, max_bytes + 1);
  if (statusCode !== 200) throw new RelayFailed(`the sound was answered with ${statusCode}`);
  if (bytes.length > max_bytes) throw new RelayFailed('the sound has more than 5 MiB');
  const pcm = await sounds.convert(bytes, signal);
  if (!pcm) throw new RelayFailed('the sound is not a WAV file with PCM of 16 bits or µ-law');
  return pcm;
}
