// Compares the version of PostgreSQL that wrote the data with the one of this release: another major version cannot read it.
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, own_database_hint } from './error.ts';

/** Starting again does not help. The exit code keeps supervisors from trying (EX_CONFIG of sysexits.h). */
export class OtherDataVersion extends EmbeddedPostgresError {
  override name = 'OtherDataVersion';
  readonly exit_code = 78;
}

/** `data` is the real folder; `link` is its place in the data folder of Parley. Changes nothing. */
export async function requireSameVersion(place: {
  data: string;
  link: string;
  /** Of the programs, such as 18.1.0. */
  version: string;
}): Promise<void> {
  const { data, link, version } = place;
  const stored = await readFile(join(data, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    // Before the first start.
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const [ours] = version.split('.');
  const theirs = stored?.trim();
  if (theirs === undefined || theirs === ours) return;
  const stats = await lstat(link).catch(() => null);
  throw new OtherDataVersion(
    isNewer(theirs, ours!)
      ? `The database in ${data} was written by PostgreSQL ${theirs}, and this release of Parley brings PostgreSQL ${ours}, which cannot read newer data. Nothing was changed. Start the newer release of Parley again, or ${own_database_hint}.`
      : advice({ data, link, is_link: stats?.isSymbolicLink() === true, theirs, ours: ours! }),
  );
}

const isNewer = (theirs: string, ours: string) => Number(theirs) > Number(ours);
const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

const advice = ({
  data,
  link,
  is_link,
  theirs,
  ours,
}: Record<'data' | 'link' | 'theirs' | 'ours', string> & { is_link: boolean }) =>
  `The database in ${data} was written by PostgreSQL ${theirs}, and this release of Parley brings PostgreSQL ${ours}, which cannot read it. Nothing was changed. Move the data with a backup:

  1. With the release of Parley that you ran before, and with Parley stopped:
       parley-server backup ${quoted(`${link}-${theirs}-backup`)}
  2. Move the old data out of the way:
       mv ${quoted(data)} ${quoted(`${data}-${theirs}`)}${is_link ? `\n       rm ${quoted(link)}` : ''}
  3. With this release:
       parley-server restore ${quoted(`${link}-${theirs}-backup`)} --resume
  4. Start Parley. When everything is there, delete ${quoted(`${data}-${theirs}`)} and the backup.

Or ${own_database_hint}.`;
