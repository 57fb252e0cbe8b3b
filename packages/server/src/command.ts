// The command: reads the settings, starts the roles asked for, and stops cleanly when told to.
import { existsSync } from 'node:fs';
import { describeConfig, readConfig } from './config.ts';
import { EmbeddedPostgresError } from './platform/embedded-postgres/index.ts';
import { makeLog } from './platform/log.ts';
import { SettingsError } from './platform/settings.ts';
import { collectStartGarbage } from './platform/start-garbage.ts';
import { rotateMasterKey, start } from './start.ts';
import { StartError } from './start-error.ts';

const shutdown_patience_ms = 30_000;
const say = (line: string) => console.log(line);
const stopping = new AbortController();

try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(process.env, process.cwd());
  const log = makeLog({
    level: config.PARLEY_LOG_LEVEL,
    show_personal_data: config.PARLEY_LOG_PERSONAL_DATA === 'on',
  });
  log.debug(describeConfig(config), 'settings');
  const [command] = process.argv.slice(2);
  if (command === 'rotate-master-key') {
    const moved = await rotateMasterKey({ config, log, say, signal: stopping.signal });
    say(`Sealed with the newest master key: ${moved} values moved.`);
    process.exit(0);
  }
  if (command !== undefined)
    throw new StartError(`There is no command ${command}; there is rotate-master-key.`);
  const starting = start({ config, log, say, signal: stopping.signal });
  const stop = async (signal: string) => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    say(`${signal}: finishing what is under way ...`);
    setTimeout(() => process.exit(1), shutdown_patience_ms).unref();
    // A start that gives up has stopped everything itself.
    const running = await starting.catch(() => null);
    await running?.stop();
    process.exit(0);
  };
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGTERM', () => void stop('SIGTERM'));
  const running = await starting;

  if (running.app && config.PARLEY_ROLES.includes('api')) {
    const base = running.app.baseUrl();
    say(`\n  Parley is ready.\n\n  API   ${base}/v1\n  Docs  ${base}/docs\n  Web   ${base}/`);
  } else {
    say(`Parley is ready: ${config.PARLEY_ROLES.join(', ')}.`);
  }
  if (running.mcp_url) say(`  MCP   ${running.mcp_url}`);
  if (running.smtp_port !== null) say(`  SMTP  port ${running.smtp_port}`);
  if (running.new_shared_key) {
    say(
      `  Key   ${running.new_shared_key}\n        made now and shown once; kept in ${config.PARLEY_DATA_DIR}/shared-key`,
    );
  }
  say('');
  setTimeout(collectStartGarbage, 2000).unref();
} catch (error) {
  if (!stopping.signal.aborted) {
    const known =
      error instanceof SettingsError || error instanceof StartError || error instanceof EmbeddedPostgresError;
    console.error(known ? `\n${error.message}\n` : error);
    process.exit(1);
  }
}
