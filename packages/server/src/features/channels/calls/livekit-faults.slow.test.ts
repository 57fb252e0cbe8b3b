// Faults during a call over LiveKit: the worker, the SIP service, the media server and Redis are killed, one at a time.
// Runs in its own process: it starts another one in a network namespace.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestApp } from '../../../../testing/app.ts';
import { callWorkers } from '../../../../testing/call-workers.ts';
import { ended, place, until } from '../../../../testing/calls.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { testsInOwnNetwork } from '../../../providers/carrier/livekit/testing/own-network.ts';
import { startPhone } from '../../../providers/carrier/livekit/testing/phone.ts';
import {
  createOutboundTrunk,
  livekit_is_missing,
  startLiveKitStack,
} from '../../../providers/carrier/livekit/testing/stack.ts';

const own_number = '+14155550100';
const friend = '+14155550123';

await testsInOwnNetwork(import.meta.filename, livekit_is_missing, async () => {
  const stack = await startLiveKitStack();
  const phone = await startPhone(stack.sip_port);
  after(async () => {
    await phone.stop();
    await stack.close();
    // The library keeps its threads.
    setTimeout(() => process.exit(), 1000).unref();
  });
  const environment = {
    PARLEY_CARRIER: 'livekit',
    LIVEKIT_URL: stack.access.url,
    LIVEKIT_API_KEY: stack.access.api_key,
    LIVEKIT_API_SECRET: stack.access.api_secret,
    LIVEKIT_SIP_TRUNK_ID: await createOutboundTrunk(stack, phone.port, own_number),
    LIVEKIT_NUMBERS: own_number,
    PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
    PARLEY_CALL_LEASE_SECONDS: '5',
  };
  // This process runs no calls itself: it queues them, and its sweeper closes lost ones.
  const app = await startTestApp({ ...environment, PARLEY_CALLS_AT_ONCE: '0' });
  const { client } = app;
  const number = await client.request('POST', '/v1/numbers', { country_code: 'US', capabilities: ['voice'] });
  assert.equal(number.status, 201, number.text);
  // The database is outside of the namespace, so it is reached by its socket in the file system.
  const sockets = encodeURIComponent(process.env.PARLEY_TEST_DATABASE_SOCKETS!);
  const workers = callWorkers(app, {
    ...environment,
    DATABASE_URL: `${app.database_url}?host=${sockets}`,
    TEST_REAL_TIME: '1',
  });

  /** A call in which the agent has spoken. */
  const talking = async () => {
    const { id } = await place(client, friend, { first_message: 'Good morning.', ai_disclosure: false });
    const far = await phone.nextLine();
    let is_heard = false;
    far.onFrame((pcm) => {
      if (Math.max(...pcm) > 1000) is_heard = true;
    });
    await until(client, id, 'in_progress');
    await waitFor('the agent speaks', () => is_heard);
    return { id, far };
  };
  /** A number that stayed bound would let the next call wait. */
  const worksAgain = async () => {
    const { id, far } = await talking();
    far.close();
    assert.equal((await ended(client, id)).end_reason, 'callee_hangup');
  };
  const limits = { timeout: 300_000 };

  test(
    'kill -9 of the worker: another process hangs up the phone when the lease is over',
    limits,
    async () => {
      const worker = await workers.start();
      const { id, far } = await talking();
      await workers.kill(worker);
      const call = await ended(client, id);
      assert.deepEqual([call.status, call.end_reason], ['failed', 'force_closed']);
      // A BYE, not a timeout of the phone.
      assert.deepEqual(await far.closed, { by: 'them' });
    },
  );

  test('kill -9 of the SIP service ends the call as a media failure', limits, async () => {
    await workers.start();
    const { id } = await talking();
    await stack.kill('sip');
    const call = await ended(client, id);
    assert.deepEqual([call.status, call.end_reason], ['failed', 'media_failure']);
    await stack.start('sip');
    await worksAgain();
  });

  test(
    'kill -9 of the media server ends the call as a media failure, and the phone gets a BYE',
    limits,
    async () => {
      const { id, far } = await talking();
      await stack.kill('server');
      const call = await ended(client, id);
      assert.deepEqual([call.status, call.end_reason], ['failed', 'media_failure']);
      assert.deepEqual(await far.closed, { by: 'them' });
      await stack.start('server');
      await worksAgain();
    },
  );

  test(
    'kill -9 of Redis ends the call with a true reason, and the phone gets a BYE when Redis is back',
    limits,
    async () => {
      const { id, far } = await talking();
      await stack.kill('redis');
      const call = await ended(client, id);
      // The audio does not pass through Redis: the silence of the person may end the call before LiveKit does.
      assert.ok(['media_failure', 'silence_timeout'].includes(call.end_reason!), call.end_reason!);
      // LiveKit finds its rooms through Redis, so until then nobody can hang up.
      await stack.start('redis');
      assert.deepEqual(await far.closed, { by: 'them' });
      await worksAgain();
    },
  );
});
