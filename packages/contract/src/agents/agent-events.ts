// The events of agents.
import { z } from 'zod';
import { defineEvents } from '../event.ts';
import { Timestamp, Uuid } from '../schema/fields.ts';

const AgentPausedData = z
  .strictObject({ id: Uuid.describe('The id of the agent.'), reason: z.string(), paused_until: Timestamp })
  .meta({ id: 'AgentPausedData' });

export const agentEvents = defineEvents({
  'agent.paused': {
    meaning: 'An agent wrote more answers within an hour than it may, and is paused.',
    data: AgentPausedData,
    example: {
      id: '019a8c1e-8a20-7b31-9c42-1d2e3f405162',
      reason: 'The agent wrote 120 answers within an hour.',
      paused_until: '2026-06-06T13:00:00.000Z',
    },
  },
});
