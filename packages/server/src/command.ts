// The command: reads the settings, starts the roles, and stops in order on a signal.
import { existsSync } from 'node:fs';
import { type Config, describeConfig, readConfig } from './config/config.ts';
import { untilCut } from './platform/drain.ts';
import { EmbeddedPostgresError } from './platform/embedded-postgres/index.ts';
import { type Log, makeLog } from './platform/log.ts';
import { SettingsError } from './platform/settings.ts';
import { StartError } from './platform/start-error.ts';
import { type StopStack, stopStack } from './platform/stop-stack.ts';
import { collectStartGarbage } from './start/collect-garbage.ts';
import { openMigrated } from './start/open-database.ts';
import { rotateMasterKey } from './start/rotate-master-key.ts';
import { type Started, start } from './start/start.ts';

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
  const starting = start({ config, log, say, signal: stopping.signal, stops });
  stopOnSignals(stops, starting, true);
  announce(await starting, config);
  setTimeout(collectStartGarbage, 2000).unref();
}

function announce(started: Started, config: Config): void {
  if (started.app && config.PARLEY_ROLES.includes('api')) {
    const base = started.app.baseUrl();
    say(`\n  Parley is ready.\n\n  API   ${base}/v1\n  Docs  ${base}/docs\n  Web   ${base}/`);
  } else {
    say(`Parley is ready: ${config.PARLEY_ROLES.join(', ')}.`);
  }
  if (started.mcp_url) say(`  MCP   ${started.mcp_url}`);
  if (started.smtp_port !== null) say(`  SMTP  port ${started.smtp_port}`);
  if (started.health_url) say(`  Health  ${started.health_url}`);
  if (started.new_shared_key) {
    say(
      `  Key   ${started.new_shared_key}\n        created now and shown once; stored in ${config.PARLEY_DATA_DIR}/shared-key`,
    );
  }
  say('');
}

async function rotate(config: Config, log: Log, stops: StopStack): Promise<never> {
  const rotating = rotateMasterKey({ config, log, say, signal: stopping.signal, stops });
  stopOnSignals(stops, rotating, false);
  const moved = await rotating;
  await stops.stop();
  say(`Sealed ${moved} values with the new master key.`);
  process.exit(0);
}

/** For deployments that migrate in a step of their own; a start of the service migrates as well. */
async function migrate(config: Config, log: Log, stops: StopStack): Promise<never> {
  const migrating = openMigrated({ config, log, say, signal: stopping.signal, stops });
  stopOnSignals(stops, migrating, false);
  await migrating;
  await stops.stop();
  say('The database has the schema of this version.');
  process.exit(0);
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
  const [command] = process.argv.slice(2);
  if (command === 'rotate-master-key') await rotate(config, log, stops);
  if (command === 'migrate') await migrate(config, log, stops);
  if (command !== undefined)
    throw new StartError(`Unknown command ${command}. The commands are migrate and rotate-master-key.`);
  await serve(config, log, stops);
} catch (error) {
  await stops?.stop();
  if (!stopping.signal.aborted) {
    const known =
      error instanceof SettingsError || error instanceof StartError || error instanceof EmbeddedPostgresError;
    console.error(known ? `\n${error.message}\n` : error);
    process.exit(1);
  }
}
