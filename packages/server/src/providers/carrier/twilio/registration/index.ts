// Registration with Twilio: passes each kind of verification to its own module.
import type { RegistrationKind, RegistrationPort } from '../../registration.ts';
import type { TwilioApi } from '../api.ts';
import { brandRegistration } from './brand.ts';
import { campaignRegistration } from './campaign.ts';
import { numberRegistration } from './number.ts';
import type { RegulationReader } from './regulations.ts';
import { tollFreeRegistration } from './toll-free.ts';

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

/** The kinds that are built, each in a file of this folder. */
const kinds: Partial<Record<RegistrationKind, (deps: RegistrationDeps) => KindRegistration>> = {
  number: numberRegistration,
  us_brand: brandRegistration,
  us_campaign: campaignRegistration,
  toll_free: tollFreeRegistration,
};

export function twilioRegistration(deps: RegistrationDeps): RegistrationPort {
  const built: Partial<Record<RegistrationKind, KindRegistration>> = Object.fromEntries(
    Object.entries(kinds).map(([kind, build]) => [kind, build(deps)]),
  );
  const detail = 'This kind of verification is made in the console of Twilio and recorded here.';
  const refused = { outcome: 'refused', code: 'not_supported', detail } as const;
  return {
    kinds: Object.keys(built) as RegistrationKind[],
    requirements: async (query) =>
      built[query.kind]?.requirements(query) ?? { outcome: 'not_supported', detail },
    advance: async (request, progress, options) =>
      built[request.kind]?.advance(request, progress, options) ?? refused,
    state: async (progress, kind) => built[kind]?.state(progress) ?? refused,
    cancel: async (progress, kind) => built[kind]?.cancel(progress) ?? refused,
    adopt: async ({ kind, provider_verification_id }) =>
      built[kind]?.adopt(provider_verification_id) ?? refused,
  };
}
