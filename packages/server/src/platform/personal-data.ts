// How a feature collects, erases and forgets the data of people in its own tables. Erasures and retention run what features
// declare here: they keep the order, the progress and what a crash costs.
import type { ErasureCount } from '@parley/contract/operations/erasures';
import type { RetentionCount, RetentionKind } from '@parley/contract/operations/retention';
import type { Database, Queryable, Transaction } from './db/database.ts';
import type { Sql } from './db/sql.ts';

/** A database, or the transaction of a dry run. */
export type ErasureDatabase = Pick<Database, 'rows' | 'maybe' | 'run' | 'transaction'>;
export type ErasureCounts = Partial<Record<ErasureCount, number>>;

/** Numbers and addresses of a person, in the forms that tables have. */
export type PersonParties = {
  organization_id: string;
  keys: readonly string[];
  phones: readonly string[];
  addresses: readonly string[];
};

/** The person who is erased. */
export type ErasedPerson = PersonParties & {
  contact_id: string | null;
  /** Stands in the place of the person. */
  text: string;
  /** For PostgreSQL: finds every text that has the person, and some more. */
  pattern: string;
  replace(text: string): string;
  keep_suppression: boolean;
  /** What was refused before the erasure began stays refused. */
  created_at: string;
  /** The keyed hash of a number or address. */
  hashOf(key: string): string;
  /** Subquery: the ids of the person's own records. */
  records: Sql;
  /** Subquery: the ids of what consists of these records, such as conversations. */
  groups: Sql;
  /** Whether a text has the id of one of the records. */
  namesRecord(text: Sql): Sql;
};

/** Some emails, texts or calls. */
export type SomeRecords = {
  organization_id: string;
  noun: 'email' | 'sms' | 'call';
  ids: readonly string[];
  now: Date;
  /** Stands in the place of an erased person; null: the content is only too old. */
  replaced_by: string | null;
};
export type StoredObject = { id: string; key: string };

/** Objects of records in the storage. They are removed before `forget`: a crash must not leave one that no row names. */
export type RecordObjects = {
  count: 'recordings' | 'raw_messages' | 'attachments';
  /** Of these records. `erased`: all records that lose their objects, so that no other one needs them. */
  of(db: Queryable, organization_id: string, ids: readonly string[], erased?: Sql): Promise<StoredObject[]>;
  forget(db: Queryable, organization_id: string, ids: readonly string[]): Promise<unknown>;
};

export type OldRecord = { id: string; is_finished: boolean; has_content: boolean };
/** Records from `reached` on that are older than `before`. */
export type OldRange = { organization_id: string; before: Date; reached: string | null };

/** Emails, texts or calls: the records that make up what a person said and wrote. Subqueries return ids. */
export type PersonalRecords = {
  noun: SomeRecords['noun'];
  count: 'emails' | 'sms' | 'calls';
  /** Those that are the person's alone: sent by the person, or to no one else. */
  own(person: PersonParties): Sql;
  /** Further ones that belong to records of the person. */
  parts?(organization_id: string, records: Sql): Sql;
  /** Those to the person that wait to be sent, also to others. */
  waiting(person: PersonParties): Sql;
  /** Those with the person that are under way: what they still write would not be erased. */
  active(person: PersonParties): Sql;
  /** Every number and address that is in them. */
  parties(organization_id: string): Sql;
  old(db: Queryable, range: OldRange, limit: number): Promise<OldRecord[]>;
  /**
   * Removes what was written and said. Status, times and costs stay. Of an erased person, also metadata and what keeps a
   * thread together. Returns how many shared files they no longer use.
   */
  eraseContent(tx: Transaction, records: SomeRecords): Promise<number>;
  /** Deletes the oldest ones that are finished; `deleteCopies` comes first. Returns how many. */
  deleteOld(
    db: Database,
    range: Pick<OldRange, 'organization_id' | 'before'>,
    deleteCopies: (tx: Transaction, organization_id: string, ids: readonly string[]) => Promise<void>,
  ): Promise<{ deleted: number; is_last: boolean }>;
};

/** Deletes old rows, oldest first. `reached` is only for the runner. */
export type ForgottenRows = {
  step: string;
  kind: RetentionKind;
  count: RetentionCount;
  page_rows: number;
  /** Returns how many were deleted. */
  deleteOld(
    on: {
      db: Database;
      removeObjects(keys: readonly string[]): Promise<void>;
      deleteCopies(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<void>;
    },
    organization_id: string,
    before: Date,
    limit: number,
  ): Promise<number>;
};

/**
 * Which text and JSON columns lose what people wrote ('*': the rows are deleted), and why others need not: names, numbers and
 * addresses are replaced everywhere at the end of an erasure. Column names separated by blanks.
 */
export type TableColumns = { erased?: string; kept?: Readonly<Record<string, string>> };

export type ErasedPage = { reached: string | null; counts: ErasureCounts };

/** What one feature does about the data of people. Everything is safe to run twice. */
export type PersonalData = {
  owner: string;
  /** The owner's tables with rows of organizations. */
  tables?: Readonly<Record<string, TableColumns>>;
  records?: PersonalRecords;
  objects?: RecordObjects;
  /** Subquery: the ids of rows that consist of these records. */
  groups?(organization_id: string, records: Sql): Sql;
  /** Empties what the feature copied from the content of records. */
  eraseCopies?(tx: Transaction, records: SomeRecords): Promise<ErasureCounts>;
  /** Deletes what belongs to records, or to conversations, that are deleted in the same transaction. */
  deleteCopies?(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<unknown>;
  /** Removes the person from other rows, after the content of the person's records. */
  erase?(tx: Transaction, person: ErasedPerson): Promise<ErasureCounts>;
  /** The same in pages, or with objects in the storage. `reached`: where the next page begins; null at the end. */
  erasePage?(
    on: { db: ErasureDatabase; removeObjects(keys: readonly string[]): Promise<void> },
    person: ErasedPerson,
    reached: string | null,
  ): Promise<ErasedPage>;
  forget?: ForgottenRows;
};
