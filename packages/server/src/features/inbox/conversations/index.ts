// Conversations: everything exchanged with one person over all channels, kept current by the projector.
import type { AgentState, Conversation } from '@parley/contract/inbox/conversations';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Feature } from '../../../platform/feature.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { Projection } from '../projector/index.ts';
import { type AlsoCommit, close, giveToHuman } from './agent-control/agent-control.ts';
import { type AgentControlStore, agentControlStore } from './agent-control/agent-control-store.ts';
import { agentState, type AgentControl as ControlRow } from './agent-control/agent-state.ts';
import { changeStore } from './changes/change-store.ts';
import { mergeConversations, moveItemsJob, startMove } from './changes/merge.ts';
import type { ReplyDeps } from './changes/reply.ts';
import { snoozeJob } from './changes/snooze.ts';
import { itemReader } from './items/items.ts';
import { itemStore } from './items/items-store.ts';
import { conversationProjection } from './projection/projection.ts';
import { projectionStore } from './projection/projection-store.ts';
import { threadStore } from './projection/thread-store.ts';
import { conversationRoutes } from './routes.ts';
import { conversationService } from './service.ts';
import { conversationStore } from './store.ts';

type ConversationDeps = {
  db: Database;
  clock: Clock;
  unitOfWork: UnitOfWork;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  baseUrl(): string;
  emailText: Parameters<typeof itemReader>[0]['emailText'];
} & Pick<ReplyDeps, 'emails' | 'texts'>;

/** For agents that answer: whose turn it is in a thread. */
export type AgentControl = Pick<AgentControlStore, 'find' | 'lock' | 'pause'> & {
  stateOf(row: ControlRow): AgentState;
  giveToHuman(ref: Ref, by: { agent_id: string; reason: string }, commit: AlsoCommit): Promise<void>;
  close(ref: Ref, commit: AlsoCommit): Promise<void>;
};
type Ref = { organization_id: string; id: string };

export type { ThreadControl } from './agent-control/agent-control-store.ts';
export { conversationPersonalData } from './personal-data-store.ts';
export { threadStore as conversationThreads } from './projection/thread-store.ts';
export { conversationResultColumns } from './result-store.ts';

export function conversationFeature(deps: ConversationDeps): Feature & {
  projection: Projection;
  threads: ReturnType<typeof threadStore>;
  resolve(organization_id: string, id: string): Promise<string | null>;
  find(organization_id: string, id: string): Promise<Conversation | null>;
  agents: AgentControl;
} {
  const store = conversationStore(deps.db, deps.clock);
  const changes = changeStore(deps.db);
  const projections = projectionStore;
  const moveItems = startMove(deps.jobs.enqueue);
  const control = agentControlStore(deps.db);
  const control_deps = { ...deps, changes, control };
  const items = itemReader({ ...deps, store: itemStore(deps.db) });
  const merge = mergeConversations({ ...deps, store, changes, projections, moveItems, wake: deps.jobs.wake });
  return {
    routes: [conversationRoutes(conversationService({ ...control_deps, store, items, merge }))],
    jobs: [snoozeJob({ ...deps, changes }), moveItemsJob({ db: deps.db, store, changes, projections })],
    threads: threadStore(deps.db),
    /** The conversation with this id, thread or former id. */
    resolve: (organization_id, id) => store.resolve(organization_id, id),
    find: store.find,
    agents: {
      find: control.find,
      lock: control.lock,
      pause: control.pause,
      stateOf: (row) => agentState(row, deps.clock.now()),
      giveToHuman: (ref, by, commit) => giveToHuman(control_deps, ref, by, commit),
      close: (ref, commit) => close(control_deps, ref, commit),
    },
    projection: conversationProjection({ ...deps, store: projections, moveItems }),
  };
}
