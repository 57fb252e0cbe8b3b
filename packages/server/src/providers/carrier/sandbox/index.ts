// The sandbox carrier: no account, no network, and a fixed outcome for every reserved number.
import type { Clock } from '../../../platform/clock.ts';
import type { Carrier, CarrierEvent } from '../carrier.ts';
import type { SandboxPhones } from '../sandbox-phones.ts';
import { sandbox_numbers } from './numbers.ts';
import { sandboxMessaging, sandboxRegistration } from './registration.ts';
import { isRepeatable } from './reserved-numbers.ts';
import { type HandedTexts, sandboxSms } from './sms.ts';
import { type SandboxVoice, sandboxVoice } from './voice.ts';

export { default_sms_sender, poolNumbers } from './reserved-numbers.ts';
export type { HandedTexts } from './sms.ts';

export function sandboxCarrier(deps: {
  handleEvents(events: CarrierEvent[]): Promise<void>;
  /** The simulated phones; null where calls are not available. */
  phones: SandboxPhones | null;
  clock: Clock;
  handed_texts: HandedTexts;
}): Carrier & { voice: SandboxVoice | null } {
  const voice = deps.phones && sandboxVoice({ ...deps.phones, handleEvents: deps.handleEvents });
  const reportLater = (events: CarrierEvent[]) =>
    void setImmediate(() => void deps.handleEvents(events).catch(() => {}));
  return {
    name: 'sandbox',
    capabilities: {
      simulated: true,
      sms: true,
      sender_names: true,
      answers_opt_out_keywords: false,
      numbers: true,
      verification: true,
      voice: voice !== null,
    },
    sms: sandboxSms(reportLater, deps.handed_texts),
    isRepeatable,
    numbers: sandbox_numbers,
    registration: sandboxRegistration(deps.clock),
    messaging: sandboxMessaging(deps.clock),
    voice,
    check: null,
    callState: async (provider_call_id) => ({ outcome: voice?.isLive(provider_call_id) ? 'live' : 'ended' }),
    readCallback: null,
    openMedia: null,
    listener: null,
  };
}
