// Creates and changes receive rules, and the settings for mail that fails a check.
import { limits } from '@parley/contract/limits';
import {
  type ReceiveChannel,
  type ReceiveRule,
  type ReceiveRuleCreate,
  type ReceiveRulePatch,
  type ReceiveSettings,
  type ReceiveSettingsPatch,
  receive_setting_defaults,
} from '@parley/contract/rules/receive-rules';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import { requireDeleteRight, requireRuleRight, requireSettingsRight } from './rights.ts';
import type { StoredRule } from './rule.ts';
import { checkForm, formOf, shownRule } from './rule-form.ts';
import type { ReceiveRuleStore } from './store.ts';

type Deps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  store: ReceiveRuleStore;
  /** The next message of this process reads the rules again. */
  changed(organization_id: string): void;
};

const orNotFound = <T>(rule: T | null): T => {
  if (!rule) throw new ApiError('not_found');
  return rule;
};

export const receiveRuleService = (deps: Deps) => ({
  async list(organization_id: string, page: PageRequest & { channel?: ReceiveChannel | undefined }) {
    const { items: rows, next_cursor } = await deps.store.page(organization_id, page);
    return { items: rows.map(shownRule), next_cursor };
  },

  get: async (organization_id: string, id: string): Promise<ReceiveRule> =>
    shownRule(orNotFound(await deps.store.find(organization_id, id))),

  create: (context: Context, input: ReceiveRuleCreate) => create(deps, context, input),
  update: (context: Context, id: string, patch: ReceiveRulePatch) => update(deps, context, id, patch),

  async delete(context: Context, id: string): Promise<undefined> {
    const { organization_id } = context;
    requireDeleteRight(context.caller, orNotFound(await deps.store.find(organization_id, id)));
    if (!(await deps.store.delete(organization_id, id))) throw new ApiError('not_found');
    await note(deps, context, 'receive_rule.deleted', id);
  },

  settings: async (organization_id: string): Promise<ReceiveSettings> =>
    (await deps.store.settings(organization_id)) ?? receive_setting_defaults,

  async updateSettings(context: Context, change: ReceiveSettingsPatch): Promise<ReceiveSettings> {
    const { organization_id } = context;
    await deps.db.transaction(async (tx) => {
      await deps.store.lockAndCount(tx, organization_id);
      const before = (await deps.store.settings(organization_id, tx)) ?? receive_setting_defaults;
      requireSettingsRight(context.caller, before, change);
      await deps.store.saveSettings(tx, organization_id, change, receive_setting_defaults);
    });
    await note(deps, context, 'receive_settings.changed', organization_id, change);
    return (await deps.store.settings(organization_id))!;
  },
});
export type ReceiveRuleService = ReturnType<typeof receiveRuleService>;

async function note(
  { db, audit, changed }: Deps,
  context: Context,
  action: string,
  object_id: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { organization_id } = context;
  changed(organization_id);
  await db.transaction((tx) =>
    audit.write(tx, actorOf(context), { organization_id, action, object_id, detail }),
  );
}

async function create(deps: Deps, context: Context, input: ReceiveRuleCreate): Promise<ReceiveRule> {
  const { organization_id } = context;
  const form = formOf(input);
  if (
    form.scope_kind === 'email_domain' &&
    !(await deps.store.domainExists(organization_id, form.scope_value))
  )
    throw new ApiError('invalid_receive_rule', {
      path: 'body.scope.id',
      detail: 'The domain does not exist.',
    });
  const now = deps.clock.now().toISOString();
  const rule: StoredRule = {
    id: deps.ids.next(),
    organization_id,
    ...form,
    labels: [...new Set(input.labels)].sort(),
    note: input.note ?? null,
    hits: 0,
    last_hit_at: null,
    created_at: now,
    updated_at: now,
  };
  await deps.db.transaction(async (tx) => {
    const count = await deps.store.lockAndCount(tx, organization_id);
    requireRuleRight(context.caller, null, rule, await deps.store.all(organization_id, tx));
    if (count >= limits.receive_rules) throw new ApiError('too_many_receive_rules');
    if ((await deps.store.insert(tx, organization_id, rule)) === 'duplicate')
      throw new ApiError('receive_rule_exists');
  });
  await note(deps, context, 'receive_rule.created', rule.id, { channel: rule.channel, action: rule.action });
  return shownRule(rule);
}

async function update(
  deps: Deps,
  context: Context,
  id: string,
  patch: ReceiveRulePatch,
): Promise<ReceiveRule> {
  const { organization_id } = context;
  const after = await deps.db.transaction(async (tx) => {
    const before = orNotFound(await deps.store.lock(tx, organization_id, id));
    const rule: StoredRule = {
      ...before,
      applies_to: patch.applies_to ?? before.applies_to,
      action: patch.action ?? before.action,
      labels: patch.labels ? [...new Set(patch.labels)].sort() : before.labels,
      note: patch.note === undefined ? before.note : patch.note,
      updated_at: deps.clock.now().toISOString(),
    };
    checkForm(rule);
    requireRuleRight(context.caller, before, rule, await deps.store.all(organization_id, tx));
    if ((await deps.store.replace(tx, organization_id, rule)) === 'duplicate')
      throw new ApiError('receive_rule_exists');
    return rule;
  });
  await note(deps, context, 'receive_rule.changed', id, { action: after.action });
  return shownRule(after);
}
