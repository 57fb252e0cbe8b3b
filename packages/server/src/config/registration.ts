// The settings of registrations with carriers.
import { integer, text } from '../platform/settings.ts';

const fee = (meaning: string) =>
  integer({
    default: 0,
    min: 0,
    max: 1_000_000,
    meaning: `${meaning}, in cents. Charged once per verification, when it is submitted and PARLEY_FUNDS is on.`,
  });

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
  PARLEY_FEE_NUMBER_VERIFICATION_CENTS: fee('Fee for a verification of kind number'),
  PARLEY_FEE_US_BRAND_CENTS: fee('Fee for a US brand'),
  PARLEY_FEE_US_CAMPAIGN_CENTS: fee('Fee for a US campaign'),
  PARLEY_FEE_TOLL_FREE_CENTS: fee('Fee for a toll-free verification'),
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

/** The fees by the kind of the verification. */
export const registrationFees = (values: {
  PARLEY_FEE_NUMBER_VERIFICATION_CENTS: number;
  PARLEY_FEE_US_BRAND_CENTS: number;
  PARLEY_FEE_US_CAMPAIGN_CENTS: number;
  PARLEY_FEE_TOLL_FREE_CENTS: number;
}) => ({
  number: values.PARLEY_FEE_NUMBER_VERIFICATION_CENTS,
  us_brand: values.PARLEY_FEE_US_BRAND_CENTS,
  us_campaign: values.PARLEY_FEE_US_CAMPAIGN_CENTS,
  toll_free: values.PARLEY_FEE_TOLL_FREE_CENTS,
});
