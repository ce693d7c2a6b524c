import { defineModule } from '../../../core/module.ts'
import { accountRemovalOperations, badgeOperations, cronOperations, unadoptedOperations } from './admin.operations.ts'
import { type AccountRemoval, createAccountRemoval, type Badges, createBadges } from './admin.service.ts'
import { adminEvents } from './admin.events.ts'
import { createAdoption } from './adoption.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly accountRemoval: AccountRemoval
    readonly badges: Badges
  }
}

/** Functions for site administrators. */
export const module = defineModule({
  name: 'admin',
  needs: ['ownsPackages', 'repoRules'],
  create({ database, git, clock, events, jobs, schedule }, { ownsPackages, repoRules }, guards) {
    const accountRemoval = createAccountRemoval({ database, events, jobs, clock, ownsPackages })
    const adoption = createAdoption({ database, git, events, jobs, clock, rules: repoRules })
    const badges = createBadges({ database, clock, events })
    return {
      services: { accountRemoval, badges },
      events: adminEvents,
      operations: [
        ...accountRemovalOperations({ accountRemoval, guards }),
        ...badgeOperations({ badges, guards }),
        ...cronOperations({ clock, events, schedule }),
        ...unadoptedOperations({ adoption }),
      ],
    }
  },
})
