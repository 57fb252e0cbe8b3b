// Runs in the console page before its own script: records when it reacts to input and how long it was blocked.
(() => {
  const figures = 'dl.figures';
  const loading = '[aria-label="Loading"]';
  const hiding = '[aria-label="Hide the first steps"]';
  const frame = () => new Promise(requestAnimationFrame);

  /** Milliseconds from the start of the navigation until the overview is drawn and a click has changed it. */
  async function interactiveMs() {
    while (
      !document.querySelector(figures) ||
      !document.querySelector('figure canvas') ||
      document.querySelector(loading)
    )
      await frame();
    document.querySelector(hiding).click();
    while (document.querySelector(hiding)) await frame();
    await frame();
    return performance.now();
  }

  /** The longest time without a frame, from now until `stop()`. */
  function watchStalls() {
    let longest_ms = 0;
    let last = performance.now();
    let running = true;
    const tasks = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest_ms = Math.max(longest_ms, duration);
    });
    tasks.observe({ type: 'longtask' });
    const tick = (now) => {
      longest_ms = Math.max(longest_ms, now - last);
      last = now;
      if (running) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    return {
      stop() {
        running = false;
        tasks.disconnect();
        return longest_ms;
      },
    };
  }

  globalThis.pageWatch = { interactiveMs, watchStalls };
})();
