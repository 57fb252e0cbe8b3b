// The sandbox is a carrier like any other.
import type { CarrierEvent } from '../carrier.ts';
import { type Bench, carrierConformance } from '../conformance.ts';
import { sandboxCarrier } from './index.ts';

carrierConformance('sandbox', async (): Promise<Bench> => {
  const heard: CarrierEvent[] = [];
  const carrier = sandboxCarrier({
    handleEvents: async (events) => void heard.push(...events),
    phones: null,
  });
  return {
    carrier,
    country_code: 'US',
    good_recipient: '+15005550001',
    opted_out_recipient: '+15005550004',
    textsTo: () => heard.filter((event) => event.kind === 'text_changed').length,
    numbersHeld: () => 0,
    heard: async () => {
      while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
      return heard;
    },
    confirmDelivery: null,
    failNext: null,
  };
});
