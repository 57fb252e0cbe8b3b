// Check 4: why the recipient may be contacted. Request validation refuses requests without recipient_consent, and a
// revoked consent is a suppression. A future log of consents is checked here.
import type { Check } from '../admission.ts';

export const consentCheck: Check = {
  name: 'consent',
  run: (_, { consent }) => ({ outcome: consent === 'service' ? 'skip' : 'allow' }),
};
