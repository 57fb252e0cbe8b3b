// The settings of running the service: how it stops, and how much it may store.
import { integer } from '../platform/settings.ts';

export const operationSettings = {
  PARLEY_STOP_GRACE_SECONDS: integer({
    default: 15,
    min: 0,
    max: 3600,
    meaning:
      'How long a stop waits for requests, uploads, downloads, deliveries and jobs that are under way before it cuts them. Calls are ended at once.',
  }),
  PARLEY_STORAGE_QUOTA_MB: integer({
    default: 0,
    default_note: 'none',
    min: 0,
    max: 1_000_000_000,
    meaning:
      'How many megabytes of attachments, received emails and recordings an organization may store. 0 sets no limit.',
  }),
  PARLEY_STORAGE_MIN_FREE_MB: integer({
    default: 100,
    min: 0,
    max: 1_000_000_000,
    meaning:
      'With less free on the disk of the data folder, /readyz is not ready and no object is stored: the rest is for the embedded database. 0 looks at nothing.',
  }),
  PARLEY_CLIENT_STALL_SECONDS: integer({
    default: 60,
    min: 1,
    max: 3600,
    meaning:
      'How long a client of the API or of the MCP server may take no byte of its answer before its connection is closed.',
  }),
} as const;
