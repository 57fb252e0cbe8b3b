// Who may decide an approval, and how: roles, members, the operator key, and keys issued for it.

import { decide_scope, type Role, roles } from '@parley/contract/access/roles';
import { nil_uuid } from '@parley/contract/limits';
import type { ApprovalRule } from '@parley/contract/rules/approvals/approval-policy';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { type Caller, isPerson } from '../../../../platform/http/context.ts';
import type { SystemMailSender } from '../../../../platform/system-mail.ts';
import type { ApproverStore, Member } from './approver-store.ts';

type Approvers = ApprovalRule['approvers'];
/** Everything that decides whether somebody may decide. */
export type DecisionTerms = Pick<ApprovalRule, 'approvers' | 'decide_by'>;

const hasRole = (role: Role, required: string) =>
  (roles as readonly string[]).includes(required) && roles.indexOf(role) <= roles.indexOf(required as Role);

/** Owners can always decide: they could change the policy as well. */
export const isApprover = (approvers: Approvers, { id, role }: { id: string | null; role: Role }) =>
  role === 'owner' ||
  approvers.some((each) => (each.kind === 'role' ? hasRole(role, each.id) : each.id === id));

/** The members who get a link. Owners get one only if the rule names them. */
export const linkedMembers = (approvers: Approvers, members: readonly Member[]) =>
  members.filter(({ id, role }) =>
    approvers.some((each) => (each.kind === 'role' ? hasRole(role, each.id) : each.id === id)),
  );

/** The members to whom links may be mailed. */
export async function reachable(
  mail: Pick<SystemMailSender, 'isReceivedHere'>,
  members: readonly Member[],
): Promise<Member[]> {
  const is_readable = await Promise.all(members.map(({ email }) => mail.isReceivedHere(email)));
  return members.filter((_, index) => !is_readable[index]);
}

export type Requester = {
  kind: string;
  credential_id: string | null;
  agent_id: string | null;
  lineage?: readonly string[];
  owner_id?: string;
};

/** The first credential of a lineage, which all of its descendants have in common. */
const rootOf = ({ credential_id, lineage }: Pick<Requester, 'credential_id' | 'lineage'>): string | null =>
  lineage?.at(-1) ?? credential_id;

/** A parent could otherwise let a child ask and decide itself, and a child could decide what a sibling asked. */
const isRelated = (caller: Caller, requester: Requester): boolean => {
  const root = rootOf(caller);
  return root === requester.credential_id || (requester.lineage ?? []).includes(root!);
};

/** Issued for decisions: it cannot do anything that is decided about. */
const isOnlyForDecisions = ({ scopes }: Pick<Caller, 'scopes'>): boolean =>
  scopes.every((scope) => scope === decide_scope || scope.endsWith(':read'));

/** Programs of the shared key have no person as their owner, and count as those of one. */
const sameOwner = ({ user_id }: Caller['identity'], { owner_id = nil_uuid }: Requester): boolean =>
  user_id === owner_id;

/** Throws unless this credential may decide. */
export async function requireMayDecide(
  { approvers: store, mail }: { approvers: ApproverStore; mail: Pick<SystemMailSender, 'isReceivedHere'> },
  caller: Caller,
  { approvers, decide_by, requester }: DecisionTerms & { requester: Requester },
): Promise<void> {
  const { credential_kind, credential_id, scopes, identity, role } = caller;
  const refuse = (detail: string) => new ApiError('approval_not_yours', { detail });
  const is_key = credential_kind === 'api_key' && scopes.includes(decide_scope);
  if (!isPerson(caller) && !is_key) {
    throw refuse('Only a person decides, or a key that was issued with the scope approvals:write.');
  }
  if (is_key && isRelated(caller, requester)) {
    throw refuse(
      'A key does not decide about its own requests, nor about those of keys of the same lineage.',
    );
  }
  if (credential_kind === requester.kind && credential_id === requester.credential_id) {
    throw refuse('A credential does not decide about its own requests.');
  }
  if (is_key && !isOnlyForDecisions(caller) && sameOwner(identity, requester)) {
    throw refuse(
      'A key that may do more than read and decide does not decide about requests of other programs of its owner.',
    );
  }
  const member = await store.find(identity.organization_id, identity.user_id);
  if (!decide_by.includes('console')) {
    // A person whose address gets no links any more must still be able to decide.
    const gets_no_link = member !== null && isPerson(caller) && (await mail.isReceivedHere(member.email));
    if (!gets_no_link) throw refuse('This rule is decided by the mailed link only.');
  }
  if (role === 'owner') return;
  if (!member || !isApprover(approvers, member)) throw refuse('The rule names other approvers.');
}

async function requireReachable(
  mail: Pick<SystemMailSender, 'isReceivedHere'>,
  named: readonly Member[],
  path: string,
): Promise<void> {
  const allowed = await reachable(mail, named);
  const refused = named.filter((member) => !allowed.includes(member)).map(({ email }) => email);
  if (refused.length === 0) return;
  throw new ApiError('address_received_here', {
    detail: `Programs can read mail to ${refused.join(', ')} through this server, so no link is sent there.`,
    fix: 'Let the rule be decided in the console only, name other approvers, or give these members an address at another mail service.',
    path,
  });
}

/** Throws when no person is able to decide about what a rule holds back. */
export async function requireApprovers(
  deps: {
    approvers: ApproverStore;
    has_operator_key: boolean;
    canMail(): boolean;
    mail: Pick<SystemMailSender, 'isReceivedHere'>;
  },
  organization_id: string,
  rules: readonly ApprovalRule[],
): Promise<void> {
  const holding = rules.flatMap((rule, index) => (rule.then === 'hold' ? [{ rule, index }] : []));
  if (holding.length === 0) return;
  const members = await deps.approvers.list(organization_id);
  const has_operator = deps.has_operator_key && organization_id === nil_uuid;
  for (const { rule, index } of holding) {
    const named = linkedMembers(rule.approvers, members);
    const unknown = rule.approvers.find(({ kind, id }) =>
      kind === 'role' ? !(roles as readonly string[]).includes(id) : !members.some((each) => each.id === id),
    );
    const path = `body.rules[${index}].approvers`;
    if (unknown) {
      throw new ApiError('no_approver', {
        detail: `${rule.name}: there is no ${unknown.kind} ${unknown.id}.`,
        path,
      });
    }
    if (rule.decide_by.includes('link')) await requireReachable(deps.mail, named, path);
    const by_console = rule.decide_by.includes('console') && (named.length > 0 || has_operator);
    const by_link = rule.decide_by.includes('link') && named.length > 0 && deps.canMail();
    if (by_console || by_link) continue;
    throw new ApiError('no_approver', {
      detail: `${rule.name}: no person is able to decide about it.`,
      path,
    });
  }
}
