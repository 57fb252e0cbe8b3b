// Lets a client repeat a request safely: its key is stored in the statement that creates the record.
import { hash } from 'node:crypto';
import { limits } from '@parley/contract/limits';
import type { Clock } from './clock.ts';
import { type Database, type Queryable, violates } from './db/database.ts';
import { type Sql, sql } from './db/sql.ts';
import { type Answer, readAnswer, writeAnswer } from './http/answer.ts';
import { ApiError, validationError } from './http/api-error.ts';

/** A request that carries a key. `status` and `body` are null while the first one runs. */
export type IdempotencyRow = {
  organization_id: string;
  operation: string;
  key: string;
  fingerprint: string;
  status: number | null;
  body: string | null;
  created_at: string;
};

export type IdempotentRequest = {
  /** The row to store beside the new record, in the same statement or transaction. */
  row(answer: Answer | null): IdempotencyRow;
};

export type RememberedRow = Pick<IdempotencyRow, 'organization_id' | 'operation' | 'key' | 'status' | 'body'>;

/** The stored response to a request whose key was claimed before. */
export const storedAnswer = (
  { organization_id, operation, key }: Pick<IdempotencyRow, 'organization_id' | 'operation' | 'key'>,
  { status, body }: Answer,
): RememberedRow => ({ organization_id, operation, key, status, body: writeAnswer(body) });

/** The same request, for a protocol whose stored response shows something else of the record. */
export const answeredAs = <R>(
  request: IdempotentRequest | null,
  present: (record: R) => unknown,
): IdempotentRequest | null =>
  request && {
    row: (answer) =>
      request.row(answer && answer.status < 400 ? { ...answer, body: present(answer.body as R) } : answer),
  };

const kept_ms = limits.idempotency_kept_hours * 3_600_000;

export function idempotency(deps: { db: Database; clock: Clock }) {
  const { db, clock } = deps;

  return {
    /** Reads the header; null without one. */
    request(header: unknown, scope: { organization_id: string; operation: string; input: unknown }) {
      if (header === undefined) return null;
      const key = typeof header === 'string' ? header : '';
      if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
        throw validationError([
          {
            path: 'header.Idempotency-Key',
            message: `Expected 1 to ${limits.idempotency_key_chars} printable ASCII characters`,
            code: 'invalid_format',
          },
        ]);
      }
      const { organization_id, operation } = scope;
      const fingerprint = hash('sha256', canonical(scope.input), 'base64url');
      const request: IdempotentRequest & {
        key: string;
        fingerprint: string;
        organization_id: string;
        operation: string;
      } = {
        organization_id,
        operation,
        key,
        fingerprint,
        row: (answer) => ({
          organization_id,
          operation,
          key,
          fingerprint,
          status: answer?.status ?? null,
          body: answer && writeAnswer(answer.body),
          created_at: clock.now().toISOString(),
        }),
      };
      return request;
    },

    /**
     * The stored response of the key. Null when the key has expired: the caller may then do the work as if the key were new.
     */
    async replay(request: { organization_id: string; operation: string; key: string; fingerprint: string }) {
      const scope = sql`organization_id = ${request.organization_id} and operation = ${request.operation} and key = ${request.key}`;
      const expired_before = new Date(clock.ms() - kept_ms);
      await db.run(sql`delete from idempotency_keys where ${scope} and created_at < ${expired_before}`);
      const row = await db.maybe<IdempotencyRow>(sql`
        select fingerprint, status, body from idempotency_keys where ${scope}`);
      if (!row) return null;
      if (row.fingerprint !== request.fingerprint) {
        throw new ApiError('idempotency_key_reused', { path: 'header.Idempotency-Key' });
      }
      if (row.status === null) throw new ApiError('idempotency_in_progress', { retry_after_seconds: 1 });
      return { status: row.status, body: readAnswer(row.body!) } satisfies Answer;
    },

    /** Stores the response of work whose key was claimed before it was done. */
    async remember(on: Queryable, row: RememberedRow): Promise<void> {
      await on.run(sql`
        update idempotency_keys set status = ${row.status}, body = ${row.body}
         where organization_id = ${row.organization_id} and operation = ${row.operation} and key = ${row.key}`);
    },

    async forgetExpired(): Promise<number> {
      return db.run(sql`delete from idempotency_keys where created_at < ${new Date(clock.ms() - kept_ms)}`);
    },
  };
}
export type Idempotency = ReturnType<typeof idempotency>;

/**
 * Part of a statement: stores the keys of the records that were written (`made` selects their ids). A key that is in use
 * fails the whole statement.
 */
export const claimKeys = (
  claims: readonly { record_id: string; row: IdempotencyRow }[],
  made: Sql,
): Sql => sql`
  insert into idempotency_keys (organization_id, operation, key, fingerprint, status, body, created_at)
  select organization_id, operation, key, fingerprint, status, body, created_at
    from json_to_recordset(${JSON.stringify(claims.map(({ record_id, row }) => ({ record_id, ...row })))})
      as claim (record_id uuid, organization_id uuid, operation text, key text, fingerprint text,
                status int, body text, created_at timestamptz)
   where record_id in (${made})`;

/** Part of a statement: stores the responses of keys that were claimed before, for all records or for those that `of` selects. */
export const rememberAnswers = (
  rows: readonly (RememberedRow & { record_id?: string })[],
  of: Sql | null = null,
): Sql => sql`
  update idempotency_keys k set status = r.status, body = r.body
    from json_to_recordset(${JSON.stringify(rows)})
      as r (record_id uuid, organization_id uuid, operation text, key text, status int, body text)
   where k.organization_id = r.organization_id and k.operation = r.operation and k.key = r.key
         ${of ? sql`and r.record_id in (${of})` : sql.empty}`;

/** Whether the error means that the key was used before. */
export const isKeyTaken = (error: unknown): boolean => violates(error, 'idempotency_keys_pkey');

/** JSON with sorted keys: the order of its fields does not make a request a different one. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
