// Quiet hours: the times of day at which people may be called and texted, by the clocks where they are.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';
import { quietHoursJudge } from './hours.ts';
import { quietHoursRoutes } from './routes.ts';
import { quietHoursService } from './service.ts';
import { quietHoursStore } from './store.ts';

export type { Contacting, HoursVerdict, QuietHoursJudge } from './hours.ts';

export const quietHoursFeature = (deps: { db: Database; clock: Clock; rules: SendingRulesFeature }) => ({
  judge: quietHoursJudge({ ...deps, store: quietHoursStore(deps.db) }),
  routes: [quietHoursRoutes(quietHoursService(deps))],
});
