// SIP trunk as a carrier for calls: no SMS, and the numbers that the settings list.
import type { Carrier, CarrierEvent } from '../carrier.ts';
import { callOnlyCarrier } from '../carrier-kinds.ts';
import type { SipTrunkOptions } from './options.ts';
import type { RegistrationState } from './registration.ts';
import { type SipTrunkDeps, sipTrunk } from './trunk.ts';
import { sipVoice } from './voice-port.ts';

export function sipCarrier(
  options: SipTrunkOptions,
  deps: Pick<SipTrunkDeps, 'log' | 'hasCapacity'> & { handleEvents(events: CarrierEvent[]): Promise<void> },
): Carrier {
  const trunk = sipTrunk(options, { ...deps, decideInbound: (offer) => decideInbound(offer) });
  const { callState, decideInbound, ...voice } = sipVoice(trunk, deps.handleEvents);
  let stopped: Promise<void> | null = null;

  return {
    name: 'sip',
    ...callOnlyCarrier(options.numbers),
    voice,
    // The listener watches the lines of the trunk.
    check: null,
    callState,
    readCallback: null,
    listener: {
      start: async () => void (await trunk.start()),
      stop() {
        stopped ??= trunk.stop();
        return stopped;
      },
      problem() {
        const { state, detail } = trunk.health();
        if (state === 'down') return `The SIP trunk does not respond (${detail}).`;
        return registrationProblem(trunk.registration());
      },
    },
  };
}

function registrationProblem(registration: RegistrationState | null): string | null {
  if (!registration) return null;
  const { state, detail } = registration;
  if (state === 'refused') return `The SIP registrar refuses the registration (${detail}).`;
  return state === 'unreachable' ? `The SIP registrar does not respond (${detail}).` : null;
}
