// What an error is made of.

export type ErrorDefinition = {
  /** HTTP status of the answer. */
  status: number;
  /** What `detail` says unless the situation knows better. */
  message: string;
  /** When it happens, for the reference. */
  when: string;
  /** What the caller can do next; part of every answer. */
  fix: string;
};

export const defineErrors = <const T extends Record<string, ErrorDefinition>>(table: T): T => table;
