import { defineModule } from '../../../core/module.ts'
import { createPackageGuard } from './package.guards.ts'
import { packagesEvents } from './packages.events.ts'
import { packageOperations } from './packages.operations.ts'
import { createPackages, type Packages } from './packages.service.ts'
import { listUsedPackages, sumPackages } from './used-package.store.ts'
import { packageProjections } from './repo-deleting.projection.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly packages: Packages
  }
}

/** Packages of users and organizations. */
export const module = defineModule({
  name: 'packages',
  needs: ['quotaParts', 'repos', 'users'],
  create({ database, clock, events, site }, { quotaParts, repos, users }) {
    const packageGuard = createPackageGuard({ database, users })
    const packages = createPackages({ database, clock, events, repos })
    quotaParts.usage.register(async (db, ownerId) => ({ packages: await sumPackages(db, ownerId) }))
    quotaParts.packages.register(listUsedPackages)
    return {
      services: { packages },
      operations: packageOperations({ packageGuard, packages, site }),
      events: packagesEvents,
      projections: packageProjections,
    }
  },
})
