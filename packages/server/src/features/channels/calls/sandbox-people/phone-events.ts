// Publishes changes of the sandbox phone, so that the console can show a ringing phone.
import type { SandboxPhoneCall } from '@parley/contract/operations/sandbox/sandbox-phone';
import type { Log } from '../../../../platform/log.ts';
import type { UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { CallStore } from '../store.ts';

type PhoneEventDeps = { store: CallStore; unitOfWork: UnitOfWork; log: Log };

/** Returns a function that publishes in the background: the phone does not wait for it. Events keep their order. */
export function phoneEvents(deps: PhoneEventDeps): (call: SandboxPhoneCall) => void {
  let publishing = Promise.resolve();
  return (call) => {
    publishing = publishing
      .then(() => publish(deps, call))
      .catch((error) =>
        deps.log.warn({ call_id: call.call_id, err: error }, 'sandbox phone event not published'),
      );
  };
}

async function publish({ store, unitOfWork }: PhoneEventDeps, call: SandboxPhoneCall): Promise<void> {
  const { call_id, status, direction, from, to } = call;
  const [owner] = await store.organizationOf(call_id);
  if (!owner) return;
  const { organization_id } = owner;
  const data = { id: call_id, status, direction, from, to };
  await unitOfWork.commit({
    events: [{ organization_id, type: 'sandbox.phone_changed', resource_id: call_id, data }],
  });
}
