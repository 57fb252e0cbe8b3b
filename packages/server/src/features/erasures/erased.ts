// What every step of an erasure gets: whose data, which person, and what stands in their place.
import type { Person } from './person.ts';

export type Erased = {
  organization_id: string;
  /** The id of the erasure. */
  id: string;
  contact_id: string | null;
  person: Person;
  /** Finds the person in any text; see `personPattern`. */
  pattern: string;
  /** Replaces what the pattern finds. */
  text: string;
  keep_suppression: boolean;
  /** What was refused before the erasure began stays refused. */
  created_at: string;
};
