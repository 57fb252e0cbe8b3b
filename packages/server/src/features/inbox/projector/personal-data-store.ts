// Queues records without their content: deleting a transcript fires no trigger, and search and conversations show it.
import type { PersonalData } from '../../../platform/personal-data.ts';
import { queueProjections } from './queue-store.ts';

export const projectorPersonalData: PersonalData = {
  owner: 'inbox/projector',
  tables: {
    projection_queue: { kept: { kinds: 'noun' } },
  },
  async eraseCopies(tx, { organization_id, noun, ids }) {
    await queueProjections(
      tx,
      ids.map((id) => ({ organization_id, noun, id })),
    );
    return {};
  },
};
