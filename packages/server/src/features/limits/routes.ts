// The HTTP operations of the kill switch.
import { killSwitch } from '@parley/contract/admin';
import { routesOf } from '../../platform/http/context.ts';
import type { ChannelLimits } from './channel-limits.ts';

export const killSwitchRoutes = (limits: ChannelLimits) =>
  routesOf(killSwitch, {
    get: () => limits.killSwitch(),
    update: ({ body }, context) => limits.setKillSwitch(context, body),
  });
