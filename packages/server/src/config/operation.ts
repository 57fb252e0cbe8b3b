// The settings of operation: how the service stops, and how much it may store.
import { choice, integer } from '../platform/settings.ts';

export const operationSettings = {
  PARLEY_STOP_GRACE_SECONDS: integer({
    default: 15,
    min: 0,
    max: 3600,
    meaning:
      'How long a stop waits for requests, uploads, downloads, deliveries and jobs in progress before it aborts them. Calls end before, see PARLEY_STOP_CALLS_SECONDS.',
  }),
  PARLEY_STOP_CALLS_SECONDS: integer({
    default: 0,
    min: 0,
    max: 86_400,
    meaning:
      'How long a stop waits for calls that this process runs or relays before it ends them. It takes no new calls meanwhile. A second signal ends them at once.',
  }),
  PARLEY_DATABASE_PLAIN: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning:
      'Runs SQL without prepared statements and binary parameters: slower, but works behind every connection pooler and helps to rule out an error in the fast path.',
  }),
  PARLEY_SPEECH_PRELOAD: choice({
    default: 'on',
    of: ['on', 'off'],
    meaning:
      'Loads the bundled speech engines in the background after the start, where the process runs calls. With off they load at the first call, which then waits for them; a process without calls needs less memory.',
  }),
  PARLEY_SEARCH: choice({
    default: 'on',
    of: ['on', 'off'],
    meaning:
      'off: no search index is written, which saves space (about 1.5 GB for a million messages), and searching answers search_off. After turning it on again, run rebuild-projections.',
  }),
  PARLEY_REQUEST_LOG_DAYS: integer({
    default: 7,
    min: 0,
    max: 90,
    meaning:
      'How many days the request log keeps a request: method, path, status, credential and object, but no bodies. 0: requests are not logged.',
  }),
  PARLEY_REQUEST_LOG_READS: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning:
      'on: the request log also keeps GET requests that succeeded. A read then costs about as much processor time again, and most of the log is reads.',
  }),
  PARLEY_RETENTION_MAX_DAYS: integer({
    default: 0,
    default_note: 'none',
    min: 0,
    max: 3650,
    meaning:
      'The longest time in days that content, recordings and records of calls, emails and texts are kept, for all organizations. Each can set a shorter one. 0: they are kept until an organization sets one.',
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
      'Free space on the disk of the data folder that is reserved for the embedded database: with less, /readyz is not ready and no object is stored. 0 disables the check.',
  }),
  PARLEY_CLIENT_STALL_SECONDS: integer({
    default: 60,
    min: 1,
    max: 3600,
    meaning:
      'How long a client of the API or of the MCP server may read nothing of its response before its connection is closed.',
  }),
} as const;
