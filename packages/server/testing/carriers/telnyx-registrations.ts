// Registrations at the simulated Telnyx account for tests of the port: complete input for each kind, lost answers and decisions.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type {
  Progress,
  RegistrationKind,
  RegistrationPort,
  RegistrationRequest,
} from '../../src/providers/carrier/registration.ts';
import { handOver, type RegistrationSample } from '../../src/providers/carrier/registration-conformance.ts';
import { telnyxCarrier } from '../../src/providers/carrier/telnyx/index.ts';
import { startTelnyx, telnyx_key, telnyx_profile } from './telnyx.ts';
import { regulateFrance } from './telnyx-requirements.ts';

type StandIn = Awaited<ReturnType<typeof startTelnyx>>;
const opened: StandIn[] = [];
/** For the end of each test file that opens one. Fails it if Telnyx's description does not allow a request or an answer. */
export async function closeTelnyx(): Promise<void> {
  const violations: string[] = [];
  for (const standIn of opened.splice(0)) {
    await standIn.close();
    violations.push(...standIn.violations);
  }
  assert.deepEqual(violations, []);
}

export const clock = { now: Date.now() };

export async function openTelnyx() {
  const standIn = await startTelnyx();
  standIn.needs_campaigns.on = true;
  opened.push(standIn);
  const carrier = telnyxCarrier({
    api_key: telnyx_key,
    public_key: standIn.public_key,
    messaging_profile_id: telnyx_profile,
    connection_id: null,
    base_url: standIn.url,
    callbackUrl: () => 'https://parley.example/v1/carriers/telnyx/callbacks',
    voice: null,
    now_ms: () => clock.now,
    timeout_ms: 15_000,
  });
  const items = regulateFrance(standIn);
  for (const [id, phone_number] of [
    ['1', '+13125550199'],
    ['2', '+18005550199'],
  ] as const)
    standIn.numbers.push({ id, phone_number, messaging_profile_id: null });
  standIn.brands.push({
    brandId: 'brand-1',
    displayName: 'Other',
    status: 'OK',
    identityStatus: 'VERIFIED',
    brandRelationship: 'BASIC_ACCOUNT',
    ...{ entityType: 'PRIVATE_PROFIT', country: 'US', email: 'a@example.com', vertical: 'RETAIL' },
  });
  return { standIn, carrier, port: carrier.registration!, items };
}
type Opened = Awaited<ReturnType<typeof openTelnyx>>;

const address = {
  street: '1 Main St',
  city: 'Austin',
  region: 'TX',
  postal_code: '73301',
  country_code: 'US',
};
const common = {
  country_code: 'US',
  number_type: 'local',
  subject_name: 'Example Inc',
  address,
  registration_number: '12-3456789',
  use_case: null,
  brand: null,
  number: null,
} as const;

export const samplesFor = ({ items }: Opened): Record<RegistrationKind, RegistrationSample> => ({
  number: {
    ...common,
    country_code: 'FR',
    answers: { [items[0]!.id]: 'Example SARL', [items[1]!.id]: '1980-12-31', [items[4]!.id]: 'company' },
  },
  us_brand: {
    ...common,
    answers: {
      entity_type: 'PRIVATE_PROFIT',
      vertical: 'RETAIL',
      email: 'a@example.com',
      phone: '+13125550100',
      website: 'https://example.com',
    },
  },
  us_campaign: {
    ...common,
    use_case: 'CUSTOMER_CARE',
    brand: { brand: 'brand-1' },
    answers: {
      description: 'Reminders of appointments that customers have made with us.',
      message_flow: 'Customers agree to texts when they make an appointment on the web page.',
      message_samples: ['Your appointment is tomorrow at 9.', 'Your appointment was moved to 10.'],
      help_message: 'Call us.',
      opt_in_message: 'You get texts now.',
      opt_out_message: 'No more texts.',
      opt_in_keywords: 'START, YES',
      terms_accepted: true,
    },
  },
  toll_free: {
    ...common,
    number_type: 'toll_free',
    use_case: 'Appointments',
    number: { e164: '+18005550199', provider_number_id: '2' },
    address: { ...address, region: 'Texas' },
    answers: {
      website: 'https://example.com',
      contact_first_name: 'Jane',
      contact_last_name: 'Doe',
      contact_email: 'a@example.com',
      contact_phone: '+13125550100',
      registration_type: 'EIN',
      use_case_summary: 'Reminders of appointments.',
      message_sample: 'Your appointment is tomorrow at 9.',
      message_volume: '1,000',
      opt_in_workflow: 'On the web page.',
      opt_in_image_urls: ['https://example.com/opt-in.png'],
    },
  },
});

export const heldBy = (standIn: StandIn) => (kind: RegistrationKind) =>
  ({
    number: standIn.groups.length,
    us_brand: standIn.brands.length,
    us_campaign: standIn.campaigns.length,
    toll_free: standIn.toll_free.length,
  })[kind];

/** Loses the answer of the next request that changes something; at most one such fault waits. */
export function loserOf(standIn: StandIn) {
  let is_waiting = false;
  return () => {
    if (is_waiting) return;
    is_waiting = true;
    standIn.failNext('lost', ({ method }) => {
      if (method === 'GET' || !is_waiting) return false;
      is_waiting = false;
      return true;
    });
  };
}

export function decideBy({ decide }: StandIn) {
  return (kind: RegistrationKind, decision: 'approved' | 'rejected') => {
    const approved = decision === 'approved';
    if (kind === 'number') decide.groups({ status: approved ? 'approved' : 'declined', comment: 'Wrong.' });
    if (kind === 'us_brand') decide.brands(decision);
    if (kind === 'us_campaign') {
      const campaignStatus = approved ? 'MNO_PROVISIONED' : 'TELNYX_FAILED';
      decide.campaigns({ campaignStatus, ...(approved ? {} : { failureReasons: 'The flow is unclear.' }) });
    }
    if (kind === 'toll_free') decide.tollFree(approved ? 'Verified' : 'Rejected', 'The picture is missing.');
  };
}

export async function requestFor(all: Opened, kind: RegistrationKind): Promise<RegistrationRequest> {
  const sample = samplesFor(all)[kind];
  const query = { ...sample, kind, subject_type: 'business', e164: null } as const;
  const found = await all.port.requirements(query);
  assert.ok(found.outcome === 'found', found.outcome);
  const content = Buffer.from('%PDF-1.4 bill');
  const documents = found.set.requirements
    .filter(({ input }) => input === 'document')
    .map(({ key }) => ({
      id: randomUUID(),
      requirement: key,
      document_type: 'document',
      content_type: 'application/pdf',
      size_bytes: content.length,
      fields: {},
      read: async () => content,
    }));
  return {
    ...query,
    reference: randomUUID(),
    organization_id: randomUUID(),
    attempt: 1,
    documents,
    requirements: found.set.requirements,
    problems: [],
  };
}

export async function submitted(port: RegistrationPort, request: RegistrationRequest, start: Progress = {}) {
  const { result } = await handOver(port, request, start);
  assert.ok(result.outcome === 'handed_over', JSON.stringify(result));
  return result;
}

export async function stateOf(port: RegistrationPort, kind: RegistrationKind, progress: Progress) {
  const state = await port.state(progress, kind);
  assert.ok(state.outcome === 'known', JSON.stringify(state));
  return state;
}
