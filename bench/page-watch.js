// Runs inside the page of the console before its own script: notes when it answers to input and how long it stood still.
(() => {
  const figures = 'dl.figures';
  const loading = '[aria-label="Loading"]';
  const hiding = '[aria-label="Hide the first steps"]';
  const frame = () => new Promise(requestAnimationFrame);

  /** Everything of the overview is drawn, and a click has changed what is seen: milliseconds since the navigation began. */
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

  /** The longest time in which nothing could be drawn, from now until `stop()`. */
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
