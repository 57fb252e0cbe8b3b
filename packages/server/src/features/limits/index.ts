// Limits: what may go out on a channel, by the hour and at all.
export { type ChannelLimits, channelLimits, switch_age_ms } from './channel-limits.ts';
export { killSwitchRoutes } from './routes.ts';
