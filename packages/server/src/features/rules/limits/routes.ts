// The HTTP operations of the kill switch, and of its state for everybody.
import { channelStates, killSwitch } from '@parley/contract/access/admin';
import { routesOf } from '../../../platform/http/context.ts';
import type { ChannelLimits } from './channel-limits.ts';

export const killSwitchRoutes = (limits: ChannelLimits) =>
  routesOf(killSwitch, {
    get: () => limits.killSwitch(),
    update: ({ body }, context) => limits.setKillSwitch(context, body),
  });

export const channelRoutes = (limits: ChannelLimits) =>
  routesOf(channelStates, {
    get: async () => {
      const stopped = await limits.killSwitch();
      const state = (is_stopped: boolean): 'open' | 'stopped' => (is_stopped ? 'stopped' : 'open');
      return { calls: state(stopped.calls), emails: state(stopped.emails), sms: state(stopped.sms) };
    },
  });
