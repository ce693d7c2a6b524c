import { translated } from '../../../core/git/index.ts'
import { defineModule } from '../../../core/module.ts'
import { pullDiffOperations } from './pull-diffs.operations.ts'
import { registerPullTexts } from './pull-diffs.routes.ts'
import { createPullDiffs, type PullDiffs } from './pull-diffs.service.ts'
import { createReviewDiffs, type ReviewDiffs } from './review-diffs.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly pullDiffs: PullDiffs
    /** Lines of diffs, for the comments of reviews. */
    readonly reviewDiffs: ReviewDiffs
  }
}

/** What pull requests change: diffs, commits, files, and lines of them. */
export const module = defineModule({
  name: 'pull-diffs',
  needs: ['commitViews', 'webAccess'],
  create({ database, git, site }, { commitViews, webAccess }, guards) {
    const pullDiffs = translated(createPullDiffs({ git, views: commitViews }))
    return {
      services: { pullDiffs, reviewDiffs: translated(createReviewDiffs(git)) },
      operations: pullDiffOperations({ guards, diffs: pullDiffs, site }),
      routes: (app) => registerPullTexts(app, { database, diffs: pullDiffs, webAccess }),
    }
  },
})
