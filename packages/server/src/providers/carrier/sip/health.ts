// Asks the trunk at intervals whether it is there: OPTIONS, to which any answer at all is a yes.
import type { UserAgent } from './user-agent.ts';

export type TrunkHealth = { state: 'unknown' | 'up' | 'down'; detail: string; round_trip_ms: number | null };

export function trunkHealth(options: {
  agent: UserAgent;
  interval_ms: number;
  patience_ms: number;
  onAsk(): void;
  onChange(health: TrunkHealth): void;
}) {
  const { agent, interval_ms, patience_ms, onAsk, onChange } = options;
  let health: TrunkHealth = { state: 'unknown', detail: 'not asked yet', round_trip_ms: null };
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function ask(): Promise<TrunkHealth> {
    const asked_at = performance.now();
    return new Promise((resolve) => {
      const down = (detail: string) => resolve({ state: 'down', detail, round_trip_ms: null });
      const silence = setTimeout(() => down(`no answer within ${patience_ms} ms`), patience_ms);
      const answer = ({ message }: { message: { statusCode?: number | undefined; data: string } }) => {
        clearTimeout(silence);
        // The library's own answer, after a timeout or a failed connection, was read from no text.
        if (message.data === undefined) down(`not reached (${message.statusCode})`);
        else
          resolve({
            state: 'up',
            detail: String(message.statusCode),
            round_trip_ms: performance.now() - asked_at,
          });
      };
      agent.core.request(agent.request('OPTIONS', null, 'parley', ['Accept: application/sdp']), {
        onAccept: answer,
        onReject: answer,
        onRedirect: answer,
      });
    });
  }

  async function check(): Promise<TrunkHealth> {
    onAsk();
    const found = await ask();
    const changed = found.state !== health.state;
    health = found;
    if (changed && !stopped) onChange(health);
    return health;
  }

  async function run(): Promise<void> {
    await check();
    if (!stopped) timer = setTimeout(run, interval_ms);
    timer?.unref();
  }

  return {
    start: () => void run(),
    check,
    current: () => health,
    stop(): void {
      stopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}
