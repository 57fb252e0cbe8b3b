// Builds the wing channels: phones, numbers, texts, calls and mail, with admission, which decides about all of them.
import { join } from 'node:path';
import { callsAtOnce } from '../config/config.ts';
import { registrationFees } from '../config/registration.ts';
import { callFeature } from '../features/channels/calls/index.ts';
import { compatibleEndpoints } from '../features/channels/compatible-endpoints/index.ts';
import { mailFeature } from '../features/channels/mail/index.ts';
import { answerRequests, messageSender } from '../features/channels/message-agents/index.ts';
import { numbersFeature } from '../features/channels/numbers/index.ts';
import { phoneFeature } from '../features/channels/phones/index.ts';
import { smsFeature } from '../features/channels/sms/index.ts';
import { submissionFeature } from '../features/channels/submission/index.ts';
import { verificationFeature } from '../features/channels/verifications/index.ts';
import { admissionFeature } from '../features/rules/admission/index.ts';
import { guardedAgent } from '../platform/egress/guarded-agent.ts';
import { authentication } from '../platform/http/authenticate.ts';
import { default_sms_sender, poolNumbers } from '../providers/carrier/sandbox/index.ts';
import { sandbox_domain } from '../providers/mail/sandbox/index.ts';
import { soundConverter } from '../providers/relay/twilio/convert-sound.ts';
import { connectRelay } from '../providers/relay/twilio/index.ts';
import type { Access, Doors } from './access.ts';
import type { Agents } from './agents.ts';
import type { Rules } from './rules.ts';
import type { Service } from './service.ts';
import { offlineSpeech, openCarriers, ownEngines, type Stores } from './vendors.ts';

type Needs = Access & Rules & Agents & Stores & { doors: Doors };

export function channelsWing(on: Service, needs: Needs) {
  const { config, options, late } = on;
  const phones = phoneFeature({
    ...on,
    calls: late.calls,
    handleEvents: on.hooks.handleCarrierEvents,
    offline_speech: offlineSpeech(),
    replaceSpeech: options.speech,
    openCarriers: (opened) =>
      openCarriers({ ...on, ...opened, calls: late.calls, handleEvents: on.hooks.handleCarrierEvents }),
  });
  const shared = sharedNeeds(on, needs, phones.carriers);
  const verifications = verificationFeature({
    ...shared,
    fees: registrationFees(config),
    findNumber: late.numbers.findRegistered,
  });
  const numbers = numbersFeature({
    ...shared,
    verifications: verifications.service,
    pool_grace_seconds: config.PARLEY_POOL_GRACE_SECONDS,
    seed: config.sandbox ? { provider: 'sandbox', numbers: poolNumbers } : null,
    openCalls: late.calls.openCalls,
  });
  const admission = admissionFeature({
    ...shared,
    numbers,
    limits: needs.limits.service,
    quiet_hours: needs.quiet_hours,
    consents: needs.consents.gate,
    recipient_limits: needs.recipient_limits,
    rules: needs.sending_rules,
    conversations: needs.conversation_tokens.gate,
  });
  const sending = { ...shared, numbers, admission, requestAnswer: answerRequests(on) };
  const sms = smsFeature({ ...sending, ...textSettings(on) });
  const { own_engines, ...calling } = callSettings(on);
  const calls = callFeature({
    ...sending,
    ...calling,
    own_engines,
    agent_runtime: needs.agent_runtime,
    speech: phones.speech,
    sandbox_line: phones.sandbox_line,
    contactName: async (organization_id, party) =>
      (await needs.contacts.findByParty(organization_id, party))?.name ?? null,
  });
  const mail = mailFeature({
    ...sending,
    transport: needs.transport,
    scanners: needs.scanners,
    hasAgent: async (organization_id, id) => (await needs.agents.service.find(organization_id, id)) !== null,
    sandbox_domain,
    storeSimulatedMail: late.sandbox_outbox.storeSimulatedMail,
  });
  const { doors } = needs;
  return {
    phones,
    verifications,
    numbers,
    admission,
    sms,
    calls,
    own_engines,
    mail,
    messages: messageSender({ sms, mail, calls, contacts: needs.contacts }),
    submission: submissionFeature({ ...on, ...doors, mail }),
    compatible_endpoints: compatibleEndpoints({
      ...on,
      authenticate: authentication(doors),
      emails: mail.requests,
      storeFile: mail.attachments.storeContent,
    }),
  };
}
export type Channels = ReturnType<typeof channelsWing>;

const sharedNeeds = (on: Service, needs: Needs, carriers: ReturnType<typeof phoneFeature>['carriers']) => ({
  ...on,
  carriers,
  storage: needs.storage,
  quota: needs.quota,
  virus: needs.scanners.virus,
  agents: needs.agents.service,
  providers: needs.providers.service,
  audit: needs.audit.log,
  funds: needs.funds.service,
  budgets: needs.budgets,
  revocations: needs.consents.revocations,
  rules: needs.receive_rules,
  approvals: needs.approvals.gate,
  withdrawApproval: needs.approvals.withdraw,
});

const textSettings = ({ config }: Service) => ({
  default_sender:
    config.PARLEY_SMS_DEFAULT_SENDER ?? (config.carrier === 'sandbox' ? default_sms_sender : null),
  automatic_replies: config.PARLEY_SMS_AUTOMATIC_REPLIES,
  sends: config.PARLEY_ROLES.includes('worker'),
  is_sandbox: config.sandbox,
});

/** What calls get of the settings, and the connections that they close. */
function callSettings({ config, target_policy, wall_clock, metrics, process_id }: Service) {
  const agent = guardedAgent({ policy: target_policy });
  const sounds = soundConverter();
  return {
    own_engines: ownEngines(agent),
    llm_url_policy: target_policy,
    connectRelay: (at: Parameters<typeof connectRelay>[1]) =>
      connectRelay({ policy: target_policy, agent, clock: wall_clock, sounds }, at),
    observeTurn: metrics.observeTurn,
    countLostSpeech: metrics.countLostSpeech,
    leader_id: process_id,
    recordings_folder: join(config.data_dir, 'recordings'),
    internal_url: config.PARLEY_INTERNAL_URL,
    at_once: callsAtOnce(config),
    queue_seconds: config.PARLEY_CALL_QUEUE_SECONDS,
    lease_seconds: config.PARLEY_CALL_LEASE_SECONDS,
    close: () => Promise.all([agent.destroy(), sounds.close()]),
  };
}
