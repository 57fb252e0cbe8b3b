// Limits: the kill switch and the hourly caps of organizations.
import { channelLimits } from './channel-limits.ts';
import { killSwitchRoutes } from './routes.ts';

export { type ChannelLimits, channelLimits, switch_age_ms } from './channel-limits.ts';

export function limitFeature(deps: Parameters<typeof channelLimits>[0]) {
  const service = channelLimits(deps);
  return { service, routes: [killSwitchRoutes(service)], jobs: service.jobs };
}
