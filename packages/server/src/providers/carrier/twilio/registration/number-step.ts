// What each step of the registration of a number reads.
import type { RegistrationRequest } from '../../registration.ts';
import type { RegistrationDeps } from './kind.ts';
import type { NumberProgress } from './number-progress.ts';
import type { Regulation } from './regulations.ts';

export type StepContext = Pick<RegistrationDeps, 'api' | 'callbackUrl'> & {
  compliance_email: string;
  request: RegistrationRequest;
  /** Null where the number needs an address and nothing else. */
  regulation: Regulation | null;
  progress: NumberProgress;
  may_be_done: boolean;
};
