// The events of waits.
import { defineEvents } from '../event.ts';
import { Wait, waitExample } from './waits.ts';

const over = { ...waitExample, resolved_at: null, matched: null };

export const waitEvents = defineEvents({
  'wait.resolved': {
    meaning: 'What a wait was created for has happened.',
    data: Wait,
    example: waitExample,
  },
  'wait.expired': {
    meaning: 'Nothing that a wait was created for happened in time.',
    data: Wait,
    example: { ...over, status: 'expired' },
  },
  'wait.canceled': {
    meaning: 'A wait was canceled.',
    data: Wait,
    example: { ...over, status: 'canceled' },
  },
});
