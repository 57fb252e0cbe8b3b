// The operations on numbers: quote, buy, change the agents that answer, release.
import { randomInt } from 'node:crypto';
import type {
  NumberOffer,
  NumberPatch,
  NumberQuote,
  PhoneNumber,
  NumberPurchase as PurchaseRequest,
} from '@parley/contract/channels/numbers/numbers';
import type { Clock } from '../../../platform/clock.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { AgentService } from '../../agents/agents/index.ts';
import type { VerificationService } from '../verifications/index.ts';
import type { NumberOffers } from './pool/offers.ts';
import type { Quote, QuoteStore } from './pool/quote-store.ts';
import type { NumberPurchase } from './purchases/purchase.ts';
import { setCampaign } from './registration/number-campaign.ts';
import type { SmsRegistrationDeps } from './registration/sms-registration.ts';
import type { NumberStore } from './store.ts';

type Deps = SmsRegistrationDeps & {
  store: NumberStore;
  quotes: QuoteStore;
  offers: NumberOffers;
  purchase: NumberPurchase;
  agents: AgentService;
  verifications: VerificationService;
  clock: Clock;
};
type BuyRequest = Pick<Context, 'idempotency' | 'request_id' | 'caller'>;

export function numberService(deps: Deps) {
  const { store, offers } = deps;
  return {
    async quote(organization_id: string, input: NumberQuote): Promise<{ offers: NumberOffer[] }> {
      return {
        offers: await offers.quote(organization_id, {
          country_code: input.country_code,
          number_type: input.number_type ?? 'local',
          capabilities: input.capabilities ?? ['voice', 'sms'],
        }),
      };
    },

    create: (organization_id: string, input: PurchaseRequest, request: BuyRequest) =>
      create(deps, organization_id, input, request),

    list: (organization_id: string, page: PageRequest & { provisioning_state?: string | undefined }) =>
      store.list(organization_id, page),

    get: async (organization_id: string, id: string): Promise<PhoneNumber> =>
      found(await store.find(organization_id, id)),

    update: (organization_id: string, id: string, patch: NumberPatch) =>
      update(deps, organization_id, id, patch),

    release: (organization_id: string, id: string) => deps.purchase.release(organization_id, id),
  };
}
export type NumberService = ReturnType<typeof numberService>;

function found<T>(number: T | null): T {
  if (!number) throw new ApiError('not_found');
  return number;
}

async function create(
  deps: Deps,
  organization_id: string,
  input: PurchaseRequest,
  request: BuyRequest,
): Promise<PhoneNumber> {
  const names_number = input.quote_id != null || input.e164 != null;
  for (let attempt = 0; attempt < (names_number ? 1 : max_offers_tried); attempt++) {
    const quote = await offerFor(deps, organization_id, input, attempt);
    const bought = await buyOffer(deps, organization_id, quote, request);
    if (bought) return bought;
  }
  throw new ApiError('number_taken');
}

async function buyOffer(
  deps: Deps,
  organization_id: string,
  quote: Quote,
  request: BuyRequest,
): Promise<PhoneNumber | null> {
  const needs_verification = quote.readiness === 'verification_required';
  const verification = needs_verification
    ? await deps.verifications.approvedReference(organization_id, quote)
    : null;
  if (needs_verification && verification === null) throw new ApiError('verification_required');
  return deps.purchase.buy(organization_id, { quote, verification, request });
}

/** Others may buy the same number at the same moment. */
const max_offers_tried = 8;

/** The offer that the caller names, or the first one that fits; after a failed attempt any of them. */
async function offerFor(
  deps: Deps,
  organization_id: string,
  input: PurchaseRequest,
  attempt: number,
): Promise<Quote> {
  if (input.quote_id != null) return namedQuote(deps, organization_id, input, input.quote_id);
  const offers = await deps.offers.quote(organization_id, {
    country_code: input.country_code,
    number_type: input.number_type ?? 'local',
    capabilities: input.capabilities ?? ['voice', 'sms'],
    ...(input.e164 != null && { e164: input.e164 }),
  });
  const offer = attempt === 0 ? offers[0] : offers[randomInt(Math.max(1, offers.length))];
  if (offer) return { ...offer, id: offer.quote_id, organization_id };
  const is_held = input.e164 != null && (await deps.store.heldAmong([input.e164])).size > 0;
  throw new ApiError(is_held ? 'number_taken' : 'no_number_offered');
}

const unusable = (detail: string) => new ApiError('quote_not_usable', { detail, path: 'body.quote_id' });

async function namedQuote(
  { quotes, clock }: Deps,
  organization_id: string,
  input: PurchaseRequest,
  quote_id: string,
): Promise<Quote> {
  const quote = await quotes.find(organization_id, quote_id);
  // The same answer for a quote of another organization and for one that never existed.
  if (!quote) throw unusable('There is no such quote.');
  if (Date.parse(quote.expires_at) <= clock.ms()) throw unusable('The quote has expired.');
  const differences: [string, boolean][] = [
    ['country_code', input.country_code !== quote.country_code],
    ['number_type', input.number_type != null && input.number_type !== quote.number_type],
    ['e164', input.e164 != null && input.e164 !== quote.e164],
    ['capabilities', (input.capabilities ?? []).some((each) => !quote.capabilities.includes(each))],
  ];
  const [field] = differences.find(([, differs]) => differs) ?? [];
  if (field) throw unusable(`The quote is for another ${field}.`);
  return quote;
}

async function update(
  deps: Deps,
  organization_id: string,
  id: string,
  patch: NumberPatch,
): Promise<PhoneNumber> {
  const { store, agents, clock } = deps;
  const before = found(await store.find(organization_id, id));
  if (before.provisioning_state === 'released' || before.provisioning_state === 'failed')
    throw new ApiError('number_not_active');
  for (const field of ['voice_agent_id', 'sms_agent_id'] as const) {
    const agent_id = patch[field];
    if (agent_id == null) continue;
    const agent = await agents.find(organization_id, agent_id);
    if (!agent) {
      throw new ApiError('agent_not_found', {
        errors: [{ path: `body.${field}`, message: 'There is no such agent', code: 'invalid_value' }],
      });
    }
    await agents.checkInbound(agent);
  }
  const { campaign_verification_id } = patch;
  if (campaign_verification_id !== undefined)
    await setCampaign(deps, { organization_id, id }, campaign_verification_id);
  const changed = await store.setAgents(organization_id, id, patch, clock.now());
  // The number was released since it was read.
  if (!changed) throw new ApiError('number_not_active');
  return changed;
}
