// The whole service with a SIP trunk on loopback, and one number that it owns there.
import assert from 'node:assert/strict';
import type { AppOptions } from '../../src/app/app.ts';
import { startTestApp } from '../app.ts';
import { codedSpeech } from '../calls.ts';
import { freePort } from '../free-port.ts';

export const sip_number = '+14155550100';

/** The bundled speech engines take seconds to load, so only a call that is understood uses them. */
const without_speech_engines: Partial<AppOptions> = { speech: () => codedSpeech() };

export async function serviceWithTrunk(
  peer_port: number,
  keep_alive_seconds = 0,
  options: Partial<AppOptions> = without_speech_engines,
) {
  const listen_port = await freePort();
  const service = await startTestApp(
    {
      PARLEY_CARRIER: 'sip',
      PARLEY_SIP_TRUNK_HOST: '127.0.0.1',
      PARLEY_SIP_TRUNK_PORT: String(peer_port),
      PARLEY_SIP_LISTEN_HOST: '127.0.0.1',
      PARLEY_SIP_LISTEN_PORT: String(listen_port),
      PARLEY_SIP_NUMBERS: sip_number,
      PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
      PARLEY_SIP_KEEP_ALIVE_SECONDS: String(keep_alive_seconds),
    },
    options,
  );
  const number = await service.client.request<{ id: string; e164: string; provider: string }>(
    'POST',
    '/v1/numbers',
    { country_code: 'US', capabilities: ['voice'] },
  );
  assert.deepEqual(
    [number.status, number.body.e164, number.body.provider],
    [201, sip_number, 'sip'],
    number.text,
  );
  return { ...service, number_id: number.body.id, listen_port };
}
