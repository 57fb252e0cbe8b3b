// A call goes on when the connection to its LiveKit room is lost: it is resumed, or the room is joined again. With real servers.
// Runs in its own process: it starts another one in a network namespace.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { waitFor } from '../../../../testing/wait-for.ts';
import { realTimeClock } from '../../media/media-clock.ts';
import type { MediaSession } from '../../media/media-session.ts';
import { liveKitCarrier } from './index.ts';
import { rtcNode } from './rtc-node.ts';
import { testsInOwnNetwork } from './testing/own-network.ts';
import { startPhone } from './testing/phone.ts';
import { startSignalProxy } from './testing/signal-proxy.ts';
import { createOutboundTrunk, livekit_is_missing, startLiveKitStack } from './testing/stack.ts';

const own_number = '+14155550100';
const tone = Int16Array.from({ length: 800 }, (_, i) => Math.round(8000 * Math.sin(i / 3)));

await testsInOwnNetwork(import.meta.filename, livekit_is_missing, async () => {
  const stack = await startLiveKitStack();
  const phone = await startPhone(stack.sip_port);
  const proxy = await startSignalProxy(stack.access.url);
  const log = { info() {}, warn() {} } as never;
  const carrier = liveKitCarrier(
    {
      ...stack.access,
      url: proxy.url,
      sip_trunk_id: await createOutboundTrunk(stack, phone.port, own_number),
      numbers: [own_number],
      inbound: null,
    },
    {
      rooms: rtcNode({ log }),
      clock: realTimeClock(),
      log,
      freeCalls: () => 10,
      keepPlace: () => () => {},
      oneAtATime: (work) => work(),
      handleEvents: async () => {},
    },
  );
  await carrier.listener!.start();
  after(async () => {
    await phone.stop();
    proxy.close();
    await stack.close();
    // The library keeps its threads.
    setTimeout(() => process.exit(), 1000).unref();
  });

  let last_id = 0;
  const talk = async () => {
    const placed = await carrier.voice!.place({
      call_id: `019a0000-0000-7000-8000-${String(++last_id).padStart(12, '0')}`,
      from: own_number,
      to: '+14155550123',
      ring_timeout_seconds: 30,
      max_duration_seconds: 600,
    });
    assert.ok(placed.outcome === 'placed', JSON.stringify(placed));
    const [near, far] = await Promise.all([carrier.voice!.media(placed.provider_call_id), phone.nextLine()]);
    return { near: near!, far };
  };

  /** Counts the loud frames that arrive. */
  const listenTo = (session: MediaSession) => {
    const heard = { frames: 0 };
    session.onFrame((pcm) => {
      if (Math.max(...pcm) > 2000) heard.frames++;
    });
    return heard;
  };

  for (const may_resume of [true, false])
    test(may_resume
      ? 'a signal connection that was lost is resumed, and both sides hear each other'
      : 'a signal connection that cannot be resumed is made again, and both sides hear each other', {
      timeout: 120_000,
    }, async () => {
      const { near, far } = await talk();
      let end: unknown = null;
      near.closed.then((how) => {
        end = how;
      });
      const [near_hears, far_hears] = [listenTo(near), listenTo(far)];
      const bothSpeak = async () => {
        [near_hears.frames, far_hears.frames] = [0, 0];
        await waitFor(
          () => `both are heard: ${near_hears.frames} and ${far_hears.frames}, ended: ${JSON.stringify(end)}`,
          () => {
            near.write(tone);
            far.write(tone);
            return near_hears.frames > 20 && far_hears.frames > 20;
          },
          { interval_ms: 100, timeout_ms: 60_000 },
        );
      };
      await bothSpeak();
      const kind = may_resume ? 'resumes' : 'joins';
      const before = proxy.opened[kind];
      proxy.cut({ may_resume });
      await waitFor(
        () => `connected again, ended: ${JSON.stringify(end)}`,
        () => proxy.opened[kind] > before,
        { timeout_ms: 60_000 },
      );
      await bothSpeak();
      assert.equal(end, null);
      near.close();
      assert.deepEqual(await far.closed, { by: 'them' });
    });
});
