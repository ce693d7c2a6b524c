import { defineSubject } from '../subject.ts'
import { createNotificationJobs } from './notifications.jobs.ts'
import { subscriptionOperations } from './subscriptions/subscriptions.operations.ts'
import { createSubscriptions } from './subscriptions/subscriptions.service.ts'
import { createNotifier } from './threads/notifier.ts'
import { threadOperations } from './threads/threads.operations.ts'
import { threadProjections } from './threads/threads.projection.ts'
import { createThreads } from './threads/threads.service.ts'

/** Who follows an issue, and what users are notified of. */
export const subject = defineSubject({
  name: 'notifications',
  needs: ['issueNotices', 'issues', 'repos', 'social', 'users'],
  create({ database, clock, jobs, site }, { issueNotices, repos, users }, guards) {
    const subscriptions = createSubscriptions({ database, clock, users })
    const threads = createThreads({ database, clock, repos })
    const notifier = createNotifier({ database, clock, jobs })
    issueNotices.register((tx, notice) => notifier.users(tx, notice))
    return {
      operations: [
        ...subscriptionOperations({ guards, site, subscriptions }),
        ...threadOperations({ guards, site, threads }),
      ],
      projections: threadProjections(notifier),
      jobs: createNotificationJobs(notifier),
    }
  },
})
