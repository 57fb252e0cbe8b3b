// The sandbox is a carrier like any other.
import type { News } from '../carrier.ts';
import { type Bench, carrierConformance } from '../conformance.ts';
import { sandboxCarrier } from './index.ts';

carrierConformance('sandbox', async (): Promise<Bench> => {
  const heard: News[] = [];
  const carrier = sandboxCarrier({ hear: async (news) => void heard.push(...news), phones: null });
  return {
    carrier,
    country_code: 'US',
    good_recipient: '+15005550001',
    opted_out_recipient: '+15005550004',
    textsTo: () => heard.filter((news) => news.kind === 'text_changed').length,
    numbersHeld: () => 0,
    heard: async () => {
      while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
      return heard;
    },
    confirmDelivery: null,
    failNext: null,
  };
});
