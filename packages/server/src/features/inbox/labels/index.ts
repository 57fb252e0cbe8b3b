// Labels that people, programs and receive rules set on messages and conversations.
import type { LabelChange } from '@parley/contract/inbox/labels';
import { limits } from '@parley/contract/limits';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type LabeledTable, labelStore } from './store.ts';

export function changedLabels(before: readonly string[], { add = [], remove = [] }: LabelChange): string[] {
  const labels = [...new Set([...before.filter((label) => !remove.includes(label)), ...add])].sort();
  if (labels.length > limits.labels) throw new ApiError('too_many_labels', { path: 'body.labels.add' });
  return labels;
}

/** Changes the labels of an email or a text. */
export const messageLabels = (db: Database, table: LabeledTable) => {
  const store = labelStore(table);
  return (organization_id: string, id: string, change: LabelChange): Promise<void> =>
    db.transaction(async (tx) => {
      const before = await store.lock(tx, organization_id, id);
      if (!before) throw new ApiError('not_found');
      await store.set(tx, organization_id, id, changedLabels(before, change));
    });
};
export type MessageLabels = ReturnType<typeof messageLabels>;
