// Toll-free verifications of the Twilio stand-in.
import type { Messaging, TollFree } from './twilio-messaging.ts';
import { isoNow, newSid, notFound, pageOf, type Route, refusal } from './twilio-objects.ts';

const fields = {
  business_name: 'BusinessName',
  business_website: 'BusinessWebsite',
  notification_email: 'NotificationEmail',
  use_case_summary: 'UseCaseSummary',
  production_message_sample: 'ProductionMessageSample',
  opt_in_type: 'OptInType',
  message_volume: 'MessageVolume',
  business_type: 'BusinessType',
  business_registration_number: 'BusinessRegistrationNumber',
};

const given = (form: URLSearchParams) => ({
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([name, key]) => (form.has(key) ? [[name, form.get(key)]] : [])),
  ),
  use_case_categories: form.getAll('UseCaseCategories'),
  opt_in_image_urls: form.getAll('OptInImageUrls'),
});

/** `hasNumber`: whether the account has the toll-free number. */
export function tollFreeRoutes(
  { toll_free }: Messaging,
  account_sid: string,
  hasNumber: (sid: string) => boolean,
): Route[] {
  const path = '/v1/Tollfree/Verifications';
  const find = (id: string | undefined) => toll_free.find((each) => each.sid === id);
  return [
    {
      method: 'POST',
      path,
      answer({ form }) {
        const number = form.get('TollfreePhoneNumberSid')!;
        if (!hasNumber(number)) return refusal(20404, 'The number is not a toll-free number of yours');
        if (form.get('BusinessType') !== 'SOLE_PROPRIETOR' && !form.get('BusinessRegistrationNumber'))
          return refusal(20001, 'BusinessRegistrationNumber is missing');
        const verification: TollFree = {
          sid: newSid('HH'),
          account_sid,
          ...given(form),
          tollfree_phone_number_sid: number,
          external_reference_id: form.get('ExternalReferenceId'),
          status: 'PENDING_REVIEW',
          rejection_reason: null,
          rejection_reasons: null,
          error_code: null,
          edit_allowed: null,
          edit_expiration: null,
          date_created: isoNow(),
          date_updated: isoNow(),
        };
        toll_free.push(verification);
        return { status: 201, json: verification };
      },
    },
    {
      method: 'GET',
      path,
      answer: ({ request }) => {
        const number = request.query.get('TollfreePhoneNumberSid');
        const reference = request.query.get('ExternalReferenceId');
        const fits = toll_free.filter(
          (each) =>
            (number === null || each.tollfree_phone_number_sid === number) &&
            (reference === null || each.external_reference_id === reference),
        );
        return pageOf(request, 'verifications', fits);
      },
    },
    {
      method: 'GET',
      path: `${path}/:sid`,
      answer: ({ ids, request }) => {
        const verification = find(ids[0]);
        return verification ? { status: 200, json: verification } : notFound(request.path);
      },
    },
    {
      method: 'POST',
      path: `${path}/:sid`,
      answer({ ids, form, request }) {
        const verification = find(ids[0]);
        if (!verification) return notFound(request.path);
        if (verification.status !== 'TWILIO_REJECTED' || verification.edit_allowed === false)
          return refusal(30824, 'This verification cannot be edited');
        if (!form.get('EditReason')) return refusal(20001, 'EditReason is missing');
        Object.assign(verification, given(form), { status: 'PENDING_REVIEW', rejection_reasons: null });
        return { status: 202, json: verification };
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:sid`,
      answer({ ids, request }) {
        const verification = find(ids[0]);
        if (!verification) return notFound(request.path);
        toll_free.splice(toll_free.indexOf(verification), 1);
        return { status: 204 };
      },
    },
  ];
}
