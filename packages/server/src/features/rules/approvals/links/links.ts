// Links to decide an approval: mailed to each approver, bound to the approval and the approver, and used once.
import type { Clock } from '../../../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../../../platform/crypto.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { SystemMailSender } from '../../../../platform/system-mail.ts';
import type { ApproverStore, Member } from '../approvers/approver-store.ts';
import { isApprover, linkedMembers, reachable } from '../approvers/approvers.ts';
import type { ApprovalStore, StoredApproval } from '../store.ts';
import { approvalLinkStore } from './link-store.ts';

export const link_path = '/approvals/decide/';

export type LinkDeps = {
  db: Database;
  clock: Clock;
  store: ApprovalStore;
  approvers: ApproverStore;
  mail: SystemMailSender;
  baseUrl(): string;
};

export type OpenedLink = { approval: StoredApproval; approver: Member; token_hash: string };

export function approvalLinks(deps: LinkDeps) {
  const links = approvalLinkStore(deps.db);
  return {
    /** In the transaction that stores the approval: its mails are sent after the commit. */
    async send(tx: Transaction, approval: StoredApproval): Promise<void> {
      const { organization_id, id, terms } = approval;
      if (!terms.decide_by.includes('link') || !canMail(deps)) return;
      const members = await deps.approvers.list(organization_id, tx);
      for (const member of await reachable(deps.mail, linkedMembers(terms.approvers, members))) {
        const token = randomToken('');
        const token_hash = sha256Base64url(token);
        await links.replace(tx, organization_id, { approval_id: id, user_id: member.user_id, token_hash });
        const url = deps.baseUrl() + link_path + token;
        const mail = { ...mailOf(approval, url), to: member.email, reference: token_hash };
        // Of no organization: its sandbox outbox, which its programs can read, must not show the link.
        await deps.mail.send(tx, { ...mail, organization_id: null });
      }
    },

    /** Null for a link that was used, is unknown, or whose owner may not decide any more. */
    async open(token: string): Promise<OpenedLink | null> {
      if (!/^[\w-]{43}$/.test(token)) return null;
      const token_hash = sha256Base64url(token);
      const link = await links.find(token_hash);
      if (!link) return null;
      const approval = await deps.store.find(link.organization_id, link.approval_id);
      const approver = await deps.approvers.find(link.organization_id, link.user_id);
      if (!approval || !approver || !isApprover(approval.terms.approvers, approver)) return null;
      return { approval, approver, token_hash };
    },

    /** False when another request used it first. */
    use: (tx: Transaction, { approval, token_hash }: OpenedLink): Promise<boolean> =>
      links.delete(tx, approval.organization_id, token_hash),
  };
}
export type ApprovalLinks = ReturnType<typeof approvalLinks>;

export function canMail({ mail }: Pick<LinkDeps, 'mail'>): boolean {
  try {
    mail.requireTransport();
    return true;
  } catch {
    return false;
  }
}

const nouns = {
  email: 'An email',
  sms: 'A text',
  call: 'A call',
  email_batch: 'A batch of emails',
  number: 'The purchase of a number',
  forward_address: 'A forward address',
  configuration: 'A change of the configuration',
  tool_call: 'A tool of an agent',
} as const;

/** Contains nothing that the sender wrote: the page shows it. */
const mailOf = ({ object, expires_at, rule }: StoredApproval, url: string) => ({
  kind: 'approval',
  subject: `${nouns[object.noun]} waits for your approval`,
  text: `${nouns[object.noun]} waits for your approval (rule: ${rule}). It goes ahead only if you or another approver agrees before ${expires_at}.

This page shows everything about it. Approve or reject it there:

${url}

The link is for you only and works once. Do not forward this mail.
`,
});
