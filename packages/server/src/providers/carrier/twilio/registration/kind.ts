// What the registration of each kind needs, and what it offers.
import type { RegistrationPort } from '../../registration.ts';
import type { TwilioApi } from '../api.ts';
import type { RegulationReader } from './regulations.ts';

export type RegistrationDeps = {
  api: TwilioApi;
  regulations: RegulationReader;
  /** Our URL for Twilio's callbacks. */
  callbackUrl(): string;
  /** Who Twilio writes to about registrations; null where the operator did not say. */
  compliance_email: string | null;
  /** The operator's approved primary customer profile, BU…; null where the operator did not say. */
  customer_profile_sid: string | null;
};

/** The registration port for one kind. */
export type KindRegistration = {
  requirements: RegistrationPort['requirements'];
  advance: RegistrationPort['advance'];
  state(progress: Parameters<RegistrationPort['state']>[0]): ReturnType<RegistrationPort['state']>;
  cancel(progress: Parameters<RegistrationPort['cancel']>[0]): ReturnType<RegistrationPort['cancel']>;
  adopt(provider_verification_id: string): ReturnType<RegistrationPort['adopt']>;
};
