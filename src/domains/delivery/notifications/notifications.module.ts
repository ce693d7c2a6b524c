import type { Projections } from '../../../core/events/index.ts'
import { defineModule } from '../../../core/module.ts'
import { createMailJobs, createNotificationJobs } from './notifications.jobs.ts'
import { createMail } from './mail/mail.ts'
import { createUnsubscribeLinks } from './mail/unsubscribe-links.ts'
import { registerUnsubscribe } from './mail/unsubscribe.routes.ts'
import { notificationEvents } from './notifications.events.ts'
import { createThreadPublisher } from './stream/thread-publisher.ts'
import { threadStreamOperation } from './stream/thread-stream.operations.ts'
import { issueWatchProjections } from './notifications.projection.ts'
import { subscriptionOperations } from './subscriptions/subscriptions.operations.ts'
import { createSubscriptions } from './subscriptions/subscriptions.service.ts'
import { createIsMarkedReady } from './threads/is-marked-ready.ts'
import { createNotifier } from './threads/notifier.ts'
import { threadOperations } from './threads/threads.operations.ts'
import { threadProjections } from './threads/threads.projection.ts'
import { createThreads, type Threads } from './threads/threads.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly threads: Threads
  }
}

/** Subscriptions to issues, notifications, and mail about them. */
export const module = defineModule({
  name: 'notifications',
  needs: ['issueNotices', 'issues', 'markup', 'repos', 'social', 'streams', 'users'],
  create(core, { issueNotices: notices, markup, repos, streams, users }, guards) {
    const { config, database, clock, events, jobs, secrets, site } = core
    const subscriptions = createSubscriptions({ database, clock, users })
    const threads = createThreads({ database, clock, events, repos })
    const notifier = createNotifier({ database, clock, events, jobs })
    const publisher = createThreadPublisher({ database, clock, repos, site })
    streams.addPublisher(publisher)
    const links = createUnsubscribeLinks({ secrets, site })
    notices.register((tx, notice) => notifier.users(tx, notice))
    const isMarkedReady = createIsMarkedReady(config.pull_request.work_in_progress_prefixes)
    const { mail, runMail, projections } = createMail(core, { markup, links, notices, isMarkedReady })
    return {
      services: { threads },
      operations: [
        ...subscriptionOperations({ guards, site, subscriptions }),
        ...threadOperations({ guards, site, threads }),
        threadStreamOperation({ streams, publisher }),
      ],
      events: notificationEvents,
      routes: (http) => registerUnsubscribe(http, { links, subscriptions }),
      projections: both({ ...threadProjections(notifier, isMarkedReady), ...issueWatchProjections }, projections),
      jobs: { ...createNotificationJobs(notifier), ...createMailJobs(mail, runMail) },
    }
  },
})

/** Combines the handlers of both for each kind of event. */
function both(first: Projections, second: Projections): Projections {
  const kinds = new Set([...Object.keys(first), ...Object.keys(second)]) as Set<keyof Projections>
  return Object.fromEntries([...kinds].map((kind) => [kind, [first[kind] ?? [], second[kind] ?? []].flat()]))
}
