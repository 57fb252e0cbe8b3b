// The errors of verifications.
import { defineErrors } from '../../error-definition.ts';

export const verificationErrors = defineErrors({
  verification_required: {
    status: 422,
    message: 'This number needs an approved verification.',
    when: 'The country requires proof of who uses a number of this type, and the organization has no approved verification for it.',
    fix: 'Submit one with POST /v1/verifications and buy the number once it is approved.',
  },
  verification_not_supported: {
    status: 422,
    message: 'The carrier does not accept verifications through this service.',
    when: 'The active carrier has no interface for verifications.',
    fix: 'Complete the verification in the carrier’s own console; a superadmin can then record it with POST /v1/admin/organizations/{organization_id}/verifications.',
  },
  verification_not_needed: {
    status: 422,
    message: 'The carrier needs no verification for this.',
    when: 'The carrier asks for nothing for this country, number type and kind.',
    fix: 'Buy or use the number without a verification.',
  },
  verification_incomplete: {
    status: 422,
    message: 'Something that the carrier wants to know is missing.',
    when: 'The verification was submitted, and a required answer or document is missing or not usable. The requirements of the carrier may have changed.',
    fix: 'Answer what errors lists with PATCH /v1/verifications/{verification_id}, upload the documents, and submit it again.',
  },
  verification_not_editable: {
    status: 409,
    message: 'The verification cannot be changed now.',
    when: 'Only a draft that is not being submitted, or a rejected verification, can be changed; an approved or canceled one cannot be canceled.',
    fix: 'Read the verification: state and waiting_for say who must act.',
  },
  too_many_verifications: {
    status: 422,
    message: 'The organization has too many open verifications.',
    when: 'The organization has 100 verifications that are neither approved nor canceled.',
    fix: 'Cancel drafts and rejected verifications that are not needed.',
  },
  brand_required: {
    status: 422,
    message: 'A campaign needs an approved brand.',
    when: 'brand_verification_id is missing, or it is not an approved us_brand of the organization at this carrier.',
    fix: 'Create a verification of kind us_brand first and wait until it is approved.',
  },
  campaign_not_usable: {
    status: 422,
    message: 'The number cannot join this campaign.',
    when: 'campaign_verification_id is not an approved us_campaign of the organization, or the number is not a US local number of the same carrier that can text.',
    fix: 'Use the id of an approved verification of kind us_campaign, and a US local number with the capability sms.',
  },
  kind_not_supported: {
    status: 422,
    message: 'The carrier does not support this kind of verification.',
    when: 'The active carrier registers other kinds through this service.',
    fix: 'Choose another kind, or register in the carrier’s own console.',
  },
  document_type_not_allowed: {
    status: 422,
    message: 'This document is not accepted.',
    when: 'The content is not PDF, JPEG or PNG, or the requirement does not take this document_type.',
    fix: 'Send a PDF, JPEG or PNG file for a document_type that the requirement lists in accepted_documents.',
  },
  document_too_large: {
    status: 413,
    message: 'The document is too large.',
    when: 'A document has more than 5 MiB.',
    fix: 'Send a smaller scan.',
  },
  document_infected: {
    status: 422,
    message: 'The document contains a virus.',
    when: 'The virus scanner of this server refused the content. It was not stored.',
    fix: 'Send a clean document.',
  },
  document_scan_failed: {
    status: 503,
    message: 'The document could not be scanned.',
    when: 'The virus scanner of this server does not respond, or cannot read the content. The document was not stored.',
    fix: 'Send the document again later; the operator checks PARLEY_CLAMD_ADDRESS.',
  },
  reference_not_found: {
    status: 422,
    message: 'The carrier does not know this reference.',
    when: 'provider_verification_id does not exist in the carrier account of this server.',
    fix: 'Copy the id from the carrier’s console.',
  },
  sender_not_registered: {
    status: 422,
    message: 'This number is not registered for texts to this country.',
    when: 'The carrier says that the registration of the sender is missing or failed, so US networks would block the text.',
    fix: 'Register the number with POST /v1/verifications: kind us_brand and us_campaign for a local number, toll_free for a toll-free one.',
  },
});
