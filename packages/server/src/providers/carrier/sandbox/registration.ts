// Registrations of the sandbox. It stores nothing: the progress contains the outcome, the attempt and the time.
import type {
  Requirement,
  VerificationProblem,
} from '@parley/contract/channels/numbers/verification-records';
import type { Clock } from '../../../platform/clock.ts';
import type {
  MessagingPort,
  Progress,
  RegistrationPort,
  RegistrationRequest,
  RegistrationState,
} from '../registration.ts';
import { requirementsOf } from './registration-forms.ts';
import { needsCampaign, needsTollFree, stock, verificationWords } from './reserved-numbers.ts';

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;
const kinds = ['number', 'us_brand', 'us_campaign', 'toll_free'] as const;

const problem = (key: string | null, code: string, message: string): VerificationProblem => ({
  key,
  code,
  message,
});

/** The first two requirements that a person answers, so that a rejection names fields of the form. */
const twoKeys = (requirements: readonly Requirement[]): (string | null)[] => {
  const keys = requirements.filter(({ required }) => required).map(({ key }) => key);
  return [keys.at(-1) ?? null, keys.at(-2) ?? keys.at(-1) ?? null];
};

function rejectionOf(progress: Progress): VerificationProblem[] {
  const [first = null, second = null] = (progress.keys as string[] | undefined) ?? [];
  return [
    problem(first || null, 'unreadable', 'The document could not be read.'),
    ...(progress.word === 'rejected once'
      ? [problem(second || null, 'mismatch', 'It does not match the register.')]
      : []),
  ];
}

/** The id names the word, the attempt and the time, as a carrier's id would name its object. */
const idOf = (word: string, request: RegistrationRequest, now_ms: number) =>
  `sandbox-${word.replaceAll(' ', '_')}-${request.attempt}-${now_ms}-${request.reference}`;

function readId(id: string): { word: string; attempt: number; at_ms: number } {
  const [, word = 'approved', attempt = '1', at = '0'] = id.split('-');
  // Ids of earlier releases have no attempt and no time.
  const is_new = /^\d+$/.test(attempt) && /^\d{10,}$/.test(at);
  return {
    word: word.replaceAll('_', ' '),
    attempt: is_new ? Number(attempt) : 1,
    at_ms: is_new ? Number(at) : 0,
  };
}

const quiet = {
  problems: [],
  waiting_for: null,
  editable_until: null,
  expires_at: null,
  ready_to_advance: false,
};

function stateOf(progress: Progress, now_ms: number): RegistrationState {
  const { word, attempt, at_ms } = readId(String(progress.id ?? ''));
  const age_ms = now_ms - at_ms;
  const named = { ...progress, word };
  const approved: RegistrationState = { ...quiet, state: 'approved' };
  const rejected: RegistrationState = { ...quiet, state: 'rejected', problems: rejectionOf(named) };
  switch (word) {
    case 'rejected once':
      return attempt === 1 ? { ...rejected, editable_until: new Date(at_ms + 7 * day_ms) } : approved;
    case 'rejected':
      return rejected;
    case 'waiting':
      return { ...quiet, state: 'in_review' };
    case 'canceled':
      return { ...quiet, state: 'canceled' };
    case 'slow':
      if (age_ms >= day_ms) return approved;
      return { ...quiet, state: age_ms >= hour_ms ? 'in_review' : 'submitted' };
    case 'contact':
      return age_ms >= hour_ms ? approved : { ...quiet, state: 'in_review', waiting_for: 'contact' };
    case 'expires': {
      const expires_at = new Date(at_ms + 30 * day_ms);
      if (attempt > 1) return { ...approved, expires_at: new Date(at_ms + 365 * day_ms) };
      if (age_ms < 30 * day_ms) return { ...approved, expires_at };
      return { ...rejected, problems: [problem(null, 'expired', 'The approval has expired.')], expires_at };
    }
    case 'suspended':
      if (age_ms < day_ms || attempt > 1) return approved;
      return { ...rejected, problems: [problem(null, 'suspended', 'The networks suspended it.')] };
    default:
      return approved;
  }
}

/** Two steps, like a real carrier: an object is made, then it is submitted. */
export const sandboxRegistration = (clock: Clock): RegistrationPort => ({
  kinds,

  async requirements(query) {
    const in_stock = stock.filter(({ country_code }) => country_code === query.country_code);
    const is_needed =
      query.kind !== 'number' ||
      in_stock.some((each) => each.number_type === query.number_type && each.readiness !== 'ready');
    if (!is_needed) return { outcome: 'not_needed' };
    return {
      outcome: 'found',
      set: {
        subject_types: ['individual', 'business'],
        review_days: query.kind === 'us_campaign' ? { min: 10, max: 15 } : { min: 1, max: 3 },
        fee_cents: query.kind === 'us_brand' ? 400 : query.kind === 'us_campaign' ? 1500 : null,
        requirements: requirementsOf(query),
      },
    };
  },

  async advance(request, progress) {
    const name = request.subject_name.toLowerCase();
    const word = verificationWords.find((each) => name.includes(each)) ?? 'approved';
    if (word === 'refused') return { outcome: 'busy', retry_after_seconds: 1, detail: 'reserved name' };
    const keys = twoKeys(request.requirements).map((key) => key ?? '');
    // Reading proves that the content can be decrypted; the sandbox keeps nothing of it.
    for (const document of request.documents) {
      const size = (await document.read()).length;
      if (size !== document.size_bytes)
        return { outcome: 'refused', code: 'sandbox', detail: 'A document is damaged.' };
    }
    if (progress.attempt !== request.attempt)
      return { outcome: 'step', progress: { ...progress, attempt: request.attempt, keys } };
    if (word === 'incomplete') {
      const [first, second] = keys;
      return {
        outcome: 'incomplete',
        progress,
        problems: [
          problem(first || null, 'missing', 'This is not complete.'),
          problem(second || null, 'invalid', 'This is not valid.'),
        ],
      };
    }
    const id = idOf(word, request, clock.ms());
    return {
      outcome: 'handed_over',
      progress: { ...progress, id },
      provider_verification_id: id,
      address_reference: request.address ? `sandbox-address-${request.reference}` : null,
      service_reference: request.kind === 'us_campaign' ? serviceOf(request.organization_id) : null,
    };
  },

  state: async (progress) => ({ outcome: 'known', ...stateOf(progress, clock.ms()) }),

  cancel: async () => ({ outcome: 'done' }),

  async adopt({ provider_verification_id: id }) {
    return id.startsWith('sandbox-')
      ? { outcome: 'found', progress: { id }, service_reference: null }
      : { outcome: 'absent' };
  },
});

const serviceOf = (organization_id: string) => `sandbox-service-${organization_id}`;

/** Only the numbers that need a registration for texts know more than `not_required`. */
export const sandboxMessaging = (clock: Clock): MessagingPort => ({
  ensureService: async (organization_id) => ({
    outcome: 'done',
    service_reference: serviceOf(organization_id),
  }),
  attach: async () => ({ outcome: 'done' }),
  attachCampaign: async () => ({ outcome: 'done', service_reference: null }),
  async registration({ e164 }, registration) {
    if (!needsCampaign(e164) && !needsTollFree(e164))
      return { outcome: 'known', state: 'not_required', reason: null };
    if (!registration) {
      const reason = needsCampaign(e164)
        ? 'The number is in no campaign.'
        : 'The number has no toll-free verification.';
      return { outcome: 'known', state: 'missing', reason };
    }
    const { state, problems } = stateOf(registration, clock.ms());
    if (state === 'approved') return { outcome: 'known', state: 'registered', reason: null };
    if (state === 'rejected' || state === 'canceled')
      return { outcome: 'known', state: 'failed', reason: problems[0]?.message ?? null };
    return { outcome: 'known', state: 'pending', reason: null };
  },
});
