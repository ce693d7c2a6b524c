import { requireUser } from '../../guards/account.guards.ts'
import { noContent } from '../../answer.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'

/** What is done to a repository that is there (reference repositories §7, §8). */
export function repoChangeOperations({ guards, repoChanges }: Pick<AreaDeps, 'guards' | 'repoChanges'>): Operation[] {
  return [
    defineOperation({
      id: 'repoDelete',
      method: 'DELETE',
      path: '/repos/{owner}/{repo}',
      area: 'repository',
      summary: 'Delete a repository',
      scopes: ['repository'],
      guard: guards.repo('owner'),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ viewer, access: { repo } }) {
        await repoChanges.delete(requireUser(viewer), repo)
        return noContent()
      },
    }),
  ]
}
