// The sandbox route for received mail: the message that the request describes is accepted like any other.
import type { Email } from '@parley/contract/channels/emails/email-records';
import { sandboxEmails } from '@parley/contract/operations/sandbox/sandbox-emails';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { routesOf } from '../../../../platform/http/context.ts';
import { withCrLf } from '../../../../protocols/mail/line-breaks.ts';
import type { AcceptMessage } from './accept/accept-message.ts';
import {
  composeMessage,
  default_sender,
  ownRecipients,
  readRawMessage,
  type SandboxMessageDeps,
} from './sandbox-message.ts';

type SandboxDeps = SandboxMessageDeps & {
  accept: AcceptMessage;
  get(organization_id: string, email_id: string): Promise<Email>;
};

export const sandboxEmailRoutes = (deps: SandboxDeps) =>
  routesOf(sandboxEmails, {
    async receive({ body }, { organization_id }) {
      const message = body.raw === undefined ? null : await readRawMessage(deps, body.raw);
      const recipients = await ownRecipients(deps, organization_id, body, message);
      if (recipients.length === 0) {
        const path = message && !body.to ? 'body.raw' : 'body.to';
        throw new ApiError('inbound_address_not_yours', { path });
      }
      const to = recipients.map(({ address }) => address);
      const { dmarc_policy, ...verdicts } = body.verdicts ?? {};
      const accepted = await deps.accept({
        raw: message?.raw ?? (await withCrLf(await composeMessage(deps, body, to))),
        mail_from: body.from?.address ?? message?.from ?? default_sender.address,
        peer: null,
        recipients,
        report_paths: [],
        provider: 'sandbox',
        provider_message_id: null,
        verdicts,
        dmarc_policy,
      });
      if ('refused' in accepted) throw new ApiError('inbound_message_refused', { detail: accepted.refused });
      return deps.get(organization_id, accepted.emails[0]!.email_id);
    },
  });
