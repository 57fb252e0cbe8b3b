// Runs SIPp as the other end of the trunk, with a scenario that is written as a list of steps.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../../testing/free-port.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';

export const sipp_is_missing =
  spawnSync('sipp', ['-v']).error === undefined
    ? false
    : 'sipp is not installed: scripts/install-debian-programs';

const sdp = `v=0
o=sipp 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [media_ip]
t=0 0
m=audio [media_port] RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
a=fmtp:101 0-15
a=ptime:20`;

export type Reply = {
  body?: string;
  headers?: string[];
  /** Respond to the INVITE, although another request came after it. */
  to_invite?: boolean;
  /** Repeat it at this interval until the next message is received. */
  repeat_ms?: number;
  /** Address for requests in the call, for a peer behind a proxy. */
  contact?: string;
};

const saveHeader = (header: string, variable: string) =>
  `<ereg regexp=".*" search_in="hdr" header="${header}:" assign_to="${variable}"/>`;

/** The steps of a scenario; a scenario without `call` waits for a call. */
export const step = {
  receive: (method: string, options: { save?: 'parties' } = {}) => {
    const saved = [
      ...(method === 'INVITE' ? [saveHeader('CSeq', 'cseq_of_invite')] : []),
      ...(options.save ? [saveHeader('To', 'callee'), saveHeader('From', 'caller')] : []),
    ];
    const routes = method === 'ACK' || method === 'BYE' ? '' : ' rrs="true"';
    return `<recv request="${method}"${routes}><action>${saved.join('')}</action></recv>`;
  },

  /** Continues only with the right login; refuses a wrong one with 403. */
  receiveLogin: (user: string, password: string) => `
    <recv request="INVITE" rrs="true"><action>${saveHeader('CSeq', 'cseq_of_invite')}
      <verifyauth assign_to="login_is_right" username="${user}" password="${password}"/></action></recv>
    <nop test="login_is_right" next="logged_in"/>
    ${step.reply(403, 'Forbidden')}
    ${step.receive('ACK')}
    <nop next="the_end"/>
    <label id="logged_in"/>`,
  end: '<label id="the_end"/>',

  reply: (status: number, reason: string, options: Reply = {}) => `
    <send${options.repeat_ms ? ` retrans="${options.repeat_ms}"` : ''}><![CDATA[
SIP/2.0 ${status} ${reason}
[last_Via:]
[last_Record-Route:]
[last_From:]
[last_To:];tag=callee[call_number]
[last_Call-ID:]
${options.to_invite ? 'CSeq: [$cseq_of_invite]' : '[last_CSeq:]'}
Contact: <sip:callee@${options.contact ?? '[local_ip]:[local_port]'};transport=[transport]>
${[...(options.headers ?? []), ...(options.body ? ['Content-Type: application/sdp'] : [])].map((line) => `${line}\n`).join('')}Content-Length: [len]

${options.body ?? ''}
]]></send>`,

  answer: (options: Reply = {}) => step.reply(200, 'OK', { body: sdp, repeat_ms: 500, ...options }),
  /** A response in the call, where the To header already has its tag. */
  replyInCall: (options: { headers?: string[] } = {}) => `
    <send><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
[last_CSeq:]
${(options.headers ?? []).map((line) => `${line}\n`).join('')}Content-Length: 0

]]></send>`,
  hangUp: (options: { routes?: boolean } = {}) => `
    <send retrans="500"><![CDATA[
BYE [next_url] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
${options.routes ? '[routes]\n' : ''}From: [$callee]
To: [$caller]
[last_Call-ID:]
CSeq: 1 BYE
Max-Forwards: 70
Content-Length: 0

]]></send>`,
  pause: (ms: number) => `<pause milliseconds="${ms}"/>`,

  // ---- the caller's steps
  call: (options: { body?: string } = {}) => `
    <send retrans="500"><![CDATA[
INVITE sip:[service]@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:+15005550001@[local_ip]:[local_port]>;tag=caller[call_number]
To: <sip:[service]@[remote_ip]:[remote_port]>
Call-ID: [call_id]
CSeq: 1 INVITE
Contact: <sip:caller@[local_ip]:[local_port];transport=[transport]>
Max-Forwards: 70
Content-Type: application/sdp
Content-Length: [len]

${options.body ?? sdp}
]]></send>`,
  expect: (status: number, options: { optional?: boolean } = {}) =>
    `<recv response="${status}" rrs="true"${options.optional ? ' optional="true"' : ''}></recv>`,
  /** `routes`: along the recorded route of the call. */
  request: (
    method: string,
    cseq: string,
    options: { retrans?: boolean; body?: string; routes?: boolean } = {},
  ) => `
    <send${options.retrans ? ' retrans="500"' : ''}><![CDATA[
${method} [next_url] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
${options.routes ? '[routes]\n' : ''}From: <sip:+15005550001@[local_ip]:[local_port]>;tag=caller[call_number]
To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
Call-ID: [call_id]
CSeq: ${cseq}
Contact: <sip:caller@[local_ip]:[local_port];transport=[transport]>
Max-Forwards: 70
${options.body ? 'Content-Type: application/sdp\n' : ''}Content-Length: [len]

${options.body ?? ''}
]]></send>`,
  sdp,
};

export type SippRun = {
  port: number;
  /** Settles with the exit code: 0 when every call followed the scenario. */
  done: Promise<{ code: number | null; errors: string }>;
  stop(): Promise<void>;
};

export async function startSipp(options: {
  transport: 'udp' | 'tcp';
  steps: string[];
  calls?: number;
  /** Default: a free one. */
  port?: number;
  /** The number to call; without it SIPp waits for a call. */
  remote?: { port: number; number: string };
  more?: string[];
}): Promise<SippRun> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-sipp-'));
  const file = join(folder, 'scenario.xml');
  // SIPp refuses a scenario with a variable that is set and never used.
  const variables = new Set(
    options.steps.flatMap((text) => [...text.matchAll(/assign_to="(\w+)"/g)].map((match) => match[1])),
  );
  const used = variables.size > 0 ? `<Reference variables="${[...variables].join(',')}"/>` : '';
  await writeFile(
    file,
    `<?xml version="1.0" encoding="UTF-8"?>\n<scenario name="test">${options.steps.join('\n')}${used}</scenario>\n`,
  );
  const port = options.port ?? (await freePort());
  const media_port = 2 * Math.floor((await freePort()) / 2);
  const child: ChildProcess = spawn(
    'sipp',
    [
      ...(options.remote ? ['-s', options.remote.number, `127.0.0.1:${options.remote.port}`] : []),
      ...['-sf', file, '-i', '127.0.0.1', '-p', String(port), '-mp', String(media_port), '-rtp_echo'],
      ...['-t', options.transport === 'udp' ? 'u1' : 't1', '-m', String(options.calls ?? 1)],
      ...[
        '-nostdin',
        '-timeout',
        '60s',
        '-timeout_error',
        '-trace_err',
        '-error_file',
        join(folder, 'errors'),
      ],
      ...(options.more ?? []),
    ],
    { cwd: folder, stdio: 'ignore', env: { ...process.env, TERM: 'dumb' } },
  );
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const done = exited.then(async (code) => {
    const errors = await readFile(join(folder, 'errors'), 'utf8').catch(() => '');
    await rm(folder, { recursive: true, force: true });
    return { code, errors };
  });
  await listening(port, options.transport, exited);
  return {
    port,
    done,
    async stop() {
      child.kill('SIGKILL');
      await done;
    },
  };
}

/** Reads the kernel's list of sockets, because a probe message would count as a call for SIPp. */
async function listening(port: number, transport: 'udp' | 'tcp', exited: Promise<unknown>): Promise<void> {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  let gone = false;
  void exited.then(() => {
    gone = true;
  });
  await waitFor(
    'SIPp listens',
    async () => gone || (await readFile(`/proc/net/${transport}`, 'utf8')).includes(hex),
  );
}
