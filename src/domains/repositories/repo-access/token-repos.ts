import { canSeeRepo } from '../../../core/access/repo-access.ts'
import { isDomainError, notFound } from '../../../core/platform/errors.ts'
import { getRepoInView, loadRepoAccesses } from '../repos/lookup.ts'
import { listReposByIds } from '../repos/repo.store.ts'
import type { TokenRepos } from '../../accounts/index.ts'

export const tokenRepos: TokenRepos = {
  async find(db, owner, fullName) {
    const [ownerName = '', name = '', ...more] = fullName.split('/')
    try {
      if (more.length > 0) throw notFound('no such repository')
      return (await getRepoInView(db, owner, ownerName, name)).repo
    } catch (error) {
      if (isDomainError(error, 'not-found') || isDomainError(error, 'moved')) return undefined
      throw error
    }
  },
  async listVisible(db, owner, ids) {
    const repos = await listReposByIds(db, ids)
    if (repos.length === 0) return []
    const accesses = await loadRepoAccesses(db, owner, repos)
    return repos.filter((repo) => canSeeRepo(accesses.get(repo.id)!))
  },
}
