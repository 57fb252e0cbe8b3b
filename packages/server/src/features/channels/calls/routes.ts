// The HTTP operations of calls.
import { calls } from '@parley/contract/channels/calls/calls';
import { routesOf } from '../../../platform/http/context.ts';
import type { CommandService } from './commands/command-service.ts';
import type { CallService } from './service.ts';
import type { TransferService } from './transfer/service.ts';

export const callRoutes = (service: CallService, commands: CommandService, transfers: TransferService) =>
  routesOf(calls, {
    create: ({ body }, context) => service.create(context, body),
    list: ({ query }, context) => service.list(context.organization_id, query),
    stats: ({ query }, context) => service.stats(context.organization_id, query),
    get: ({ params, query }, context) => service.get(context, params.call_id, query),
    update: ({ params, body }, context) =>
      service.reschedule(context.organization_id, params.call_id, body.scheduled_at),
    cancel: ({ params }, context) => service.cancel(context.organization_id, params.call_id, context),
    transcript: ({ params }, context) => service.transcript(context, params.call_id),
    result: ({ params, body }, context) => service.result(context.organization_id, params.call_id, body),
    events: ({ params, query }, context) => service.events(context.organization_id, params.call_id, query),
    say: ({ params, body }, context) => commands.send(context, { ...params, kind: 'say', body }),
    instruct: ({ params, body }, context) => commands.send(context, { ...params, kind: 'instruct', body }),
    send_digits: ({ params, body }, context) =>
      commands.send(context, { ...params, kind: 'send_digits', body }),
    transfer: ({ params, body }, context) => transfers.request(context, params.call_id, body),
    get_command: ({ params }, { organization_id }) =>
      commands.find(organization_id, params.call_id, params.command_id),
    recording: ({ params }, context) => service.recording(context.organization_id, params.call_id),
  });
