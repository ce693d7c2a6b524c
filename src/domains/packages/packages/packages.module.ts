import { defineModule } from '../../../core/module.ts'
import { createPackageGuard } from './package.guards.ts'
import { packagesEvents } from './packages.events.ts'
import { packageOperations } from './packages.operations.ts'
import { createPackages, type Packages } from './packages.service.ts'
import { packageProjections } from './repo-deleting.projection.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly packages: Packages
  }
}

/** Packages of users and organizations. */
export const module = defineModule({
  name: 'packages',
  needs: ['repos', 'users'],
  create({ database, clock, events, site }, { repos, users }) {
    const packageGuard = createPackageGuard({ database, users })
    const packages = createPackages({ database, clock, events, repos })
    return {
      services: { packages },
      operations: packageOperations({ packageGuard, packages, site }),
      events: packagesEvents,
      projections: packageProjections,
    }
  },
})
