import { empty } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import type { PullMirrors } from './pull-mirrors.service.ts'

interface PullMirrorOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly pullMirrors: PullMirrors
}

/** Pull mirrors (behaviour/repositories#imports-and-pull-mirrors). */
export function pullMirrorOperations({ guards, pullMirrors }: PullMirrorOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'repoMirrorSync',
      method: 'POST',
      path: '/repos/{owner}/{repo}/mirror-sync',
      area: 'repository',
      summary: 'Sync a mirror with its source, in the background',
      scopes: ['repository'],
      guard: guards.repo('write', { unit: 'repo.code', archived: 'refuse' }),
      responses: { 200: null },
      errors: [400, 403, 404, 413, 423],
      async handler({ access: { repo } }) {
        await pullMirrors.request(repo)
        return empty()
      },
    }),
  ]
}
