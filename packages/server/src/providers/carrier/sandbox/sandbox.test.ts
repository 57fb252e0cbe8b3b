// The sandbox carrier passes the conformance suite of the carrier port.
import { systemClock } from '../../../platform/clock.ts';
import type { CarrierEvent } from '../carrier.ts';
import { type CarrierUnderTest, carrierConformance } from '../conformance.ts';
import { sandboxCarrier } from './index.ts';

carrierConformance('sandbox', async (): Promise<CarrierUnderTest> => {
  const events: CarrierEvent[] = [];
  const carrier = sandboxCarrier({
    handleEvents: async (reported) => void events.push(...reported),
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
