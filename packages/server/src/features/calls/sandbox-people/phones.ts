// The sandbox's people at their phones: what the sandbox carrier finds behind a number.

import type { MediaSession } from '../../../providers/media/media-session.ts';
import type { SandboxPerson } from './people.ts';
import { personAt } from './people.ts';
import { type PersonDeps, playPerson } from './person.ts';

/** The engines are asked for only when somebody picks up. */
export function sandboxPhones(deps: Omit<PersonDeps, 'voice'>) {
  return {
    clock: deps.clock,
    phoneAt(number: string) {
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

/** Another one than the agent's own, so that a listener can tell them apart. */
const persons_voice = 'rms';
