// The settings of LiveKit as a carrier.

import { type SettingsOf, text, url } from '../platform/settings.ts';
import { phoneNumbers } from './network-settings.ts';

export const liveKitSettings = {
  LIVEKIT_URL: url({
    default: null,
    protocols: ['http:', 'https:', 'ws:', 'wss:'],
    meaning: 'Address of the LiveKit server that carries calls and runs the agent.',
  }),
  LIVEKIT_API_KEY: text({ default: null, meaning: 'API key of that server.' }),
  LIVEKIT_API_SECRET: text({ default: null, meaning: 'Secret of that key.', secret: true }),
  LIVEKIT_SIP_TRUNK_ID: text({ default: null, meaning: 'Outbound trunk that calls go through (ST_…).' }),
  LIVEKIT_AGENT_NAME: text({
    default: 'parley',
    meaning: 'Name under which the agent worker is registered.',
  }),
  LIVEKIT_NUMBERS: phoneNumbers({
    default: null,
    default_note: 'none',
    meaning: 'Numbers of that trunk, separated by commas; POST /v1/numbers offers them.',
  }),
} as const;

export function liveKitProblems(values: SettingsOf<typeof liveKitSettings>): string[] {
  if (values.LIVEKIT_URL === null) return [];
  return (['LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET', 'LIVEKIT_SIP_TRUNK_ID'] as const)
    .filter((name) => values[name] === null)
    .map((name) => `${name}: needed because LIVEKIT_URL is set`);
}
