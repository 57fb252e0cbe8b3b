// The events of erasures.

import { defineEvents } from '../event.ts';
import { Erasure, erasureExample } from './erasures.ts';

const { id, counts, party_hashes, done_at } = erasureExample;
export const erasureEvents = defineEvents({
  'erasure.completed': {
    meaning:
      'A person was erased. Keep the event with your backups: its hashes erase the person again after a restore.',
    data: Erasure.pick({
      id: true,
      counts: true,
      party_hashes: true,
      keep_suppression: true,
      done_at: true,
    }).meta({ id: 'ErasureCompletedData' }),
    example: { id, counts, party_hashes, keep_suppression: true, done_at },
  },
});
