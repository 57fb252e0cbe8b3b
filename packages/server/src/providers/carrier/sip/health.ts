// Checks periodically whether the trunk is reachable: sends OPTIONS, and accepts any response.
import type { UserAgent } from './user-agent.ts';

export type TrunkHealth = { state: 'unknown' | 'up' | 'down'; detail: string; round_trip_ms: number | null };

export function trunkHealth(options: {
  agent: UserAgent;
  interval_ms: number;
  timeout_ms: number;
  onCheck(): void;
  onChange(health: TrunkHealth): void;
}) {
  const { agent, interval_ms, timeout_ms, onCheck, onChange } = options;
  let health: TrunkHealth = { state: 'unknown', detail: 'not checked yet', round_trip_ms: null };
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function sendOptions(): Promise<TrunkHealth> {
    const sent_at = performance.now();
    return new Promise((resolve) => {
      const down = (detail: string) => resolve({ state: 'down', detail, round_trip_ms: null });
      const timeout = setTimeout(() => down(`no response within ${timeout_ms} ms`), timeout_ms);
      const onResponse = ({ message }: { message: { statusCode?: number | undefined; data: string } }) => {
        clearTimeout(timeout);
        // SIP.js creates a response itself after a timeout or a failed connection. Such a response has no text.
        if (message.data === undefined) down(`not reachable (${message.statusCode})`);
        else
          resolve({
            state: 'up',
            detail: String(message.statusCode),
            round_trip_ms: performance.now() - sent_at,
          });
      };
      agent.core.request(agent.request('OPTIONS', null, 'parley', { headers: ['Accept: application/sdp'] }), {
        onAccept: onResponse,
        onReject: onResponse,
        onRedirect: onResponse,
      });
    });
  }

  async function check(): Promise<TrunkHealth> {
    onCheck();
    const answer = await sendOptions();
    const changed = answer.state !== health.state;
    health = answer;
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
