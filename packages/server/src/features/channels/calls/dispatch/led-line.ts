// The line of a call that this process leads: closing it hangs up, unless another process leads the call now.
import type { MediaSession } from '../../../../providers/media/media-session.ts';

/** A line without `leave` exists only in this process, so no other process can use it or hang it up. */
export const ledLine = (media: MediaSession, signal: AbortSignal): MediaSession => ({
  ...media,
  close() {
    if (signal.reason === 'taken_over' && media.leave) media.leave();
    else media.close();
  },
});
