// Registration with Twilio: passes each kind of verification to its own module.
import type { RegistrationKind, RegistrationPort } from '../../registration.ts';
import { brandRegistration } from './brand.ts';
import { campaignRegistration } from './campaign.ts';
import type { KindRegistration, RegistrationDeps } from './kind.ts';
import { numberRegistration } from './number.ts';
import { tollFreeRegistration } from './toll-free.ts';

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
