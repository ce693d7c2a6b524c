import type { Config } from '../../../core/config/index.ts'
import { defineModule } from '../../../core/module.ts'
import { createAvatarJobs } from './avatars.jobs.ts'
import { avatarOperations } from './avatars.operations.ts'
import { registerAvatars } from './avatars.routes.ts'
import { type Avatars, createAvatars } from './avatars.service.ts'
import { avatarSubscriptions } from './avatars.subscriber.ts'
import type { AvatarRules } from './read-image.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly avatars: Avatars
  }
}

/** Images of users, organizations and repositories. */
export const module = defineModule({
  name: 'avatars',
  needs: [],
  async create({ config, database, clock, jobs, blobs: stores, taskPool }, _services, guards) {
    const blobs = await stores.open('avatars')
    const avatars = createAvatars({ database, clock, jobs, blobs, taskPool, rules: avatarRules(config) })
    return {
      services: { avatars },
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

const avatarRules = ({ picture }: Config): AvatarRules => ({
  maxWidth: picture.avatar_max_width,
  maxHeight: picture.avatar_max_height,
  maxBytes: picture.avatar_max_file_size,
  maxKeptBytes: picture.avatar_max_origin_size,
  side: picture.avatar_rendered_size,
})
