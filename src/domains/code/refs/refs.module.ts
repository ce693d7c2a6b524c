import { defineModule } from '../../../core/module.ts'
import { branchWriteOperations } from './branches/branch-writes.operations.ts'
import { createBranchWrites } from './branches/branch-writes.service.ts'
import { branchOperations } from './branches/branches.operations.ts'
import { type Branches, createBranches } from './branches/branches.service.ts'
import { refEvents } from './refs.events.ts'
import { gitDataOperations } from './git-data/git-data.operations.ts'
import { createGitData } from './git-data/git-data.service.ts'
import { tagOperations } from './tags/tags.operations.ts'
import { createTags, type Tags } from './tags/tags.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly branches: Branches
    readonly tags: Tags
  }
}

/** Branches and tags; refs and git objects by id. */
export const module = defineModule({
  name: 'refs',
  needs: ['commitViews', 'pushes', 'quota', 'signer', 'verifier'],
  create(
    { config, database, git, clock, events, site },
    { commitViews: views, pushes, quota, signer, verifier },
    guards,
  ) {
    const { api, service } = config
    const tagger = {
      name: config.git.identity_name,
      email: config.git.identity_email || `ingot@${service.no_reply_address}`,
    }
    const branches = createBranches({ database, git, views })
    const branchWrites = createBranchWrites({ database, git, clock, events, pushes, quota })
    const tags = createTags({ database, git, clock, pushes, tagger, signer })
    const gitData = createGitData({
      database,
      git,
      clock,
      views,
      verifier,
      pushes,
      noReplyDomain: service.no_reply_address,
      maxBlobSize: api.default_max_blob_size,
    })
    return {
      services: { branches, tags },
      events: refEvents,
      operations: [
        ...branchOperations({ guards, branches, site }),
        ...branchWriteOperations({ guards, branches, branchWrites, site }),
        ...gitDataOperations({ guards, data: gitData, site, maxTreeEntries: api.default_git_trees_per_page }),
        ...tagOperations({ guards, tags, site }),
      ],
    }
  },
})
