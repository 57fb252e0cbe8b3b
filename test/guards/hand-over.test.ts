// Guard: nothing leaves the service without admission. Only admission uses the unguarded ports of providers; all other code
// gets guarded ports, whose functions require the proof that `admit('hand_over', …)` returns.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type Admitted,
  type GuardedTransport,
  guardCarriers,
  guardTransport,
} from '../../packages/server/src/features/rules/admission/index.ts';
import { issueProof } from '../../packages/server/src/features/rules/admission/proof.ts';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { carrierRegistry } from '../../packages/server/src/providers/carrier/registry.ts';
import { sandboxCarrier } from '../../packages/server/src/providers/carrier/sandbox/index.ts';
import { sandboxTransport } from '../../packages/server/src/providers/mail/sandbox/index.ts';
import type { MailTransport, OutgoingMail } from '../../packages/server/src/providers/mail/transport.ts';
import { sourceFiles } from './source-files.ts';

const server = 'packages/server/src/';
type Source = { path: string; text: string };

const sources: Source[] = sourceFiles()
  .filter((path) => path.startsWith(server) && !/(\.test\.ts$|\/testing\/|conformance)/.test(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Files that may import unguarded ports: vendors, composition and admission. */
const knows_ports =
  /^packages\/server\/src\/(providers\/|app\/(vendors|options)\.ts$|features\/rules\/admission\/ports\.ts$)/;
const bare_ports = ['MailTransport', 'SmsPort', 'VoicePort', 'Carrier', 'Carriers'];

/** Source text that sends, dials or answers, and the files that may contain it. A new sender must be added to the list. */
const sending =
  /\b(?:transport[!?]?|mail_transport)\s*[!?]?\.send\(|\bsms\s*[!?]?\.send\(|\bvoice[!?]?\.(?:place|accept)\(/g;
const senders = [
  'features/rules/admission/ports.ts',
  'features/channels/calls/dispatch/intake.ts',
  'features/channels/calls/dispatch/dial.ts',
  'features/channels/emails/send/hand-over.ts',
  'features/channels/emails/receive/forward/forward-email.ts',
  'features/channels/sms/sending/send-sms.ts',
  'features/channels/system-mail/index.ts',
].map((path) => server + path);

function offencesIn(files: readonly Source[]): string[] {
  const offences: string[] = [];
  for (const { path, text } of files) {
    if (!knows_ports.test(path)) {
      for (const name of bare_ports) {
        const imported = new RegExp(
          `import[^;]*[{,\\s]${name}[\\s,}][^;]*from '[^']*providers/(?:carrier|mail)/`,
          'm',
        );
        if (imported.test(text)) offences.push(`${path} imports the unguarded port ${name}`);
      }
    }
    if (
      /\b(?:issueProof|redeemProof)\b/.test(text) &&
      !path.startsWith(`${server}features/rules/admission/`)
    ) {
      offences.push(`${path} makes or uses up proofs of admission itself`);
    }
    if (
      /\bas (?:unknown as )?Admitted\b/.test(text) &&
      path !== `${server}features/rules/admission/proof.ts`
    ) {
      offences.push(`${path} casts something to a proof of admission`);
    }
    if (
      /\bas (?:unknown as )?Guarded\w+/.test(text) &&
      path !== `${server}features/rules/admission/ports.ts`
    ) {
      offences.push(`${path} casts a bare port to a guarded one`);
    }
    if (path.startsWith(`${server}providers/`)) continue;
    const sends = text.match(sending) ?? [];
    if (sends.length > 0 && !senders.includes(path)) offences.push(`${path} calls ${sends.join(', ')}`);
    if (sends.length > 0 && path !== senders[0] && !/\badmit\('hand_over'/.test(text)) {
      offences.push(`${path} hands over without asking admit('hand_over', …)`);
    }
  }
  return offences;
}

test('only admission uses unguarded ports, and every caller of a send, dial or answer calls it first (R1)', () => {
  assert.deepEqual(offencesIn(sources), []);
});

test('every file of the list still sends, so that the list stays up to date', () => {
  const idle = senders.filter((path) => {
    const found = sources.find((source) => source.path === path);
    return !found || (found.text.match(sending) ?? []).length === 0;
  });
  assert.deepEqual(idle, []);
});

test('every form of a new caller without admission is found (R1)', () => {
  const caught = (text: string, path = `${server}features/newsletters/sending.ts`) =>
    offencesIn([{ path, text }]).length > 0;
  assert.ok(caught(`import type { MailTransport } from '../../providers/mail/transport.ts';`));
  assert.ok(caught(`import type { News, VoicePort } from '../../providers/carrier/carrier.ts';`));
  assert.ok(caught(`import type {\n  Carriers,\n} from '../../providers/carrier/registry.ts';`));
  assert.ok(caught('await deps.transport!.send(mail, proof, signal);'));
  assert.ok(caught('await carrier.sms\n      .send(text, proof);'));
  assert.ok(caught('await voice.place(order, proof);'));
  assert.ok(caught('await voice.accept(call, proof);'));
  assert.ok(caught('await voice.place(order, proof);', `${server}features/channels/calls/dispatch/dial.ts`));
  assert.ok(caught('const proof = {} as Admitted;'));
  assert.ok(caught('const proof = issueProof("sms", []);'));
  assert.ok(caught('const open = transport as GuardedTransport;'));
  assert.ok(!caught("import type { OutgoingMail } from '../../providers/mail/transport.ts';"));
});

test('the types refuse an unguarded port where a guarded one is expected, and a hand-over without a proof', () => {
  const typed = (bare: MailTransport, guarded: GuardedTransport, mail: OutgoingMail, proof: Admitted) => {
    const { signal } = new AbortController();
    // @ts-expect-error An unguarded transport is not a guarded one.
    const wrong: GuardedTransport = bare;
    // @ts-expect-error A guarded transport cannot be used as an unguarded one.
    const worse: MailTransport = guarded;
    // @ts-expect-error A send requires a proof.
    const unproven = () => guarded.send(mail, signal);
    // @ts-expect-error A proof cannot be written by hand.
    const forged: Admitted = {};
    return [wrong, worse, unproven, forged, () => guarded.send(mail, proof, signal)];
  };
  assert.equal(typeof typed, 'function');
});

test('a guarded port refuses a proof that is forged, used, of another channel or for another recipient (R1)', async () => {
  let handed = 0;
  const transport = sandboxTransport();
  const guarded = guardTransport({
    ...transport,
    async send(mail, signal) {
      handed++;
      return transport.send(mail, signal);
    },
  });
  const mail = {
    email_id: 'e',
    organization_id: 'o',
    envelope: { from: () => 'a@example.test', to: ['b@example.test'] },
    shown: () => ({ attachments: [] }),
    first_link: null,
  } as unknown as OutgoingMail;
  const { signal } = new AbortController();
  const send = (proof: Admitted) => guarded.send(mail, proof, signal);
  await assert.rejects(send({} as Admitted), /not admitted/);
  await assert.rejects(send(issueProof('sms', ['b@example.test'])), /admitted for sms/);
  await assert.rejects(send(issueProof('emails', ['c@example.test'])), /other recipients/);
  const proof = issueProof('emails', ['b@example.test']);
  await send(proof);
  await assert.rejects(send(proof), /already handed over/);
  assert.equal(handed, 1);

  const handed_texts = { add: async () => {}, has: async () => false };
  const carrier = sandboxCarrier({
    handleEvents: async () => {},
    phones: null,
    clock: systemClock(),
    handed_texts,
  });
  const { sms } = guardCarriers(carrierRegistry([carrier], 'sandbox')).active!;
  const text = {
    sms_id: 's',
    from: '+15005550110',
    to: '+15005550001',
    body: 'Hello',
    messaging_service_reference: null,
  };
  await assert.rejects(sms.send(text, issueProof('sms', ['+15005550002'])), /other recipients/);
});
