// Runs in the audio thread: converts the microphone input to packets of twenty milliseconds.
class Microphone extends AudioWorkletProcessor {
  packet = new Int16Array(160);
  filled = 0;

  process([input]) {
    for (const sample of input[0] ?? []) {
      this.packet[this.filled++] = Math.max(-1, Math.min(1, sample)) * 32767;
      if (this.filled === this.packet.length) {
        this.port.postMessage(this.packet.buffer.slice(0));
        this.filled = 0;
      }
    }
    return true;
  }
}
registerProcessor('microphone', Microphone);
