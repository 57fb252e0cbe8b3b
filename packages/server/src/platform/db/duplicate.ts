// Turns a violated unique key into a result, for updates outside the unit of work.

/**
 * Runs `work`; returns 'duplicate' when it violates a unique key of the table. A transaction in which that happened can
 * only be rolled back.
 */
export async function orDuplicate<T>(table: string, work: () => Promise<T>): Promise<T | 'duplicate'> {
  try {
    return await work();
  } catch (error) {
    if (isDuplicateOf(table, error)) return 'duplicate';
    throw error;
  }
}

/** 23505: unique_violation. */
export const isDuplicateOf = (table: string, error: unknown): boolean => {
  const { code, table: violated } = (error ?? {}) as { code?: string; table?: string };
  return code === '23505' && violated === table;
};
