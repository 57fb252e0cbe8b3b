// The rules of an organization for what it sends: read by every send from a cache, changed only by people.
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { type Context, isPerson } from '../../platform/http/context.ts';
import { keyedTtlCache } from '../../platform/ttl-cache.ts';
import { type AuditLog, actorOf } from '../audit/index.ts';
import { contactRulesService } from './contact-rules.ts';
import { contactRulesRoutes } from './routes.ts';
import { no_rules, type RuleName, type RuleTypes, type SendingRules } from './rules.ts';
import { sendingRulesStore } from './store.ts';

export { contactRulesOf } from './contact-rules.ts';
export type { RuleName, RuleTypes, SendingRules } from './rules.ts';

/** A change applies on every process after this time. */
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
  ): Promise<void> {
    const { organization_id } = context;
    await requireEditor(context);
    await deps.db.transaction(async (tx) => {
      const version = await store.change(tx, organization_id, deps.clock.now());
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
    if (isPerson(caller) && caller.role !== 'member') return;
    if (caller.credential_kind === 'shared_key' && (await load(organization_id)).version === 0) return;
    throw new ApiError('person_required');
  }

  const set = <Name extends RuleName>(context: Context, name: Name, value: RuleTypes[Name] | null) =>
    change(context, `${name}.changed`, (tx) => store.set(tx, context.organization_id, name, value));

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
    setHasBudgets: store.setHasBudgets,
  };
}
export type SendingRulesFeature = ReturnType<typeof sendingRulesFeature>;
