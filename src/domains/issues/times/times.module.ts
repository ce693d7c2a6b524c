import { defineModule } from '../../../core/module.ts'
import { bookTime, loadTrackedTimes, createFindUser } from './tracked-times.ts'
import { createStopwatches } from './stopwatches.service.ts'
import { stopwatchOperations } from './stopwatches.operations.ts'
import { timeListOperations } from './time-lists.operations.ts'
import { createTrackerGuard } from './times.guards.ts'
import { timeOperations } from './times.operations.ts'
import { timeProjections } from './times.projection.ts'
import { createTimes } from './times.service.ts'

/** Stopwatches, and times spent on issues. */
export const module = defineModule({
  name: 'times',
  needs: ['issueTimeBookings', 'timeline'],
  create({ database, clock, site }, { issueTimeBookings: bookings, timeline }, guards) {
    bookings.register(bookTime)
    timeline.registerDetails(['stop_tracking', 'add_time_manual'], loadTrackedTimes(database.read, site))
    const tracker = createTrackerGuard(database, guards.issue)
    const deps = {
      guards,
      tracker,
      times: createTimes({ database, clock }),
      findUser: createFindUser(database.read),
      site,
    }
    return {
      operations: [
        ...timeOperations(deps),
        ...timeListOperations(deps),
        ...stopwatchOperations({ tracker, stopwatches: createStopwatches({ database, clock }) }),
      ],
      projections: timeProjections,
    }
  },
})
