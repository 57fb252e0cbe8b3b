// The LiveKit vendor against a stand-in of its server.
import { after } from 'node:test';
import { livekit_access, startLiveKit } from '../../../../testing/carriers/livekit.ts';
import { type CarrierUnderTest, carrierConformance } from '../conformance.ts';
import { liveKitCarrier } from './index.ts';

const livekit = await startLiveKit();
after(() => livekit.close());

carrierConformance('livekit', async (): Promise<CarrierUnderTest> => {
  const carrier = liveKitCarrier(
    {
      ...livekit_access,
      url: livekit.url,
      sip_trunk_id: 'ST_1',
      agent_name: 'parley',
      numbers: ['+14155550100'],
    },
    { handleEvents: async () => {} },
  );
  // The numbers are listed in the settings, so the account never has fewer or more of them.
  return { carrier, country_code: 'US', numbersHeld: () => 0, texts: null, failNext: null };
});
