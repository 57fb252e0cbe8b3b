// Everything that the calls feature needs from the rest of the service.
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { FindIds } from '../../../platform/db/list-filter.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import type { CountOutcome, Metrics } from '../../../platform/metrics.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { Wake } from '../../../platform/wake.ts';
import type { ConnectRelay } from '../../../providers/relay/relay.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import type { ProviderSettings } from '../../access/provider-settings/index.ts';
import type { AgentService } from '../../agents/agents/index.ts';
import type { AgentRuntime } from '../../agents/runtime/index.ts';
import type { Admission, GuardedCarriers, WithdrawApproval } from '../../rules/admission/index.ts';
import type { Budgets } from '../../rules/budgets/index.ts';
import type { ConsentRevocations } from '../../rules/consents/index.ts';
import type { Funds } from '../../rules/funds/index.ts';
import type { ReceiveRules } from '../../rules/receive-rules/index.ts';
import type { StorageQuota } from '../../rules/storage-quota/index.ts';
import type { NumbersFeature } from '../numbers/index.ts';
import type { CommandPolicy } from './commands/command-policy.ts';
import type { OwnEngines, Speech } from './conversation/engines.ts';
import type { SandboxLine } from './sandbox-people/routes.ts';

export type CallDeps = {
  db: Database;
  move: Mover;
  carriers: GuardedCarriers;
  numbers: NumbersFeature;
  agents: AgentService;
  agent_runtime: Pick<AgentRuntime, 'tools' | 'records' | 'approvals'>;
  admission: Admission;
  /** The approval policy, for what a program has said on a call. */
  approvals: CommandPolicy;
  withdrawApproval: WithdrawApproval | null;
  funds: Funds;
  budgets: Pick<Budgets, 'settleCall' | 'releaseCall' | 'giveBack' | 'callReservations'>;
  revocations: Pick<ConsentRevocations, 'revoke'>;
  rules: Pick<ReceiveRules, 'judgePhone' | 'recordHits'>;
  outbox: Outbox;
  enqueue: Jobs['enqueue'];
  jobs: Pick<Jobs, 'wake'>;
  unitOfWork: UnitOfWork;
  /** For lists with filters by words and people. */
  findIds: FindIds;
  storage: ObjectStorage;
  /** Where a recording is until it is in the object storage. */
  recordings_folder: string;
  quota: StorageQuota;
  sealer: Sealer;
  speech: Speech;
  own_engines: OwnEngines;
  connectRelay: ConnectRelay;
  providers: Pick<ProviderSettings, 'active' | 'named' | 'paramsOf'>;
  /** The name of the contact with this number, for {{contact_name}}. */
  contactName(organization_id: string, party: string): Promise<string | null>;
  /** Which addresses a model named in a request may have. */
  llm_url_policy: AddressPolicy;
  /** Null when the sandbox is off. */
  sandbox_line: SandboxLine | null;
  baseUrl(): string;
  clock: Clock;
  ids: Ids;
  log: Log;
  wake: Wake;
  audit: AuditLog;
  tracing: Tracing | null;
  countOutcome: CountOutcome;
  /** Latency of an agent's reply. */
  observeTurn(ms: number): void;
  countLostSpeech: Metrics['countLostSpeech'];
  /** Aborted when the service starts to stop: held requests return immediately. */
  draining: AbortSignal;
  /** The id of this process, as the leader of its calls. */
  leader_id: string;
  /** Where other processes reach this one; null: they cannot. */
  internal_url: string | null;
  /** How many calls this process runs at most; 0 leaves them to other processes. */
  at_once: number;
  queue_seconds: number;
  lease_seconds: number;
  /** Closes the connections of the organizations' own engines. */
  close(): Promise<unknown>;
};
