// The rules of numbers: which offer a purchase takes, and who may answer.
import type {
  NumberOffer,
  NumberPatch,
  NumberQuote,
  PhoneNumber,
  NumberPurchase as PurchaseRequest,
} from '@parley/contract/numbers';
import type { Clock } from '../../platform/clock.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { AgentService } from '../agents/index.ts';
import type { VerificationService } from '../verifications/index.ts';
import type { NumberOffers } from './offers.ts';
import type { NumberPurchase } from './purchase.ts';
import type { NumberStore, Quote } from './store.ts';

export function numberService(deps: {
  store: NumberStore;
  offers: NumberOffers;
  purchase: NumberPurchase;
  agents: AgentService;
  verifications: VerificationService;
  clock: Clock;
}) {
  const { store, offers, clock } = deps;

  const found = <T>(number: T | null): T => {
    if (!number) throw new ApiError('not_found');
    return number;
  };

  const unusable = (detail: string) => new ApiError('quote_not_usable', { detail, path: 'body.quote_id' });

  /** The offer named by the caller, or the first one that fits. */
  const offerFor = async (organization_id: string, wish: PurchaseRequest): Promise<Quote> => {
    if (wish.quote_id != null) {
      const quote = await store.findQuote(organization_id, wish.quote_id);
      // Another organization's quote and one that never was look the same.
      if (!quote) throw unusable('There is no such quote.');
      if (Date.parse(quote.expires_at) <= clock.ms()) throw unusable('The quote has expired.');
      const others: [string, boolean][] = [
        ['country_code', wish.country_code !== quote.country_code],
        ['number_type', wish.number_type != null && wish.number_type !== quote.number_type],
        ['e164', wish.e164 != null && wish.e164 !== quote.e164],
        ['capabilities', (wish.capabilities ?? []).some((wanted) => !quote.capabilities.includes(wanted))],
      ];
      const [field] = others.find(([, differs]) => differs) ?? [];
      if (field) throw unusable(`The quote is for another ${field}.`);
      return quote;
    }
    const found = await offers.quote(organization_id, {
      country_code: wish.country_code,
      number_type: wish.number_type ?? 'local',
      capabilities: wish.capabilities ?? ['voice', 'sms'],
      ...(wish.e164 != null && { e164: wish.e164 }),
    });
    const first = found[0];
    if (!first) throw new ApiError(wish.e164 == null ? 'no_number_offered' : await sold(wish.e164));
    return { ...first, id: first.quote_id, organization_id };
  };

  const sold = async (e164: string) =>
    (await store.heldAmong([e164])).size > 0 ? 'number_taken' : 'no_number_offered';

  return {
    async quote(organization_id: string, wish: NumberQuote): Promise<{ offers: NumberOffer[] }> {
      return {
        offers: await offers.quote(organization_id, {
          country_code: wish.country_code,
          number_type: wish.number_type ?? 'local',
          capabilities: wish.capabilities ?? ['voice', 'sms'],
        }),
      };
    },

    async create(
      organization_id: string,
      wish: PurchaseRequest,
      request: Pick<Context, 'idempotency' | 'request_id'>,
    ): Promise<PhoneNumber> {
      const quote = await offerFor(organization_id, wish);
      const verification_reference =
        quote.readiness === 'verification_required'
          ? await deps.verifications.approvedReference(organization_id, quote)
          : null;
      if (quote.readiness === 'verification_required' && verification_reference === null) {
        throw new ApiError('verification_required');
      }
      return deps.purchase.buy(organization_id, quote, verification_reference, request);
    },

    list: (organization_id: string, page: PageRequest & { provisioning_state?: string | undefined }) =>
      store.list(organization_id, page),

    get: async (organization_id: string, id: string): Promise<PhoneNumber> =>
      found(await store.find(organization_id, id)),

    async update(organization_id: string, id: string, patch: NumberPatch): Promise<PhoneNumber> {
      const before = found(await store.find(organization_id, id));
      if (before.provisioning_state === 'released' || before.provisioning_state === 'failed')
        throw new ApiError('number_not_active');
      for (const field of ['voice_agent_id', 'sms_agent_id'] as const) {
        const agent_id = patch[field];
        if (agent_id != null && !(await deps.agents.find(organization_id, agent_id))) {
          throw new ApiError('agent_not_found', {
            errors: [{ path: `body.${field}`, message: 'There is no such agent', code: 'invalid_value' }],
          });
        }
      }
      const changed = await store.setAgents(organization_id, id, patch, clock.now());
      // It was released in the meantime.
      if (!changed) throw new ApiError('number_not_active');
      return changed;
    },

    release: (organization_id: string, id: string) => deps.purchase.release(organization_id, id),
  };
}
export type NumberService = ReturnType<typeof numberService>;
