// The rules of an organization for what it sends: read by every send from a cache, changed only by people.
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Caller, Context } from '../../../platform/http/context.ts';
import { keyedTtlCache } from '../../../platform/ttl-cache.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import { mayLoosen } from '../../access/rule-inputs/index.ts';
import { contactRulesService, limitedToNew } from './contact-rules.ts';
import { contactRulesRoutes } from './routes.ts';
import { type NewRules, no_rules, type RuleName, type RuleTypes, type SendingRules } from './rules.ts';
import { sendingRulesStore } from './store.ts';

export { contactRulesOf } from './contact-rules.ts';
export type { RuleName, RuleTypes, SendingRules } from './rules.ts';

/** A change applies on every process after this time at the latest. */
const rules_age_ms = 1000;
const max_organizations = 10_000;

export function sendingRulesFeature(deps: { db: Database; clock: Clock; audit: AuditLog }) {
  const store = sendingRulesStore(deps.db);
  const cache = keyedTtlCache<SendingRules>({ max_age_ms: rules_age_ms, max_entries: max_organizations });
  const load = async (organization_id: string, on?: Queryable) =>
    (await store.find(organization_id, on)) ?? no_rules;

  /** Runs `write` with the new version in one transaction with the entry of the audit log. */
  async function change(
    context: Context,
    action: string,
    write: (tx: Transaction, version: number) => Promise<void>,
    expected_version?: number,
  ): Promise<void> {
    const { organization_id } = context;
    await requireEditor(context);
    await deps.db.transaction(async (tx) => {
      const version = await store.change(tx, organization_id, deps.clock.now());
      // The row is locked, so the rules cannot change between these checks and the commit.
      if (!isEditor(context.caller, version - 1)) throw new ApiError('person_required');
      if (expected_version !== undefined && expected_version !== version - 1)
        throw new ApiError('rules_changed', { detail: `The current version is ${version - 1}.` });
      await write(tx, version);
      const entry = { organization_id, action, object_id: organization_id, detail: { version } };
      await deps.audit.write(tx, actorOf(context), entry);
    });
    cache.forget(organization_id);
  }

  /**
   * Only a person changes rules: an agent must not lift the limits that it works under. The shared key may set the first
   * rule, because an installation with one key has no other credential until then.
   */
  async function requireEditor({ caller, organization_id }: Context): Promise<void> {
    if (isEditor(caller, null)) return;
    if (!isEditor(caller, (await load(organization_id)).version)) throw new ApiError('person_required');
  }

  /** Several rules as one change. */
  const setAll = (context: Context, action: string, values: NewRules, expected_version?: number) =>
    change(context, action, (tx) => store.setAll(tx, context.organization_id, values), expected_version);
  const set = <Name extends RuleName>(
    context: Context,
    name: Name,
    value: RuleTypes[Name] | null,
    expected_version?: number,
  ) => setAll(context, `${name}.changed`, { [name]: value }, expected_version);

  return {
    routes: [contactRulesRoutes(contactRulesService({ current: load, set }))],
    /** At most a second old. */
    of: (organization_id: string): SendingRules | Promise<SendingRules> =>
      cache.get(organization_id, () => load(organization_id)),
    /** As stored now: for reads of the API, and within transactions. */
    current: load,
    /** The next send of this process reads the rules again. */
    forget: cache.forget,
    requireEditor,
    change,
    set,
    setAll,
    setHasBudgets: store.setHasBudgets,
    /** Budgets were added by the service itself. */
    async noteBudgets(tx: Transaction, organization_id: string): Promise<void> {
      await store.noteBudgets(tx, organization_id, deps.clock.now());
      tx.afterCommit(() => cache.forget(organization_id));
    },
    /** Limits an organization whose contact rules were never set; people of the organization can change it. */
    limitNewRecipients: (tx: Transaction, organization_id: string, per_day: number) =>
      store.seedContactRules(tx, organization_id, limitedToNew(per_day), deps.clock.now()),
  };
}
/** `version` is 0 before the first rule. */
const isEditor = (caller: Caller, version: number | null): boolean =>
  (mayLoosen(caller, 'sending_rules.version') && caller.role !== 'member') ||
  (caller.credential_kind === 'shared_key' && version === 0);

export type SendingRulesFeature = ReturnType<typeof sendingRulesFeature>;
