// The outcomes of calls against SIPp, an independent SIP test tool, over UDP and TCP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sipp_is_missing, startSipp, step } from './testing/sipp.ts';
import { startTrunk } from './testing/trunk.ts';

const { receive, reply, answer, replyInCall, pause } = step;
const ringing = [receive('INVITE'), reply(100, 'Trying'), reply(180, 'Ringing')];
const untilBye = [receive('ACK'), receive('BYE'), replyInCall()];

for (const transport of ['udp', 'tcp'] as const) {
  const promise = (
    name: string,
    scenario: { steps: string[]; calls?: number; options?: Partial<Parameters<typeof startTrunk>[0]> },
    check: (
      trunk: Awaited<ReturnType<typeof startTrunk>>,
      peer: Awaited<ReturnType<typeof startSipp>>,
    ) => Promise<void>,
  ) =>
    test(`${transport}: ${name}`, { skip: sipp_is_missing, timeout: 60_000 }, async () => {
      const peer = await startSipp({ transport, ...scenario });
      const trunk = await startTrunk({ peer_port: peer.port, transport, ...scenario.options });
      try {
        await check(trunk, peer);
        const { code, errors } = await peer.done;
        assert.equal(code, 0, errors);
      } finally {
        await trunk.stop();
        await peer.stop();
      }
    });

  promise(
    'a call that is answered and that we hang up is completed, with audio in both directions',
    { steps: [...ringing, answer(), ...untilBye] },
    async (trunk) => {
      const call = await trunk.call();
      const media = await call.media();
      assert.ok(media);
      let loudest = 0;
      const echoed = new Promise<void>((resolve) =>
        media.onFrame((pcm) => {
          loudest = Math.max(loudest, ...pcm);
          if (loudest > 7000) resolve();
        }),
      );
      media.write(Int16Array.from({ length: 4000 }, (_, index) => 8000 * Math.sin(index / 3)));
      await echoed;
      assert.equal(trunk.state(call.id), 'live');
      assert.equal(call.hangUp('agent_hangup'), 'ended');
      const end = await call.ended();
      assert.equal(call.history(), 'dialed > rang > answered > hung_up');
      assert.equal(end.end_reason, 'agent_hangup');
      assert.equal(trunk.state(call.id), 'ended');
      assert.equal(call.hangUp('api_hangup'), 'already_ended');
    },
  );

  promise(
    'a callee who hangs up ends the call',
    {
      steps: [
        ...ringing,
        answer(),
        receive('ACK', { save: 'parties' }),
        pause(100),
        step.hangUp(),
        step.expect(200),
      ],
    },
    async (trunk) => {
      const call = await trunk.call();
      const media = await call.media();
      const end = await call.ended();
      assert.equal(call.history(), 'dialed > rang > answered > hung_up');
      assert.equal(end.end_reason, 'callee_hangup');
      assert.deepEqual(await media?.closed, { by: 'them' });
    },
  );

  for (const [status, reason, trigger, end_reason] of [
    [486, 'Busy Here', 'declined', 'busy'],
    [600, 'Busy Everywhere', 'declined', 'busy'],
    [603, 'Decline', 'declined', 'rejected'],
    [480, 'Temporarily Unavailable', 'rang_out', 'unreachable'],
    [408, 'Request Timeout', 'rang_out', 'unreachable'],
    [404, 'Not Found', 'broke', 'unreachable'],
    [403, 'Forbidden', 'broke', 'setup_error'],
    [488, 'Not Acceptable Here', 'broke', 'media_failure'],
    [503, 'Service Unavailable', 'broke', 'trunk_failure'],
    [302, 'Moved Temporarily', 'broke', 'setup_error'],
  ] as const) {
    promise(
      `${status} ${reason} means ${trigger}, ${end_reason}`,
      { steps: [...ringing, reply(status, reason, { repeat_ms: 500 }), receive('ACK')] },
      async (trunk) => {
        const call = await trunk.call();
        const end = await call.ended();
        assert.equal(call.history(), `dialed > rang > ${trigger}`);
        assert.deepEqual(
          [end.end_reason, end.sip_status, end.detail],
          [end_reason, status, `${status} ${reason}`],
        );
      },
    );
  }

  const cancelled = [
    ...ringing,
    receive('CANCEL'),
    reply(200, 'OK'),
    reply(487, 'Request Terminated', { to_invite: true, repeat_ms: 500 }),
    receive('ACK'),
  ];

  promise('a phone that rings too long was not answered', { steps: cancelled }, async (trunk) => {
    const call = await trunk.call({ ring_timeout_ms: 400 });
    const end = await call.ended();
    assert.equal(call.history(), 'dialed > rang > rang_out');
    assert.deepEqual([end.end_reason, end.sip_status], ['ring_timeout', 487]);
  });

  promise('a call cancelled while it rings is canceled', { steps: cancelled }, async (trunk) => {
    const call = await trunk.call();
    await call.reached('rang');
    call.hangUp('canceled');
    const end = await call.ended();
    assert.equal(call.history(), 'dialed > rang > canceled');
    assert.equal(end.end_reason, 'canceled');
    assert.equal(await call.media(), null);
  });

  promise(
    'an answer that crosses our CANCEL is acknowledged and hung up, and the call is canceled',
    {
      steps: [
        ...ringing,
        receive('CANCEL'),
        reply(200, 'OK'),
        answer({ to_invite: true }),
        receive('ACK'),
        receive('BYE'),
        replyInCall(),
      ],
    },
    async (trunk) => {
      const call = await trunk.call();
      await call.reached('rang');
      call.hangUp('canceled');
      await call.ended();
      assert.equal(call.history(), 'dialed > rang > canceled');
    },
  );

  const login = [
    receive('INVITE'),
    reply(401, 'Unauthorized', {
      headers: ['WWW-Authenticate: Digest realm="trunk", nonce="abc123", qop="auth", algorithm=MD5'],
    }),
    receive('ACK'),
    step.receiveLogin('line1', 'secret'),
    reply(180, 'Ringing'),
    answer(),
    ...untilBye,
    step.end,
  ];

  promise(
    'a trunk that requires a login gets the credentials',
    { steps: login, options: { credentials: { user: 'line1', password: 'secret' } } },
    async (trunk) => {
      const call = await trunk.call();
      assert.ok(await call.media(), JSON.stringify(call.events));
      call.hangUp('api_hangup');
      assert.equal(call.history(), 'dialed > rang > answered > hung_up');
    },
  );

  promise(
    'a wrong password fails the call as a set-up error',
    { steps: login, options: { credentials: { user: 'line1', password: 'wrong' } } },
    async (trunk) => {
      const call = await trunk.call();
      const end = await call.ended();
      assert.deepEqual([end.trigger, end.end_reason, end.sip_status], ['broke', 'setup_error', 403]);
    },
  );

  promise(
    'without credentials, a trunk that requires a login fails the call as a set-up error',
    { steps: login.slice(0, 3) },
    async (trunk) => {
      const call = await trunk.call();
      const end = await call.ended();
      assert.deepEqual([end.trigger, end.end_reason, end.sip_status], ['broke', 'setup_error', 401]);
    },
  );
}
