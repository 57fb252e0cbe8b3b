// The guarded HTTP agent, allowed to reach loopback only. Tests pass it to vendors that call a stand-in.
import { after } from 'node:test';
import type { Agent } from 'undici';
import { addressPolicy } from '../src/platform/egress/address-policy.ts';
import { guardedAgent } from '../src/platform/egress/guarded-agent.ts';

export function loopbackAgent(): Agent {
  const agent = guardedAgent({
    policy: addressPolicy({ private_targets: ['127.0.0.0/8'], require_https: false }),
  });
  after(() => agent.destroy());
  return agent;
}
