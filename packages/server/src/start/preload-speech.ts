// Loads the speech engines in the background, so that the first call does not wait for them.
import type { App } from '../app/app.ts';
import { type Config, callsAtOnce } from '../config/config.ts';
import type { Log } from '../platform/log.ts';
import { requireSpeech } from '../platform/package-file.ts';
import type { StopStack } from '../platform/stop-stack.ts';

/** After the process listens: a start must not wait for it, and a call that comes meanwhile waits for the same load. */
export function preloadSpeech(
  app: Pick<App, 'loadSpeech'>,
  { config, log, stops }: { config: Config; log: Log; stops: StopStack },
): void {
  if (config.PARLEY_SPEECH_PRELOAD === 'off' || callsAtOnce(config) === 0 || !isInstalled()) return;
  let is_stopping = false;
  stops.push('speech preload', async () => {
    is_stopping = true;
  });
  const started_ms = performance.now();
  app.loadSpeech().then(
    () => log.info({ duration_ms: Math.round(performance.now() - started_ms) }, 'speech engines loaded'),
    (error: Error) => {
      if (!is_stopping) log.warn({ err: error }, 'speech engines not loaded');
    },
  );
}

/** A server may do without the bundled engines, for example where every organization has its own. */
function isInstalled(): boolean {
  try {
    requireSpeech();
    return true;
  } catch {
    return false;
  }
}
