import { AccessMode } from '../../../core/access/repo-access.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { errors } from '../../errors.ts'
import { type RepoGuard, type RepoInView, parseRepoSettings } from '../../repositories/index.ts'
import { wikiMode } from './wiki-access.policy.ts'

/**
 * `change` is for editing and deleting, which archived repositories reject before every other check
 * (behaviour/auth-and-access#request-pipeline, step 12).
 */
export type WikiGuard = (intent: 'read' | 'add' | 'change') => Guard<RepoInView>

/**
 * Guards the wiki of `{owner}/{repo}`: 404 if it is disabled, external or hidden; for writing also 403, and 423 if the
 * repository is archived (behaviour/repositories#wiki).
 */
export function createWikiGuard(repoGuard: RepoGuard): WikiGuard {
  return (intent) => ({
    ...repoGuard('see', {
      needsUser: intent !== 'read',
      ...(intent === 'change' && { archived: 'refuse-before-sign-in' }),
    }),
    describe: `${intent === 'read' ? 'read' : 'write'} repo.wiki`,
    decide({ repo, access }, { viewer }) {
      const mode = wikiMode(viewer, {
        units: repo.units,
        access,
        isGloballyEditable: parseRepoSettings(repo.settings).globallyEditableWiki,
      })
      if (mode < AccessMode.read) throw errors.wikiNotReadable()
      if (intent === 'read') return
      if (mode < AccessMode.write) throw errors.repoWriteRequired()
      if (repo.isArchived) throw errors.repoArchived(repo.fullName)
    },
  })
}
