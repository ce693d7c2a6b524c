import { blobsCheck } from '../../../core/blobs/index.ts'
import { defineModule } from '../../../core/module.ts'
import { createPackageGuard } from './package.guards.ts'
import type { PackageAttestations } from './attestation.ts'
import { packagesEvents } from './packages.events.ts'
import { packageOperations } from './packages.operations.ts'
import { createPackages, type Packages } from './packages.service.ts'
import { createHook } from '../../../core/platform/hook.ts'
import { createPackageContents, type PackageBlobUses, type PackageContents } from './package-contents.service.ts'
import { createPackageJobs, packageTasks } from './packages.jobs.ts'
import { listUsedPackages, ownsPackage, sumPackages } from './used-package.store.ts'
import { packageProjections } from './repo-deleting.projection.ts'
import { listPackageBlobUses } from './package-contents.store.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly packages: Packages
    readonly packageContents: PackageContents
    readonly packageBlobUses: PackageBlobUses
    readonly packageAttestations: PackageAttestations
  }
}

/** Packages of users and organizations. */
export const module = defineModule({
  name: 'packages',
  needs: ['ownsPackages', 'quota', 'quotaParts', 'repos'],
  async create(
    { config, database, clock, events, jobs, site, blobs: stores },
    { ownsPackages, quota, quotaParts, repos },
  ) {
    const blobs = await stores.open('packages')
    const packageBlobUses: PackageBlobUses = createHook()
    const packageAttestations: PackageAttestations = createHook()
    const contentDeps = {
      database,
      clock,
      events,
      blobs,
      blobUses: packageBlobUses,
      quota,
      maxFileSize: config.packages.max_file_size || Infinity,
    }
    const packageContents = createPackageContents(contentDeps)
    const packageGuard = createPackageGuard({ database })
    const packages = createPackages({ database, clock, events, repos })
    ownsPackages.register(async (tx, ownerId) => (await ownsPackage(tx, ownerId)) || undefined)
    quotaParts.usage.register(async (db, ownerId) => ({ packages: await sumPackages(db, ownerId) }))
    quotaParts.packages.register(listUsedPackages)
    return {
      services: { packages, packageContents, packageBlobUses, packageAttestations },
      jobs: createPackageJobs(packageContents),
      tasks: packageTasks(jobs),
      checks: [blobsCheck(database.read, blobs, { 'package file': listPackageBlobUses })],
      operations: packageOperations({ packageGuard, packages, site }),
      events: packagesEvents,
      projections: packageProjections,
    }
  },
})
