// Seals what an organization answered: address, registration number and answers. They are only opened for the carrier.
import type { Requirement } from '@parley/contract/channels/numbers/verification-records';
import type { Answer, PostalAddress } from '@parley/contract/channels/numbers/verifications';
import type { Sealer } from '../../../platform/crypto.ts';
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import type { Ref, VerificationRow } from './verification-row.ts';

export type Details = {
  address: PostalAddress | null;
  registration_number: string | null;
  answers: Record<string, Answer>;
};

export const verification_sealed_columns: readonly SealedColumn[] = [
  { table: 'verifications', column: 'details_sealed' },
  { table: 'verification_documents', column: 'sealed_key' },
];

const context = ({ organization_id, id }: Ref) => `verification:${organization_id}:${id}:details`;

export function openDetails(sealer: Sealer, row: VerificationRow): Details {
  if (row.details_sealed === null) {
    return {
      address: row.address as PostalAddress | null,
      registration_number: row.registration_number,
      answers: {},
    };
  }
  return JSON.parse(sealer.open(row.details_sealed, context(row)).toString()) as Details;
}

/** The columns that hold the details. */
export function detailColumns(sealer: Sealer, ref: Ref, details: Details) {
  return {
    details_sealed: sealer.seal(JSON.stringify(details), context(ref)),
    answered: [
      ...Object.keys(details.answers),
      ...(details.address ? ['address'] : []),
      ...(details.registration_number ? ['registration_number'] : []),
    ],
    address: null,
    registration_number: null,
  };
}

/** Without what must not be kept after the carrier has it. */
export function withoutSensitive(details: Details, requirements: readonly Requirement[]): Details {
  const sensitive = new Set(requirements.flatMap((each) => (each.sensitive ? [each.key] : [])));
  return {
    address: sensitive.has('address') ? null : details.address,
    registration_number: sensitive.has('registration_number') ? null : details.registration_number,
    answers: Object.fromEntries(Object.entries(details.answers).filter(([key]) => !sensitive.has(key))),
  };
}
