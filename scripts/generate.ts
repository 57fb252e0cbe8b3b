// Writes the committed files that are generated from code.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres/index.ts';
import { access_lists, prunedAccess } from '../test/guards/foreign-tables.ts';
import { list_file, prunedList } from '../test/guards/long-functions.ts';
import { generatedFiles } from './generated-files.ts';

const data_dir = await mkdtemp(join(tmpdir(), 'parley-generate-'));
const postgres = await startEmbeddedPostgres({ data_dir, say: console.log, settings: { fsync: 'off' } });
try {
  for (const [path, content] of Object.entries(await generatedFiles(postgres.url))) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    console.log(path);
  }
  await writeFile(list_file, prunedList());
  for (const access of ['writers', 'reads'] as const)
    await writeFile(access_lists[access], prunedAccess(access));
} finally {
  await postgres.stop();
  await rm(data_dir, { recursive: true, force: true });
}
