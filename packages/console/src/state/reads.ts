// Queries that several pages share, and queries that start before the first page is rendered.
import type { Approval } from '@parley/sdk';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { parley } from '../session/client.ts';
import { facts } from '../session/facts.ts';

const identity = queryOptions({
  queryKey: ['identity'],
  queryFn: () => parley.identity.whoami(),
  staleTime: 60_000,
});
const clock = queryOptions({ queryKey: ['sandbox', 'clock'], queryFn: () => parley.sandbox.getClock() });

const first = { limit: 200 };
const agents = queryOptions({
  queryKey: ['agents', 'first'],
  queryFn: async () => (await parley.agents.list(first)).items,
});
const numbers = queryOptions({
  queryKey: ['numbers', 'first'],
  queryFn: async () => (await parley.numbers.list(first)).items,
});
const domains = queryOptions({
  queryKey: ['domains', 'first'],
  queryFn: async () => (await parley.emailDomains.list(first)).items,
});
const tools = queryOptions({
  queryKey: ['tools', 'first'],
  queryFn: async () => (await parley.tools.list(first)).items,
});
const mcpServers = queryOptions({
  queryKey: ['mcp-servers', 'first'],
  queryFn: async () => (await parley.mcpServers.list(first)).items,
});
const webhooks = queryOptions({
  queryKey: ['webhooks', 'first'],
  queryFn: async () => (await parley.webhooks.list(first)).items,
});

export const goLive = queryOptions({
  queryKey: ['go-live'],
  queryFn: () => parley.goLive.get(),
  staleTime: 60_000,
});

/** All that are pending, the newest last. The server allows at most 500. */
const approvals = queryOptions({
  queryKey: ['approvals', 'pending'],
  queryFn: async () => {
    const items: Approval[] = [];
    for await (const each of parley.approvals.list({ status: 'pending', limit: 50 })) items.push(each);
    return items.toReversed();
  },
});

/** More are shown as "50+". */
const counted_unread = 50;
const unread = queryOptions({
  queryKey: ['conversations', 'unread'],
  queryFn: async () => {
    const { items, next_cursor } = await parley.conversations.list({ unread: 'true', limit: counted_unread });
    return { count: items.length, is_all: next_cursor === null };
  },
});

/** Read again regularly: no event tells organizations that the operator stopped a channel. */
const channels = queryOptions({
  queryKey: ['channels'],
  queryFn: () => parley.channels.get(),
  refetchInterval: 15_000,
});

export const useChannels = () => useQuery(channels);
export const useUnread = () => useQuery(unread);
export const useApprovals = () => useQuery(approvals);
export const useIdentity = () => useQuery(identity);
export const useClock = () => useQuery({ ...clock, enabled: facts.is_sandbox });
export const useAgents = () => useQuery(agents);
export const useNumbers = () => useQuery(numbers);
export const useDomains = () => useQuery(domains);
export const useTools = () => useQuery(tools);
export const useMcpServers = () => useQuery(mcpServers);
export const useWebhooks = () => useQuery(webhooks);

/** How far the clock of the service is ahead of this machine: the sandbox clock can be moved. */
export const useAheadMs = (): number => (useClock().data?.offset_seconds ?? 0) * 1000;

export type Range = { days: number; bucket: 'hour' | 'day' };
export const first_range: Range = { days: 1, bucket: 'hour' };

export const emailStatistics = ({ days, bucket }: Range, ahead_ms: number) =>
  queryOptions({
    queryKey: ['emails', 'stats', days, bucket, ahead_ms],
    queryFn: () => {
      const to = new Date(Date.now() + ahead_ms + 60_000);
      return parley.emails.stats({
        from: new Date(to.getTime() - days * 86_400_000).toISOString(),
        to: to.toISOString(),
        bucket,
      });
    },
  });
export const callStatistics = (range: Range) =>
  queryOptions({
    queryKey: ['calls', 'stats', range.days, range.bucket],
    queryFn: () => parley.calls.stats(range),
  });
export const textStatistics = (range: Range) =>
  queryOptions({
    queryKey: ['sms', 'stats', range.days, range.bucket],
    queryFn: () => parley.sms.stats(range),
  });
export const recentEvents = queryOptions({
  queryKey: ['events', 'recent'],
  queryFn: async () => (await parley.events.list({ limit: 8 })).items,
});

/** Prefetches the data of the overview while its code is loading. */
export function readAhead(queries: QueryClient, address: Pick<Location, 'pathname' | 'search'>): void {
  void queries.prefetchQuery(identity);
  if (address.pathname !== '/' || address.search !== '') return;
  if (facts.is_sandbox) void queries.prefetchQuery(clock);
  void queries.prefetchQuery(emailStatistics(first_range, 0));
  void queries.prefetchQuery(callStatistics(first_range));
  void queries.prefetchQuery(textStatistics(first_range));
  void queries.prefetchQuery(webhooks);
  void queries.prefetchQuery(recentEvents);
}
