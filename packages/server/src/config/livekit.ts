// The settings of LiveKit as a carrier.

import { choice, type SettingsOf, text, url } from '../platform/settings.ts';
import { networks, phoneNumbers } from './network-settings.ts';

export const liveKitSettings = {
  LIVEKIT_URL: url({
    default: null,
    protocols: ['http:', 'https:', 'ws:', 'wss:'],
    meaning: 'Address of the LiveKit server that connects calls. Worker processes join its rooms.',
  }),
  LIVEKIT_API_KEY: text({ default: null, meaning: 'API key of that server.' }),
  LIVEKIT_API_SECRET: text({ default: null, meaning: 'Secret of that key.', secret: true }),
  LIVEKIT_SIP_TRUNK_ID: text({
    default: null,
    meaning: 'Outbound trunk that calls go through (ST_…). Not needed where all calls are inbound.',
  }),
  LIVEKIT_NUMBERS: phoneNumbers({
    default: null,
    default_note: 'none',
    meaning: 'Numbers of the trunks, separated by commas; POST /v1/numbers offers them.',
  }),
  LIVEKIT_INBOUND: choice({
    default: 'off',
    of: ['off', 'on', 'set-up'],
    meaning:
      'Whether workers answer calls that LiveKit offers. "set-up" also creates the inbound trunk and the dispatch rule, or updates them.',
  }),
  LIVEKIT_INBOUND_SOURCES: networks({
    default: null,
    default_note: 'none',
    meaning:
      'With LIVEKIT_INBOUND=set-up: addresses or networks of the SIP provider that may call, separated by commas.',
  }),
  LIVEKIT_AGENT_NAME: text({
    default: 'parley',
    meaning:
      'Name under which workers register at LiveKit for inbound calls, and of the trunk and the rule that "set-up" creates.',
  }),
} as const;

export function liveKitProblems(values: SettingsOf<typeof liveKitSettings>): string[] {
  if (values.LIVEKIT_URL === null) return [];
  const missing = (['LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET'] as const)
    .filter((name) => values[name] === null)
    .map((name) => `${name}: needed because LIVEKIT_URL is set`);
  const { LIVEKIT_INBOUND: inbound } = values;
  if (inbound === 'off' && values.LIVEKIT_SIP_TRUNK_ID === null)
    missing.push('LIVEKIT_SIP_TRUNK_ID: needed for outbound calls, unless LIVEKIT_INBOUND is on');
  if (inbound !== 'set-up') return missing;
  // Without them everyone on the internet could call the numbers.
  if (values.LIVEKIT_INBOUND_SOURCES === null)
    missing.push('LIVEKIT_INBOUND_SOURCES: needed because LIVEKIT_INBOUND is "set-up"');
  if (values.LIVEKIT_NUMBERS === null)
    missing.push('LIVEKIT_NUMBERS: needed because LIVEKIT_INBOUND is "set-up"');
  return missing;
}
