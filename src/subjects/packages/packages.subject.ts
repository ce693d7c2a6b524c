import { defineSubject } from '../subject.ts'
import { createPackageGuard } from './package.guards.ts'
import { packageOperations } from './packages.operations.ts'
import { createPackages } from './packages.service.ts'
import { packageProjections } from './repo-deleting.projection.ts'

/** Packages of users and organizations. */
export const subject = defineSubject({
  name: 'packages',
  needs: ['repos', 'users'],
  create({ database, site }, { repos, users }) {
    const packageGuard = createPackageGuard({ database, users })
    const packages = createPackages({ database, repos })
    return { operations: packageOperations({ packageGuard, packages, site }), projections: packageProjections }
  },
})
