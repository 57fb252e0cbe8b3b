// Registrations for texts of Twilio pass the conformance suite, and a lost answer registers nothing twice.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { skip_without_contracts } from '../../../../../testing/carrier-contract.ts';
import { twilio_account, twilio_token } from '../../../../../testing/carriers/twilio.ts';
import { decideAll, text_samples } from '../../../../../testing/carriers/twilio-decisions.ts';
import {
  approvedBrand,
  openTwilioTexts,
  requestFor,
  runThrough,
  text_kinds,
} from '../../../../../testing/carriers/twilio-text-registrations.ts';
import { registrationConformance } from '../../registration-conformance.ts';

registrationConformance('twilio texts', async () => {
  const opened = await openTwilioTexts();
  const { standIn, registration, messaging, buy } = opened;
  const { hub, messaging: held } = standIn;
  const brand = await approvedBrand(opened);
  const number = await buy('+18335550101');
  const shared = { country_code: 'US', number_type: 'local' as const, use_case: null, brand, number: null };
  return {
    registration: { ...registration, kinds: text_kinds },
    messaging,
    samples: {
      us_brand: { ...shared, ...text_samples.us_brand, brand: null },
      us_campaign: { ...shared, ...text_samples.us_campaign },
      toll_free: { ...shared, ...text_samples.toll_free, number_type: 'toll_free' as const, number },
    },
    // The first part of a brand is the profile.
    held: (kind) =>
      kind === 'us_brand'
        ? hub.profiles.length
        : kind === 'us_campaign'
          ? held.campaigns.length
          : held.toll_free.length,
    decide: (_, decision) => decideAll(standIn, decision),
    loseNext: () => standIn.failNext('lost', ({ method }) => method !== 'GET'),
    number: await buy('+14155550102'),
  };
});

describe('a lost answer', () => {
  for (const kind of text_kinds)
    test(`to any request of a ${kind} registers nothing twice`, async () => {
      // Runs again and again; the answer that is lost is that of the first request, of the second, and so on.
      for (let lost = 1; ; lost++) {
        const opened = await openTwilioTexts();
        const request = await requestFor(opened, kind);
        const { standIn } = opened;
        let requests = 0;
        standIn.failNext('lost', ({ method }) => method !== 'GET' && ++requests === lost);
        const { state } = await runThrough(opened, request);
        assert.equal(state, 'approved', `${kind} ${lost}`);
        const { brands, campaigns, services, toll_free } = standIn.messaging;
        const names = services.map(({ friendly_name }) => friendly_name);
        assert.deepEqual(
          {
            profiles: standIn.hub.profiles.length,
            products: standIn.hub.products.length,
            brands: brands.length,
            campaigns: campaigns.length,
            toll_free: toll_free.length,
            services: new Set(names).size,
          },
          kind === 'toll_free'
            ? { profiles: 1, products: 0, brands: 0, campaigns: 0, toll_free: 1, services: names.length }
            : {
                profiles: 2,
                products: 1,
                brands: 1,
                campaigns: kind === 'us_campaign' ? 1 : 0,
                toll_free: 0,
                services: names.length,
              },
          `${kind} ${lost}`,
        );
        assert.deepEqual(standIn.violations, []);
        if (requests < lost) {
          assert.ok(lost > (kind === 'us_brand' ? 15 : 1), `only ${lost - 1} requests`);
          return;
        }
      }
    });
});

test('the stand-in refuses and notes what Twilio’s description does not have', {
  skip: skip_without_contracts,
}, async () => {
  const { standIn } = await openTwilioTexts();
  const authorization = `Basic ${Buffer.from(`${twilio_account}:${twilio_token}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'FriendlyName=x&UseInboundWebhookOnNumbre=true';
  const answer = await fetch(`${standIn.url}/v1/Services`, { method: 'POST', headers, body });
  assert.deepEqual([answer.status, standIn.violations.length], [400, 1]);
});
