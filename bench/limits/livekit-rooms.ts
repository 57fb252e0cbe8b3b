// Calls through livekit-server and livekit-sip, in a network namespace. Prints one line of JSON.
// Parameters: `calls <count> <routed|plain> <milliseconds>`, or `joins <cycles>`.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { joinGrants, roomGrants, tokenOf } from '../../packages/server/src/providers/carrier/livekit/api.ts';
import { liveKitCarrier } from '../../packages/server/src/providers/carrier/livekit/index.ts';
import { rtcNode } from '../../packages/server/src/providers/carrier/livekit/rtc-node.ts';
import {
  createOutboundTrunk,
  startLiveKitStack,
} from '../../packages/server/src/providers/carrier/livekit/testing/stack.ts';
import { realTimeClock } from '../../packages/server/src/providers/media/media-clock.ts';
import { frame_ms, samplesOf } from '../../packages/server/src/providers/media/media-session.ts';

const own_number = '+14155550100';
/** A frame that comes later than this after the one before is heard as a gap. */
const late_ms = 60;
/** What the library and V8 allocate once. */
const warm_up_joins = 100;
const log = { info() {}, warn: console.error } as never;
const [kind, first, second, third] = process.argv.slice(2);
const stack = await startLiveKitStack();
const rooms = rtcNode({ log, is_routed: second !== 'plain' });

async function carryCalls(count: number, window_ms: number) {
  const phone = fork(fileURLToPath(new URL('./livekit-phone.ts', import.meta.url)), [String(stack.sip_port)]);
  const [{ port }] = (await once(phone, 'message')) as [{ port: number }];
  const sip_trunk_id = await createOutboundTrunk(stack, port, own_number);
  const carrier = liveKitCarrier(
    { ...stack.access, sip_trunk_id, inbound: null, numbers: [own_number] },
    {
      rooms,
      clock: realTimeClock(),
      log,
      freeCalls: () => count,
      keepPlace: () => () => {},
      oneAtATime: (work) => work(),
      handleEvents: async () => {},
    },
  );
  await carrier.listener!.start();
  let [frames, late] = [0, 0];
  for (let call = 0; call < count; call++) {
    const placed = await carrier.voice!.place({
      call_id: randomUUID(),
      from: own_number,
      to: '+14155550123',
      ring_timeout_seconds: 30,
      max_duration_seconds: 600,
    });
    if (placed.outcome !== 'placed') throw new Error(placed.detail);
    const media = await carrier.voice!.media(placed.provider_call_id);
    if (!media) throw new Error(`call ${call + 1} was not answered`);
    let last_ms = performance.now();
    media.onFrame(() => {
      const now_ms = performance.now();
      frames++;
      if (now_ms - last_ms > late_ms) late++;
      last_ms = now_ms;
    });
    media.write(new Int16Array(samplesOf(240_000)).fill(1000));
  }
  await sleep(1000);
  [frames, late] = [0, 0];
  const [cpu, start_ms] = [process.cpuUsage(), performance.now()];
  await sleep(window_ms);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start_ms) / 1000;
  phone.kill();
  return {
    cpu_us_per_call_second: (user + system) / seconds / count,
    in_time: 1 - late / frames,
    received: frames / ((count * seconds * 1000) / frame_ms),
  };
}

/**
 * Memory that is in use. V8 enlarges its heap in two or three steps of up to 60 MB and keeps the free part for later, also when no
 * room leaves anything behind, so the free part does not count.
 */
function usedBytes(): number {
  globalThis.gc!();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return rss - (heapTotal - heapUsed);
}

async function joinAndLeave(cycles: number) {
  const cycle = async () => {
    const room = `bench-${randomUUID()}`;
    await stack.request('RoomService/CreateRoom', roomGrants(room), { name: room });
    const listener = {
      phone() {},
      phoneLeft() {},
      phoneLost() {},
      frame() {},
      digit() {},
      subscribed() {},
      connection() {},
    };
    const token = tokenOf(stack.access, joinGrants(room, 'agent'));
    const joined = await rooms.join({ url: stack.access.url, token }, listener);
    await joined.publish();
    await joined.leave();
    await stack.request('RoomService/DeleteRoom', roomGrants(room), { room });
  };
  await rooms.load();
  for (let done = 0; done < warm_up_joins; done++) await cycle();
  const before = usedBytes();
  for (let done = 0; done < cycles; done++) await cycle();
  return { grown_bytes: usedBytes() - before };
}

const result =
  kind === 'joins' ? await joinAndLeave(Number(first)) : await carryCalls(Number(first), Number(third));
console.log(JSON.stringify(result));
await stack.close();
process.exit(0);
