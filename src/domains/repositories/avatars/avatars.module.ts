import { defineModule } from '../../../core/module.ts'
import { createAvatarJobs } from './avatars.jobs.ts'
import { avatarOperations } from './avatars.operations.ts'
import { registerAvatars } from './avatars.routes.ts'
import { createAvatars } from './avatars.service.ts'
import { avatarSubscriptions } from './avatars.subscriber.ts'
import type { AvatarRules } from './read-image.ts'

/** Images of users, organizations and repositories. */
export const module = defineModule({
  name: 'avatars',
  needs: [],
  async create({ database, clock, jobs, blobs: stores, taskPool }, _services, guards) {
    const blobs = await stores.open('avatars')
    const avatars = createAvatars({ database, clock, jobs, blobs, taskPool, rules: RULES })
    return {
      operations: avatarOperations({ avatars, guards }),
      routes: (http) => registerAvatars(http, avatars),
      subscriptions: avatarSubscriptions(jobs),
      jobs: createAvatarJobs(avatars),
      tasks: [
        {
          name: 'delete_lost_avatars',
          schedule: '53 3 * * *',
          start: (tx) => jobs.enqueue(tx, 'avatars.sweep', {}, { key: 'all' }),
        },
      ],
    }
  },
})

const RULES: AvatarRules = {
  maxWidth: 4096,
  maxHeight: 4096,
  maxBytes: 1024 * 1024,
  maxKeptBytes: 256 * 1024,
  side: 512,
}
