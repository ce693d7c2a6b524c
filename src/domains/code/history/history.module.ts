import { defineModule } from '../../../core/module.ts'
import { type CommitViews, createCommitViews, createComparisons } from './history.service.ts'
import { blameOperations } from './blame.operations.ts'
import { createBlaming } from './blame.service.ts'
import { commitOperations } from './commits.operations.ts'
import { type Commits, createCommits } from './commits.service.ts'
import { compareOperations, repoMarkupOperations } from './history.operations.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly commits: Commits
    readonly commitViews: CommitViews
  }
}

/** Reads single commits, lists of commits, and comparisons of two refs. */
export const module = defineModule({
  name: 'history',
  needs: ['markup', 'verifier'],
  create({ config, database, git, site }, { markup, verifier }, guards) {
    const commitViews = createCommitViews({ database, verifier, noReplyDomain: config.service.no_reply_address })
    const commits = createCommits({ git, views: commitViews })
    const comparisons = createComparisons({ database, git, views: commitViews })
    return {
      services: { commits, commitViews },
      operations: [
        ...blameOperations({ guards, blaming: createBlaming({ git, views: commitViews }), site }),
        ...commitOperations({ guards, commits, site }),
        ...compareOperations({ guards, comparisons, site }),
        ...repoMarkupOperations({ guards, commits, markup }),
      ],
    }
  },
})
