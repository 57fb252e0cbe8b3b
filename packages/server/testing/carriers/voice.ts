// The dependencies of a carrier's calls, for tests without the whole service.
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { fastClock } from '../fast-clock.ts';

export function testVoice(mediaUrl = 'wss://parley.example/media', clock: MediaClock = fastClock(10)) {
  const warnings: string[] = [];
  return {
    relay: null,
    announce: null,
    clock,
    log: { warn: (_fields: object, text: string) => void warnings.push(text) },
    mediaUrl: () => mediaUrl,
    aheadMs: () => 0,
    warnings,
  };
}
