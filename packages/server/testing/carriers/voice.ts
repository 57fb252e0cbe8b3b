// What a carrier's adapter needs for calls, in tests that have no whole service around it.
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { fastClock } from '../fast-clock.ts';

export function testVoice(mediaUrl = 'wss://parley.example/media', clock: MediaClock = fastClock(10)) {
  const warnings: string[] = [];
  return {
    clock,
    log: { warn: (_fields: object, text: string) => void warnings.push(text) },
    mediaUrl: () => mediaUrl,
    aheadMs: () => 0,
    warnings,
  };
}
