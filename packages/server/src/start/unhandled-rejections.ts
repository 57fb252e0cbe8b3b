// Keeps the process running when an error of asynchronous work was not handled.
import type { Log } from '../platform/log.ts';

/** Node would end the process, and with it every call that it runs. An error thrown outside of promises still ends it. */
export function logUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
}
