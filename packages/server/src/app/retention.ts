// Builds retention from the settings of the service and the features whose content it erases.

import { retentionFeature, servicePeriods } from '../features/operations/retention/index.ts';
import type { ObjectStorage } from '../providers/storage/storage.ts';
import type { Base } from './events.ts';
import type { Parts } from './parts.ts';
import { personal_data } from './personal-data.ts';

export const buildRetention = (base: Base, { audit }: Parts, storage: ObjectStorage) =>
  retentionFeature({
    ...base,
    storage,
    audit: audit.log,
    personal_data,
    periods: servicePeriods({
      max_days: base.config.PARLEY_RETENTION_MAX_DAYS,
      events_days: base.config.PARLEY_EVENTS_KEPT_DAYS,
      quarantine_days: base.config.PARLEY_QUARANTINE_DAYS,
      requests_days: base.config.PARLEY_REQUEST_LOG_DAYS,
    }),
  });
