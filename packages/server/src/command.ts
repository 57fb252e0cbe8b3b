// The command: reads the settings, starts the roles, and stops in order on a signal.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, describeConfig, readConfig } from './config/config.ts';
import { untilCut } from './platform/drain.ts';
import { EmbeddedPostgresError, OtherDataVersion } from './platform/embedded-postgres/index.ts';
import { type Log, makeLog } from './platform/log.ts';
import { SettingsError } from './platform/settings.ts';
import { StartError } from './platform/start-error.ts';
import { type StopStack, stopStack } from './platform/stop-stack.ts';
import { backup } from './start/backup.ts';
import { counted } from './start/backup-folder.ts';
import { collectStartGarbage } from './start/collect-garbage.ts';
import { openMigrated } from './start/open-database.ts';
import { rebuildProjections } from './start/rebuild-projections.ts';
import { restore } from './start/restore.ts';
import { rotateMasterKey } from './start/rotate-master-key.ts';
import { type Started, start } from './start/start.ts';
import type { StartOptions } from './start/start-options.ts';
import { logUnhandledRejections } from './start/unhandled-rejections.ts';

/** Under npm Ctrl-C arrives twice, from the terminal and from npm: a signal right after the first one is ignored. */
const repeat_ms = 1000;
const say = (line: string) => console.log(line);
const stopping = new AbortController();

/** `work` is canceled first, so that nothing new starts while the rest stops. */
function stopOnSignals(stops: StopStack, work: Promise<unknown>, exits_0: boolean): void {
  let first_ms: number | null = null;
  const stop = async (signal: string) => {
    if (first_ms !== null) {
      if (performance.now() - first_ms < repeat_ms || stops.cut.aborted) return;
      say(`${signal} again: aborting work in progress ...`);
      return stops.hurry();
    }
    first_ms = performance.now();
    stopping.abort();
    stops.beginGrace();
    say(`${signal}: finishing work in progress ...`);
    await untilCut(
      work.catch(() => {}),
      stops.cut,
    );
    const succeeded = await stops.stop();
    process.exit(succeeded && exits_0 ? 0 : 1);
  };
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGTERM', () => void stop('SIGTERM'));
}

async function serve(config: Config, log: Log, stops: StopStack): Promise<void> {
  logUnhandledRejections(log);
  const starting = start({ config, log, say, signal: stopping.signal, stops });
  stopOnSignals(stops, starting, true);
  await announce(await starting, config);
  setTimeout(collectStartGarbage, 2000).unref();
}

async function announce(started: Started, config: Config): Promise<void> {
  if (started.app && config.PARLEY_ROLES.includes('api')) {
    const base = started.app.baseUrl();
    say(`\n  Parley is ready.\n\n  API   ${base}/v1\n  Docs  ${base}/docs\n  Web   ${base}/`);
  } else {
    say(`Parley is ready: ${config.PARLEY_ROLES.join(', ')}.`);
  }
  await sayLink(started, config);
  if (started.mcp_url) say(`  MCP   ${started.mcp_url}`);
  if (started.smtp_port !== null) say(`  SMTP  port ${started.smtp_port}`);
  const { submission_ports: ports } = started;
  if (ports) say(`  SMTP submission  ports ${ports.starttls} (STARTTLS) and ${ports.tls} (TLS)`);
  if (started.health_url) say(`  Health  ${started.health_url}`);
  const { shared, operator } = started.keys;
  const shown_once = 'created now and shown once; stored in';
  if (shared?.is_new) {
    say(`  Key   ${shared.key}\n        ${shown_once} ${config.PARLEY_DATA_DIR}/shared-key`);
  }
  if (operator?.is_new) {
    say(
      `  Operator key  ${operator.key}\n        for you, not for agents: decides approvals; ${shown_once} ${config.PARLEY_DATA_DIR}/operator-key`,
    );
  }
  say('');
}

/** Not in production, where the output goes to a log that other people read. */
async function sayLink({ app }: Started, { PARLEY_ROLES }: Config): Promise<void> {
  if (!PARLEY_ROLES.includes('api') || process.env.NODE_ENV === 'production') return;
  const link = (await app?.signInLink()) ?? null;
  if (link)
    say(`  Sign in  ${link}\n        opens the console without the key; works once, within 15 minutes`);
}

type Command = { config: Config; log: Log; stops: StopStack; args: string[] };

/** Runs a command to its end, then stops what it started. Returns what to tell the operator. */
async function runCommand(
  { config, log, stops }: Command,
  work: (options: StartOptions) => Promise<string>,
): Promise<never> {
  const working = work({ config, log, say, signal: stopping.signal, stops });
  stopOnSignals(stops, working, false);
  const result = await working;
  await stops.stop();
  say(result);
  process.exit(0);
}

const commands: Record<string, (command: Command) => Promise<never>> = {
  // For deployments that migrate in a step of their own; a start of the service migrates as well.
  migrate: (command) =>
    runCommand(command, async (options) => {
      await openMigrated(options);
      return 'The database has the schema of this version.';
    }),
  'rotate-master-key': (command) =>
    runCommand(command, async (options) => {
      const value_count = await rotateMasterKey(options);
      return `Sealed ${counted(value_count, 'value')} with the new master key.`;
    }),
  'rebuild-projections': (command) => {
    const { values } = parse(command.args, { organization: { type: 'string' } });
    const organization_id = (values.organization as string | undefined) ?? null;
    return runCommand(command, (options) => rebuildProjections(options, { organization_id }));
  },
  backup(command) {
    const { values, positionals } = parse(command.args, { 'master-key-file': { type: 'string' } });
    const folder = onlyFolder(positionals, 'backup <new folder>');
    return runCommand(command, async (options) => {
      const { tables, objects } = await backup(
        options,
        folder,
        (values['master-key-file'] as string) ?? null,
      );
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      return `Backed up ${counted(rows, 'row')} and ${counted(objects, 'object')} to ${folder}.`;
    });
  },
  restore(command) {
    const { values, positionals } = parse(command.args, { resume: { type: 'boolean' } });
    const folder = onlyFolder(positionals, 'restore <folder of a backup>');
    return runCommand(command, async (options) => {
      const { created_at } = await restore(options, folder, { resume: values.resume === true });
      return `Restored the backup of ${created_at}.`;
    });
  },
};

function parse(args: string[], options: Record<string, { type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

function onlyFolder(positionals: string[], usage: string): string {
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new StartError(`Usage: ${usage}`);
  return resolve(folder);
}

let stops: StopStack | null = null;
try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(process.env, process.cwd());
  const log = makeLog({
    level: config.PARLEY_LOG_LEVEL,
    show_personal_data: config.PARLEY_LOG_PERSONAL_DATA === 'on',
  });
  log.debug(describeConfig(config), 'settings');
  stops = stopStack({ log, grace_ms: config.PARLEY_STOP_GRACE_SECONDS * 1000 });
  const [name, ...args] = process.argv.slice(2);
  if (name !== undefined && name !== 'start') {
    const run = commands[name];
    if (!run)
      throw new StartError(
        `Unknown command ${name}. The commands are start, ${Object.keys(commands).join(', ')}.`,
      );
    await run({ config, log, stops, args });
  }
  await serve(config, log, stops);
} catch (error) {
  await stops?.stop();
  if (!stopping.signal.aborted) {
    const known =
      error instanceof SettingsError || error instanceof StartError || error instanceof EmbeddedPostgresError;
    console.error(known ? `\n${error.message}\n` : error);
    process.exit(error instanceof OtherDataVersion ? error.exit_code : 1);
  }
}
