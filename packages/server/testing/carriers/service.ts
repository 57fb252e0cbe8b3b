// Starts the whole service with a carrier's stand-in.
import { after } from 'node:test';
import type { AppOptions } from '../../src/app/app.ts';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { startTestApp } from '../app.ts';
import { codedSpeech } from '../calls.ts';
import { livekit_access, startLiveKit } from './livekit.ts';
import { startTelnyx, telnyx_key, telnyx_profile } from './telnyx.ts';
import { startTwilio, twilio_account, twilio_token } from './twilio.ts';

export async function startOnTwilio(
  environment: Record<string, string> = {},
  options: Partial<AppOptions> = {},
) {
  const twilio = await startTwilio();
  after(() => twilio.close());
  const app = await startTestApp(
    {
      PARLEY_CARRIER: 'twilio',
      TWILIO_ACCOUNT_SID: twilio_account,
      TWILIO_AUTH_TOKEN: twilio_token,
      TWILIO_BASE_URL: twilio.url,
      PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
      ...environment,
    },
    options,
  );
  return { ...app, twilio };
}

export async function startOnTelnyx(
  environment: Record<string, string> = {},
  options: Partial<AppOptions> = {},
) {
  const telnyx = await startTelnyx();
  after(() => telnyx.close());
  const app = await startTestApp(
    {
      PARLEY_CARRIER: 'telnyx',
      TELNYX_API_KEY: telnyx_key,
      TELNYX_PUBLIC_KEY: telnyx.public_key,
      TELNYX_MESSAGING_PROFILE_ID: telnyx_profile,
      TELNYX_BASE_URL: telnyx.url,
      PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
      ...environment,
    },
    options,
  );
  telnyx.profile.webhook_url = `${app.url}/v1/carriers/telnyx/callbacks`;
  return { ...app, telnyx };
}

/** The rooms of LiveKit are in memory; `clock` is that of the calls. */
export async function startOnLiveKit(clock: MediaClock, environment: Record<string, string> = {}) {
  const livekit = await startLiveKit(clock);
  after(() => livekit.close());
  const app = await startTestApp(
    {
      PARLEY_CARRIER: 'livekit',
      LIVEKIT_URL: livekit.url,
      LIVEKIT_API_KEY: livekit_access.api_key,
      LIVEKIT_API_SECRET: livekit_access.api_secret,
      LIVEKIT_SIP_TRUNK_ID: 'ST_1',
      LIVEKIT_NUMBERS: '+14155550100',
      PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
      ...environment,
    },
    { speech: () => codedSpeech({ clock }), livekit_rooms: livekit.port },
  );
  return { ...app, livekit };
}
