// Limits: the kill switch of each channel, and how much an organization may send per hour.
import { channelLimits } from './channel-limits.ts';
import { channelRoutes, killSwitchRoutes } from './routes.ts';

export { type ChannelLimits, channelLimits } from './channel-limits.ts';
export { switch_age_ms } from './kill-switch.ts';

export function limitFeature(deps: Parameters<typeof channelLimits>[0]) {
  const service = channelLimits(deps);
  return { service, routes: [killSwitchRoutes(service), channelRoutes(service)], jobs: service.jobs };
}
