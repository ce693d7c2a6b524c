import { AccessMode } from '../../../core/access/access-mode.ts'
import { isRepoAdmin, unitMode } from '../../../core/access/repo-access.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import type { RepoInView } from './lookup.ts'
import type { RepoGuard } from './repo.guards.ts'

export type TrackerGuard = (intent: 'read' | 'write') => Guard<RepoInView>

/**
 * What issues and pull requests share, such as labels: those who see `{owner}/{repo}` read it, also where both units
 * are off; writers of either unit and administrators change it, also in archived repositories (behaviour/issues#labels,
 * behaviour/auth-and-access#refusals).
 */
export function createTrackerGuard(repoGuard: RepoGuard): TrackerGuard {
  return (intent) => {
    const see = repoGuard('see', { unit: 'repo.issues', needsUser: intent === 'write' })
    if (intent === 'read') return { ...see, describe: 'callers that may see the repository' }
    return {
      ...see,
      describe: 'write repo.issues or repo.pulls',
      decide({ access }) {
        const mode = Math.max(unitMode(access, 'repo.issues'), unitMode(access, 'repo.pulls'))
        if (mode < AccessMode.write && !isRepoAdmin(access))
          throw forbidden('user should have a permission to write to a repo')
      },
    }
  }
}
