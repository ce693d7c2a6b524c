import { defineModule } from '../../../core/module.ts'
import { pullDiffOperations } from './pull-diffs.operations.ts'
import { registerPullTexts } from './pull-diffs.routes.ts'
import { createPullDiffs, type PullDiffs } from './pull-diffs.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly pullDiffs: PullDiffs
  }
}

/** The changes of pull requests: diffs, commits, files, and lines of them. */
export const module = defineModule({
  name: 'pull-diffs',
  needs: ['commitViews', 'webAccess'],
  create({ database, git, site }, { commitViews, webAccess }, guards) {
    const pullDiffs = createPullDiffs({ git, views: commitViews })
    return {
      services: { pullDiffs },
      operations: pullDiffOperations({ guards, diffs: pullDiffs, site }),
      routes: (app) => registerPullTexts(app, { database, diffs: pullDiffs, webAccess }),
    }
  },
})
