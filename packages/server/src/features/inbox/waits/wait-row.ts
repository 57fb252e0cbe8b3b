// A wait as it is stored and as the API shows it.
import type {
  Wait,
  WaitCondition,
  WaitKind,
  WaitNoun,
  WaitOutcome,
  WaitStatus,
} from '@parley/contract/inbox/waits';

/** What made a condition true. */
export type Match = {
  index: number;
  kind: WaitKind;
  at: string;
  noun: WaitNoun;
  id: string;
  outcome: WaitOutcome | null;
  code: string | null;
};

export type WaitRow = {
  organization_id: string;
  id: string;
  status: WaitStatus;
  any_of: WaitCondition[];
  since: string;
  expires_at: string;
  created_at: string;
  ended_at: string | null;
  matched: Match | null;
  metadata: Record<string, unknown>;
  /** The only conversation that it may see: of waits that a conversation token created. */
  only_thread_id: string | null;
  look_at: string;
  unseen_from: string;
};

export type WaitRef = Pick<WaitRow, 'organization_id' | 'id'>;

/** Without the matched record. */
export const presentWait = (row: WaitRow): Wait => ({
  id: row.id,
  status: row.status,
  any_of: row.any_of,
  since: row.since,
  expires_at: row.expires_at,
  created_at: row.created_at,
  resolved_at: row.status === 'resolved' ? row.ended_at : null,
  matched: row.matched && presentMatch(row.matched),
  metadata: row.metadata,
});

const presentMatch = ({ noun, id, ...match }: Match): NonNullable<Wait['matched']> => ({
  ...match,
  object: { noun, id, record: null },
});
