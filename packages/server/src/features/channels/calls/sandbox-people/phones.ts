// The phones of the sandbox: for each number, the person or the own phone that the sandbox carrier connects.
import { own_phone_number, type SandboxPhoneCall } from '@parley/contract/operations/sandbox/sandbox-phone';
import type { MovableClock } from '../../../../platform/clock.ts';
import type { SandboxPhone } from '../../../../providers/carrier/sandbox-phones.ts';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import { ownPhone } from './own-phone.ts';
import type { SandboxPerson, Step } from './people.ts';
import { personAt } from './people.ts';
import { type PersonDeps, playPerson } from './person.ts';

/** The engines are used only when a phone is answered. */
export function sandboxPhones(
  deps: Omit<PersonDeps, 'voice'> & {
    service_clock: MovableClock;
    phoneChanged(call: SandboxPhoneCall): void;
  },
) {
  const phone = ownPhone({
    tts: deps.tts,
    media_clock: deps.clock,
    clock: deps.service_clock,
    voice: persons_voice,
    changed: deps.phoneChanged,
  });
  return {
    clock: deps.clock,
    service_clock: deps.service_clock,
    phone,
    play: (session: MediaSession, steps: readonly Step[]) =>
      playPerson({ ...deps, voice: persons_voice }, session, steps),
    phoneAt(number: string): SandboxPhone {
      if (number === own_phone_number) return { answers: 'manually', rings_ms: 0, ring: phone.ring };
      const person: SandboxPerson = personAt(number);
      if (!person.answers) return person;
      const { steps } = person;
      return {
        ...person,
        talk: (session: MediaSession) => playPerson({ ...deps, voice: persons_voice }, session, steps),
      };
    },
  };
}

/** Not the agent's voice, so that a recording lets one tell them apart. */
const persons_voice = 'rms';
