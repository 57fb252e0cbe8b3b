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
  PARLEY_CLIENT_STALL_SECONDS: integer({
    default: 60,
    min: 1,
    max: 3600,
    meaning:
      'How long a client of the API or of the MCP server may take no byte of its answer before its connection is closed.',
  }),
} as const;
