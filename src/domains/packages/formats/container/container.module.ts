import { defineModule } from '../../../../core/module.ts'
import { createClientTokens } from '../../registry/client-tokens.ts'
import { createBlobUploads } from './blob-uploads.service.ts'
import { containerTasks, createContainerJobs } from './container.jobs.ts'
import { registerContainer } from './container.routes.ts'
import { listImageAttestations } from './image-attestations.ts'
import { createImageReads } from './image-reads.service.ts'
import { createImages } from './images.service.ts'
import { containerProjections } from './package-deleted.projection.ts'
import { sumUnnamedBlobs } from './unnamed-blobs.store.ts'
import { findContainerUse } from './uploads.store.ts'

/** The registry of container images and other OCI artifacts. */
export const module = defineModule({
  name: 'container',
  needs: ['authenticate', 'packageAttestations', 'packageBlobUses', 'packageContents', 'pullThrough', 'quotaParts'],
  create(
    core,
    { authenticate, packageAttestations, packageBlobUses, packageContents: contents, pullThrough, quotaParts },
  ) {
    const { config, database, clock, events, jobs, secrets, site } = core
    packageBlobUses.register(findContainerUse)
    quotaParts.usage.register(async (db, ownerId) => ({ packages: await sumUnnamedBlobs(db, ownerId) }))
    const { packages, service } = config
    packageAttestations.register((version) => listImageAttestations(database.read, version))
    return {
      jobs: createContainerJobs({ database, clock }),
      tasks: containerTasks(jobs),
      projections: containerProjections,
      routes(http) {
        if (!packages.enabled) return
        registerContainer(http, {
          authenticate,
          database,
          contents,
          pullThrough,
          requireSignIn: service.require_signin_view,
          rootUrl: site.rootUrl,
          tokens: createClientTokens({ secrets, clock }, { context: 'container registry token', lifetime: 3600 }),
          images: createImages({ database, clock, events, contents }),
          reads: createImageReads({ database }),
          uploads: createBlobUploads({ database, clock, contents }),
        })
      },
    }
  },
})
