// Checks whether a provider accepts a key. Uses the guarded connector, because the URL may come from a user.
import type { ProviderTest } from '@parley/contract/access/providers';
import { type GuardedAgentOptions, guardedAgent } from '../../../platform/egress/guarded-agent.ts';
import { RequestFailed, requestOnce } from '../../../platform/egress/request-once.ts';

export type ProbeResult = Pick<ProviderTest, 'ok' | 'status_code' | 'error' | 'duration_ms'>;
export type Probe = (request: { url: string; headers: Record<string, string> }) => Promise<ProbeResult>;

const deadline_ms = 10_000;

export function egressProbe(options: GuardedAgentOptions): { probe: Probe; close(): Promise<void> } {
  const agent = guardedAgent({ connections_per_origin: 2, ...options });
  return {
    async probe({ url, headers }) {
      try {
        const response = await requestOnce(agent, {
          url,
          method: 'GET',
          headers: { accept: 'application/json', ...headers },
          deadline_ms,
          max_response_bytes: 1024,
        });
        const { status: status_code, duration_ms } = response;
        const ok = status_code >= 200 && status_code < 300;
        const refused = status_code === 401 || status_code === 403;
        return {
          ok,
          status_code,
          error: ok ? null : refused ? 'key_refused' : 'unexpected_status',
          duration_ms,
        };
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error;
        return { ok: false, status_code: null, error: error.reason, duration_ms: error.duration_ms };
      }
    },
    close: () => agent.destroy(),
  };
}
