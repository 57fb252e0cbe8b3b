// Builds erasures, and connects them with the features that hold messages and write projections.
import { erasureFeature } from '../features/operations/erasures/index.ts';
import type { ObjectStorage } from '../providers/storage/storage.ts';
import type { Base } from './events.ts';
import type { Parts } from './parts.ts';
import { personal_data } from './personal-data.ts';

export const buildErasures = (
  base: Base,
  { audit, consents, mail, sms, calls, projector }: Parts,
  storage: ObjectStorage,
) =>
  erasureFeature({
    ...base,
    storage,
    personal_data,
    audit: audit.log,
    revocations: consents.revocations,
    waiting: { email: mail.waiting_emails, sms: sms.waiting_sms, call: calls.waiting_calls },
    project: () => projector.drain(),
  });
