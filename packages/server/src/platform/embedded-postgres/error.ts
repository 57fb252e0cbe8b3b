// The error of the embedded PostgreSQL. Its message is one sentence for the operator who starts Parley.

export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

export const own_database_hint = 'set DATABASE_URL to use a PostgreSQL of your own';

export function reasonOf(error: unknown): string {
  const { code, message, stderr } = error as { code?: unknown; message?: string; stderr?: string };
  const said = stderr?.trim().split('\n').at(-1);
  return said || (typeof code === 'string' ? code : (message ?? String(error)));
}
