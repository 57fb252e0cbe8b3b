// Lets an agent answer a text, once for each text and only so often in a conversation.
import { limits } from '@parley/contract/limits';
import { segmentsOf } from '@parley/contract/sms-segments';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { type Llm, wholeReply } from '../../providers/llm/llm.ts';
import type { AgentService } from '../agents/index.ts';
import type { SmsRow, SmsStore } from './store.ts';

export const answer_job = 'answer_sms';
const remembered_texts = 30;

export function agentReplies(deps: {
  store: SmsStore;
  agents: AgentService;
  brain(organization_id: string): Promise<Llm>;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** In one conversation within a day: two robots that talk to each other fall silent. */
  automatic_replies: number;
  committed(): void;
}): JobHandler {
  const { store, agents, clock, log } = deps;

  const answer = async (organization_id: string, sms_id: string, agent_id: string, signal: AbortSignal) => {
    const [inbound, agent] = await Promise.all([
      store.find(organization_id, sms_id),
      agents.find(organization_id, agent_id),
    ]);
    if (!inbound || !agent) return;
    const since = new Date(clock.ms() - 86_400_000);
    const written = await store.automaticSince(undefined, organization_id, inbound.conversation_id, since);
    if (written >= deps.automatic_replies) {
      log.warn({ sms_id, agent_id, written }, 'an agent has answered enough in this conversation for today');
      return;
    }
    const texts = await store.history(organization_id, inbound.conversation_id, sms_id, remembered_texts);
    const brain = await deps.brain(organization_id);
    const { text } = await wholeReply(brain, {
      system_prompt: agent.system_prompt ?? '',
      turns: texts.map(({ direction, body }) => ({
        role: direction === 'inbound' ? 'user' : 'assistant',
        content: body,
      })),
      language: agent.language,
      model: agent.llm_model,
      signal,
    });
    const body = text.replaceAll('\0', '').trim().slice(0, limits.sms_body_chars).toWellFormed();
    if (body === '') return;
    const now = clock.now().toISOString();
    const row: SmsRow = {
      ...inbound,
      id: deps.ids.next(),
      direction: 'outbound',
      from: inbound.to,
      to: inbound.from,
      body,
      status: 'queued',
      ...segmentsOf(body),
      provider_message_id: null,
      requested_at: now,
      metadata: { agent_id },
      origin: 'agent',
      answers_id: inbound.id,
      is_shared_sender: false,
      next_attempt_at: now,
      attempts: 0,
      claims: 0,
      handed_at: null,
    };
    // A second run of this job, or a STOP in the meantime, leaves nothing to send.
    if ((await store.insert(organization_id, row, null, null)) === 'made') deps.committed();
  };

  return {
    kind: answer_job,
    max_attempts: 4,
    run: ({ payload }, signal) =>
      answer(payload.organization_id as string, payload.sms_id as string, payload.agent_id as string, signal),
  };
}
