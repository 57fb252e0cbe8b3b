// The one error of the embedded PostgreSQL: a sentence for the person who starts Parley.

export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

export const way_out = 'set DATABASE_URL to use a PostgreSQL of your own';

export function reasonOf(error: unknown): string {
  const { code, message, stderr } = error as { code?: unknown; message?: string; stderr?: string };
  const said = stderr?.trim().split('\n').at(-1);
  return said || (typeof code === 'string' ? code : (message ?? String(error)));
}
