import { AccessMode } from '../../access/access-mode.ts'
import type { Guard } from '../../http/guards/guard.ts'
import { forbidden, locked, notFound } from '../../platform/errors.ts'
import { parseRepoSettings, type RepoGuard, type RepoInView } from '../repos/index.ts'
import { wikiMode } from './wiki-access.policy.ts'

/**
 * `change` is editing and deleting: archived repositories refuse it before anything else (reference auth-and-access
 * §1.12).
 */
export type WikiGuard = (intent: 'read' | 'add' | 'change') => Guard<RepoInView>

/**
 * The wiki of `{owner}/{repo}`: 404 when it is disabled, external or hidden; writing 403, and 423 when archived
 * (reference repositories §21).
 */
export function createWikiGuard(repoGuard: RepoGuard): WikiGuard {
  return (intent) => ({
    ...repoGuard('see', { needsUser: intent !== 'read', ...(intent === 'change' && { archived: 'refuse-first' }) }),
    describe: `${intent === 'read' ? 'read' : 'write'} repo.wiki`,
    decide({ repo, access }, { viewer }) {
      const mode = wikiMode(viewer, {
        units: repo.units,
        access,
        isGloballyEditable: parseRepoSettings(repo.settings).globallyEditableWiki,
      })
      if (mode < AccessMode.read) throw notFound('the wiki is not readable')
      if (intent === 'read') return
      if (mode < AccessMode.write) throw forbidden('user should have a permission to write to a repo')
      if (repo.isArchived) throw locked(`${repo.fullName} is archived`)
    },
  })
}
