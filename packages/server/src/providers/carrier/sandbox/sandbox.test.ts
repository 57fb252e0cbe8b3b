// The sandbox carrier passes the conformance suite of the carrier port.
import { systemClock } from '../../../platform/clock.ts';
import type { CarrierEvent } from '../carrier.ts';
import { type CarrierUnderTest, carrierConformance } from '../conformance.ts';
import { type HandedTexts, sandboxCarrier } from './index.ts';

function handedTexts(): HandedTexts {
  const ids = new Set<string>();
  return { add: async (id) => void ids.add(id), has: async (id) => ids.has(id) };
}

carrierConformance('sandbox', async (): Promise<CarrierUnderTest> => {
  const events: CarrierEvent[] = [];
  const carrier = sandboxCarrier({
    handleEvents: async (reported) => void events.push(...reported),
    handed_texts: handedTexts(),
    phones: null,
    clock: systemClock(),
  });
  return {
    carrier,
    country_code: 'US',
    numbersHeld: () => 0,
    texts: {
      good_recipient: '+15005550001',
      opted_out_recipient: '+15005550004',
      sentTo: () => events.filter((event) => event.kind === 'text_changed').length,
      events: async () => {
        while (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
        return events;
      },
      confirmDelivery: null,
    },
    failNext: null,
  };
});
