// The service that the rows share: one process with the embedded PostgreSQL, and a connection to its database.
import pg from 'pg';
import type { Run } from '../harness.ts';
import type { Service, Stage } from '../stage.ts';

export const sharedService = (run: Pick<Run, 'shared'>): Promise<Service> =>
  run.shared('service', async (stage) => stage.startService({ data_dir: stage.makeFolder() }));

/** Only the API: sending, indexing and other background work belong to processes with the worker role. */
export const apiOnlyService = (
  run: Pick<Run, 'shared'>,
  name = 'api-only',
  environment: Record<string, string> = {},
): Promise<Service> =>
  run.shared(name, async (stage) =>
    stage.startService({
      data_dir: stage.makeFolder(),
      environment: { PARLEY_ROLES: 'api', ...environment },
    }),
  );

/** Closed with the stage. */
export async function connectTo(database_url: string, stage: Stage): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database_url });
  // On Ctrl-C the database may stop first; a running query then fails.
  client.on('error', () => {});
  await client.connect();
  stage.atClose(() => client.end());
  return client;
}

export async function countRows(database: pg.Client, table: string): Promise<number> {
  const { rows } = await database.query<{ count: string }>(`select count(*) from ${table}`);
  return Number(rows[0]!.count);
}

/** The version of the shared service's database; starts the service if no row has done so. */
export async function postgresVersion(run: Pick<Run, 'shared'>): Promise<string> {
  const client = new pg.Client({ connectionString: (await sharedService(run)).database_url });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return rows[0]!.server_version;
}
