// Streams audio in both directions: from the microphone to the call, and from the call to the loudspeaker.
import capture_url from './microphone-worklet.js?url';

export type Talk = { close(): void };

const rate = 8000;
/** A small buffer, so that a late packet causes no gap. */
const kept_seconds = 0.12;

export async function openMicrophone(url: string, onEnd: () => void): Promise<Talk> {
  const microphone = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, channelCount: 1 },
  });
  const sound = new AudioContext({ sampleRate: rate });
  await sound.audioWorklet.addModule(capture_url);
  const capture = new AudioWorkletNode(sound, 'microphone');
  sound.createMediaStreamSource(microphone).connect(capture);

  // The server URL can have another host name than this page.
  const address = new URL(url);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.host = location.host;
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  capture.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(data);
  };

  let next_at = 0;
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    const samples = new Int16Array(data);
    const buffer = sound.createBuffer(1, samples.length, rate);
    buffer.getChannelData(0).set(Float32Array.from(samples, (sample) => sample / 32_768));
    const source = sound.createBufferSource();
    source.buffer = buffer;
    source.connect(sound.destination);
    next_at = Math.max(next_at, sound.currentTime + kept_seconds);
    source.start(next_at);
    next_at += buffer.duration;
  };

  const close = () => {
    socket.onclose = null;
    socket.close();
    for (const track of microphone.getTracks()) track.stop();
    if (sound.state !== 'closed') void sound.close();
  };
  socket.onclose = () => {
    close();
    onEnd();
  };
  return { close };
}
