// The guarded way out, opened for this machine only: what tests give to vendors that call stand-ins.
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
