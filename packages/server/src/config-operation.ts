// The settings of running the service: how it stops, and how much it may store.
import { integer } from './platform/settings.ts';

export const operationSettings = {
  PARLEY_STOP_GRACE_SECONDS: integer({
    default: 15,
    min: 0,
    max: 3600,
    meaning:
      'How long a stop waits for requests, uploads, downloads, deliveries and jobs that are under way before it cuts them. Calls are ended at once.',
  }),
} as const;
