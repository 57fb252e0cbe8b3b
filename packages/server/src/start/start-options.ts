// The options of a start, shared by all commands that open the database.
import type { Config } from '../config/config.ts';
import type { Log } from '../platform/log.ts';
import type { StopStack } from '../platform/stop-stack.ts';

export type StartOptions = {
  config: Config;
  log: Log;
  say(line: string): void;
  /** Aborting it cancels the start. */
  signal: AbortSignal;
  /** Every part registers here how it is stopped, as soon as it has started. */
  stops: StopStack;
};
