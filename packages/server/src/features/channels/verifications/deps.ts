// What the parts of the verifications feature share.
import type { VerificationKind } from '@parley/contract/channels/numbers/verification-records';
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { NumberAtCarrier } from '../../../providers/carrier/registration.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { VirusScanner } from '../../../providers/virus/virus-scanner.ts';
import type { GuardedCarriers } from '../../rules/admission/index.ts';
import type { Funds } from '../../rules/funds/index.ts';
import type { StorageQuota } from '../../rules/storage-quota/index.ts';
import type { DocumentStore } from './documents/document-store.ts';
import type { RequirementReader } from './requirements.ts';
import type { VerificationStore } from './store.ts';
import type { TimelineStore } from './timeline-store.ts';

export const advance_job = 'advance_verification';
export const follow_job = 'follow_verification';
/** A job of the numbers feature: the registration of an organization's numbers for texts may have changed. */
export const sync_sms_job = 'sync_sms_registration_of_organization';

export type RegisteredNumber = NumberAtCarrier & {
  provider: string;
  country_code: string;
  number_type: string;
  is_active: boolean;
};

export type VerificationDeps = {
  db: Database;
  move: Mover;
  outbox: Outbox;
  carriers: GuardedCarriers;
  clock: Clock;
  ids: Ids;
  log: Log;
  jobs: Pick<Jobs, 'enqueue' | 'wake' | 'isCurrent'>;
  sealer: Sealer;
  storage: ObjectStorage;
  funds: Pick<Funds, 'charge' | 'charging'>;
  /** What the operator charges for a verification, in cents; 0 is free. */
  fees: Readonly<Record<VerificationKind, number>>;
  quota: Pick<StorageQuota, 'check'>;
  /** Null where no scanner is configured. */
  virus: VirusScanner | null;
  /** A number of the organization. */
  findNumber(organization_id: string, number_id: string): Promise<RegisteredNumber | null>;
};

export type Deps = VerificationDeps & {
  store: VerificationStore;
  documents: DocumentStore;
  timeline: TimelineStore;
  requirements: RequirementReader;
};
