// Errors of the database: which mean that it cannot be reached, and which constraint was violated.
import pg from 'pg';

/** The database cannot be reached or accepts no work; the same request can succeed later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  /** The statement was sent and no response came back: the server may have committed it. */
  may_be_committed = false;
  /** The server accepts no writes, for example a standby. */
  is_read_only = false;
}

// 57014: the statement took too long; 57P0x: the server is shutting down, crashed or starting; 53300: no connection
// left; 25006: the server accepts no writes, for example after a failover; class 08: connection errors.
const read_only = '25006';
const unavailable_codes = new Set([
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  read_only,
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
const unavailable_messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|The server does not support|Query read timeout)/;

/** A DatabaseUnavailable where the error means that; any other error as it is. */
export function databaseError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: string }).code ?? '';
  if (unavailable_codes.has(code) || code.startsWith('08') || unavailable_messages.test(error.message)) {
    return Object.assign(new DatabaseUnavailable(messageOf(error), { cause: error }), {
      is_read_only: code === read_only,
    });
  }
  return error;
}

/** The same for an error of a statement that was sent. */
export function statementError(thrown: unknown): unknown {
  const error = databaseError(thrown);
  // An error that the server sent, such as a canceled statement, is certain; a broken connection is not.
  if (error instanceof DatabaseUnavailable) error.may_be_committed = !(thrown instanceof pg.DatabaseError);
  return error;
}

/** When all addresses of a host refuse, Node's error has no message. */
export const messageOf = (error: Error & { code?: string }) => error.message || error.code || error.name;

/** Whether the error is a violation of one of these constraints or unique indexes. */
export const violates = (error: unknown, ...constraints: string[]): boolean =>
  constraints.includes((error as { constraint?: string } | null)?.constraint ?? '');

/** A serialization failure or a deadlock: everything was rolled back, and the work can be repeated. */
export const isContention = (error: unknown) =>
  ['40001', '40P01'].includes((error as { code?: string })?.code ?? '');

/** The statement was canceled because it took longer than its time limit. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && (error.cause as { code?: string } | undefined)?.code === '57014';

/** The statement waited longer for a lock than lock_timeout allows. */
export const isLockTimeout = (error: unknown) => (error as { code?: string } | null)?.code === '55P03';

/** Whether the error is a duplicate key of this table. A partition reports its own name, which starts with the table's. */
export function isDuplicateIn(error: unknown, table: string): boolean {
  const { code, table: name = '' } = (error ?? {}) as { code?: string; table?: string };
  return code === '23505' && (name === table || name.startsWith(`${table}_`));
}
