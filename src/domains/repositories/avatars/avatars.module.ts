import { defineModule } from '../../../core/module.ts'
import { createAvatarJobs } from './avatars.jobs.ts'
import { avatarOperations } from './avatars.operations.ts'
import { registerAvatars } from './avatars.routes.ts'
import { createAvatars } from './avatars.service.ts'
import type { AvatarRules } from './read-image.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

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
  maxUnchangedBytes: 256 * 1024,
  side: 512,
}

/** Deletes the images of deleted accounts and repositories. */
function avatarSubscriptions(jobs: Jobs): Subscriptions {
  const sweep = (tx: Tx): Promise<void> => jobs.enqueue(tx, 'avatars.sweep', {}, { key: 'all' })
  return { 'user.deleted': sweep, 'org.deleted': sweep, 'repo.deleted': sweep }
}
