// The SIP trunk passes the conformance suite of the carrier port; calls are tested in the other files.
import { type CarrierUnderTest, carrierConformance } from '../conformance.ts';
import { sipCarrier } from './index.ts';
import { testTrunkOptions } from './testing/trunk.ts';

carrierConformance('sip', async (): Promise<CarrierUnderTest> => {
  const options = { ...testTrunkOptions(9), numbers: ['+14155550100'] };
  const carrier = sipCarrier(options, { log: { info() {}, warn() {} }, handleEvents: async () => {} });
  // The numbers are listed in the settings, so the trunk never has fewer or more of them.
  return { carrier, country_code: 'US', numbersHeld: () => 0, texts: null, failNext: null };
});
