// Registration with Telnyx: passes each kind of verification to its own module.
import type { RegistrationKind, RegistrationPort } from '../../registration.ts';
import { brandRegistration } from './brand.ts';
import { campaignRegistration } from './campaign.ts';
import type { KindRegistration, RegistrationDeps } from './kind.ts';
import { numberRegistration } from './number.ts';
import { tollFreeRegistration } from './toll-free.ts';

export function telnyxRegistration(deps: RegistrationDeps): RegistrationPort {
  const kinds: Record<RegistrationKind, KindRegistration> = {
    number: numberRegistration(deps),
    us_brand: brandRegistration(deps),
    us_campaign: campaignRegistration(deps),
    toll_free: tollFreeRegistration(deps),
  };
  return {
    kinds: Object.keys(kinds) as RegistrationKind[],
    requirements: (query) => kinds[query.kind].requirements(query),
    advance: (request, progress, options) => kinds[request.kind].advance(request, progress, options),
    state: (progress, kind) => kinds[kind].state(progress),
    cancel: (progress, kind) => kinds[kind].cancel(progress),
    adopt: ({ kind, provider_verification_id }) => kinds[kind].adopt(provider_verification_id),
  };
}
