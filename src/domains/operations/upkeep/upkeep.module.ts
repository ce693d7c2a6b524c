import { defineModule } from '../../../core/module.ts'
import { maintenanceSubscriptions } from './maintenance.subscriber.ts'
import { createUpkeepChecks } from './upkeep.checks.ts'
import { createUpkeepJobs, upkeepTasks } from './upkeep.jobs.ts'

/** Maintenance of repositories and rows, and the checks of `ingot doctor`. */
export const module = defineModule({
  name: 'upkeep',
  needs: ['gitTransport', 'pushes', 'wikis'],
  create({ database, git, clock, log, jobs, blobs, tuning }, { gitTransport, pushes, wikis }) {
    return {
      jobs: createUpkeepJobs({ database, git, clock, log, wikis, blobs, bundleMinBytes: gitTransport.bundleMinBytes }),
      tasks: upkeepTasks(jobs),
      subscriptions: maintenanceSubscriptions(jobs),
      checks: createUpkeepChecks({ database, git, tuning, pushes, wikis }),
      recover: () => database.transaction((tx) => jobs.enqueue(tx, 'git.clean', {}, { key: 'all' })),
    }
  },
})
