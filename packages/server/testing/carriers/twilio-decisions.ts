// Complete answers for Twilio's forms about texts, and the decisions of Twilio and the registry in the stand-in.
import type { TwilioStandIn } from './twilio.ts';

const address = {
  street: '1 Main St',
  city: 'Austin',
  region: 'TX',
  postal_code: '73301',
  country_code: 'US',
};

export const text_samples = {
  us_brand: {
    subject_name: 'Example Inc',
    address,
    registration_number: '12-3456789',
    answers: {
      business_type: 'Corporation',
      business_industry: 'TECHNOLOGY',
      business_registration_identifier: 'EIN',
      business_regions_of_operation: 'USA_AND_CANADA',
      website_url: 'https://example.com',
      first_name: 'Jane',
      last_name: 'Doe',
      email: 'jane@example.com',
      phone_number: '+14155550123',
      business_title: 'Head of service',
      job_position: 'Director',
      company_type: 'private',
    },
  },
  us_campaign: {
    subject_name: 'Reminders',
    address: null,
    registration_number: null,
    answers: {
      use_case: 'CUSTOMER_CARE',
      description: 'Reminders of appointments that customers have made with us.',
      message_flow: 'Customers agree to texts when they make an appointment on the web page.',
      message_samples: ['Your appointment is tomorrow, at 9.', 'Your appointment was moved, to 10.'],
    },
  },
  toll_free: {
    subject_name: 'Example Inc',
    address,
    registration_number: '12-3456789',
    answers: {
      website: 'https://example.com',
      business_type: 'PRIVATE_PROFIT',
      registration_authority: 'EIN',
      contact_first_name: 'Jane',
      contact_last_name: 'Doe',
      contact_email: 'jane@example.com',
      contact_phone: '+14155550123',
      use_case: 'CUSTOMER_CARE',
      use_case_summary: 'Reminders of appointments.',
      message_sample: 'Your appointment is tomorrow at 9.',
      opt_in_type: 'WEB_FORM',
      opt_in_image_urls: ['https://example.com/form.png'],
      message_volume: '1,000',
    },
  },
};

const reason = { error_code: 30701, description: 'It does not match the register.', fields: [], url: null };

/** Decides about everything that is open. A rejection also takes back what was approved. */
export function decideAll({ hub, messaging }: TwilioStandIn, decision: 'approved' | 'rejected'): void {
  const approved = decision === 'approved';
  const errors = approved ? [] : [reason];
  for (const bundle of [...hub.profiles, ...hub.products])
    if (bundle.status === 'pending-review')
      Object.assign(bundle, {
        status: approved ? 'twilio-approved' : 'twilio-rejected',
        errors: approved ? null : [{ code: 18601 }],
      });
  for (const brand of messaging.brands)
    Object.assign(brand, {
      status: approved ? 'APPROVED' : 'FAILED',
      identity_status: approved ? 'VERIFIED' : 'UNVERIFIED',
      errors,
    });
  for (const campaign of messaging.campaigns)
    Object.assign(campaign, { campaign_status: approved ? 'VERIFIED' : 'FAILED', errors });
  for (const each of messaging.toll_free)
    if (approved || each.status !== 'TWILIO_REJECTED')
      Object.assign(each, {
        status: approved ? 'TWILIO_APPROVED' : 'TWILIO_REJECTED',
        rejection_reasons: approved ? null : [{ code: 30475, reason: 'Not clear.' }],
      });
}
