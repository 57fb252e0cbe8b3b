// The parts of an error definition.

export type ErrorDefinition = {
  /** HTTP status of the response. */
  status: number;
  /** Default text of `detail`. */
  message: string;
  /** When the error occurs, for the API reference. */
  when: string;
  /** What the caller can do next; part of every error response. */
  fix: string;
};

export const defineErrors = <const T extends Record<string, ErrorDefinition>>(table: T): T => table;
