import { defineModule } from '../../../core/module.ts'
import { FORMATS } from '../formats/formats.ts'
import { findDocumentUse } from './documents/package-document.store.ts'
import { createPackageDocuments } from './documents/package-documents.service.ts'
import { findIndexUse } from './indexes/package-index.store.ts'
import { createFindRepo } from './addressed-repo.ts'
import { createPackageIndexes } from './indexes/package-indexes.service.ts'
import { createPrepareJobs, prepareSubscriptions } from './prepare.jobs.ts'
import { registerFormats } from './registry.routes.ts'
import { createSigningKeys, sealedSigningKeys } from './signing/signing-keys.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    /** The types of all registries, as in `package.type`. */
    readonly packageTypes: readonly string[]
  }
}

/** The registries of packages, outside of the API. */
export const module = defineModule({
  name: 'registry',
  needs: ['authenticate', 'packageAttestations', 'packageBlobUses', 'packageContents', 'pullThrough', 'repos'],
  create(core, { authenticate, packageAttestations, packageBlobUses, packageContents: contents, pullThrough, repos }) {
    const { config, database, clock, jobs, secrets, site, taskPool } = core
    packageBlobUses.register(findIndexUse)
    packageBlobUses.register(findDocumentUse)
    const signingKeys = createSigningKeys({ database, clock, secrets })
    const findRepo = createFindRepo({ repos, site })
    const indexes = createPackageIndexes({ database, contents, signingKeys })
    const documents = createPackageDocuments({ database, contents })
    const { packages, service } = config
    const tools = { clock, secrets, taskPool, indexes, signingKeys, findRepo }
    const formats = FORMATS.map((create) => create(contents, tools))
    packageAttestations.register(
      async (version) => formats.find(({ type }) => type === version.type)?.attestations?.(version) ?? [],
    )
    return {
      jobs: createPrepareJobs({ database, contents, documents, indexes, formats, rootUrl: site.rootUrl }),
      subscriptions: prepareSubscriptions(jobs),
      services: { packageTypes: ['container', ...formats.map(({ type }) => type)] },
      sealedColumns: [sealedSigningKeys],
      routes(http) {
        if (!packages.enabled) return
        const requireSignIn = service.require_signin_view
        registerFormats(
          http,
          { authenticate, database, requireSignIn, contents, documents, pullThrough, rootUrl: site.rootUrl },
          formats,
        )
      },
    }
  },
})
