// What every step of an erasure gets: whose data, which person, and what stands in their place.
import type { Database } from '../../../../platform/db/database.ts';
import type { Person } from './person.ts';
import type { PersonText } from './person-text.ts';

/** A database, or the transaction of a dry run. */
export type ErasureDatabase = Pick<Database, 'rows' | 'maybe' | 'run' | 'transaction'>;

export type Erased = PersonText & {
  organization_id: string;
  /** The id of the erasure. */
  id: string;
  contact_id: string | null;
  person: Person;
  /** Stands in the place of the person. */
  text: string;
  keep_suppression: boolean;
  /** What was refused before the erasure began stays refused. */
  created_at: string;
};
