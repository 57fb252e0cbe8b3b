// The reads that several pages share.
import { useQuery } from '@tanstack/react-query';
import { parley } from '../session/client.ts';
import { facts } from '../session/facts.ts';

export const useClock = () =>
  useQuery({
    queryKey: ['sandbox', 'clock'],
    queryFn: () => parley.sandbox.getClock(),
    enabled: facts.is_sandbox,
  });

/** How far the service's time is ahead of this machine's: its clock can be moved. */
export const useAheadMs = (): number => (useClock().data?.offset_seconds ?? 0) * 1000;

const first = { limit: 200 };

export const useAgents = () =>
  useQuery({ queryKey: ['agents', 'first'], queryFn: async () => (await parley.agents.list(first)).items });
export const useNumbers = () =>
  useQuery({ queryKey: ['numbers', 'first'], queryFn: async () => (await parley.numbers.list(first)).items });
export const useDomains = () =>
  useQuery({
    queryKey: ['domains', 'first'],
    queryFn: async () => (await parley.emailDomains.list(first)).items,
  });
export const useWebhooks = () =>
  useQuery({
    queryKey: ['webhooks', 'first'],
    queryFn: async () => (await parley.webhooks.list(first)).items,
  });
