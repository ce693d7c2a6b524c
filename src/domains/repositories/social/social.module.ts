import { createHook } from '../../../core/platform/hook.ts'
import { defineModule } from '../../../core/module.ts'
import { activityOperations } from './activities/activities.operations.ts'
import { type Activities, type ActivityComments, createActivities } from './activities/activities.service.ts'
import {
  activityProjections,
  repoStarProjections,
  repoWatchProjections,
  socialBlockProjections,
  socialOrgProjections,
} from './social.projection.ts'
import { socialListOperations } from './lists.operations.ts'
import { socialEvents } from './social.events.ts'
import { createSocialJobs } from './social.jobs.ts'
import { createSocial, type Social } from './social.service.ts'
import { socialSubscriptions } from './social.subscriber.ts'
import { starOperations } from './stars.operations.ts'
import { watchingOperations } from './watches/watching.operations.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly activities: Activities
    readonly activityComments: ActivityComments
    readonly social: Social
  }
}

/** Stars, watches and activity feeds. */
export const module = defineModule({
  name: 'social',
  needs: ['repos', 'users'],
  create({ config, database, git, clock, events, jobs, site }, { repos, users }, guards) {
    const { service, repository } = config
    const activityComments: ActivityComments = createHook()
    const activities = createActivities({ database, clock, comments: activityComments })
    const social = createSocial({ database, clock, events, watchOnPush: service.auto_watch_on_changes })
    const starsDisabled = repository.disable_stars
    const common = { guards, repos, site, social, starsDisabled, users }
    return {
      services: { activities, activityComments, social },
      operations: [
        ...activityOperations({ guards, activities, repos, site, heatmapEnabled: service.enable_user_heatmap }),
        ...socialListOperations(common),
        ...starOperations(common),
        ...watchingOperations(common),
      ],
      events: socialEvents,
      projections: {
        ...activityProjections,
        ...socialBlockProjections,
        ...socialOrgProjections({ autoWatch: service.auto_watch_new_repos }),
        ...repoStarProjections,
        'repo.created': [activityProjections['repo.created'], repoWatchProjections['repo.created']],
      },
      subscriptions: socialSubscriptions({ jobs, social }),
      jobs: createSocialJobs({ database, git, clock }),
      tasks: [
        {
          name: 'delete_old_actions',
          schedule: '0 0 * * 0',
          isOff: true,
          start: (tx) => jobs.enqueue(tx, 'activities.prune', {}, { key: 'all' }),
        },
      ],
    }
  },
})
