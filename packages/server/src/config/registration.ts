// The settings of registrations with carriers.
import { text } from '../platform/settings.ts';

export const registrationSettings = {
  PARLEY_COMPLIANCE_EMAIL: text({
    default: null,
    meaning:
      'Address that the carrier writes to about verifications. Twilio needs it for verifications that are made with the API.',
  }),
  TWILIO_CUSTOMER_PROFILE_SID: text({
    default: null,
    meaning:
      'The approved primary customer profile of the Twilio account, BU followed by 32 hexadecimal digits. US brands need it.',
  }),
} as const;

export function registrationProblems(values: {
  PARLEY_COMPLIANCE_EMAIL: string | null;
  TWILIO_CUSTOMER_PROFILE_SID: string | null;
}): string[] {
  const { PARLEY_COMPLIANCE_EMAIL: email, TWILIO_CUSTOMER_PROFILE_SID: profile } = values;
  return [
    ...(email !== null && !/^[^\s@]+@[^\s@]+$/.test(email)
      ? ['PARLEY_COMPLIANCE_EMAIL: expected an email address']
      : []),
    ...(profile !== null && !/^BU[0-9a-fA-F]{32}$/.test(profile)
      ? ['TWILIO_CUSTOMER_PROFILE_SID: expected BU followed by 32 hexadecimal digits']
      : []),
  ];
}
