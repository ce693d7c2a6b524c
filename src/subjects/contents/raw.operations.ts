import { Type } from '@sinclair/typebox'
import type { AreaDeps } from '../../app/deps.ts'
import { BinaryFile } from '../../http/binary.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { rawAnswer } from './raw-answer.ts'

const refQuery = Type.Object({
  ref: Type.Optional(Type.String({ description: 'Branch, tag or id (default: the default branch)' })),
})

/** Files as they are (reference git-data §10). */
export function rawOperations({ guards, code, media }: Pick<AreaDeps, 'guards' | 'code' | 'media'>): Operation[] {
  const guard = guards.repo('read', { unit: 'repo.code' })
  const common = {
    area: 'repository',
    scopes: ['repository'],
    guard,
    query: refQuery,
    responses: { 200: BinaryFile, 206: BinaryFile, 304: null },
  } as const
  const forms = [
    { id: 'repoGetRawFile', word: 'raw', summary: 'Get a file' },
    { id: 'repoGetRawFileOrLFS', word: 'media', summary: 'Get a file, from LFS when it is there' },
  ] as const
  return forms.map(({ id, word, summary }) =>
    defineOperation({
      ...common,
      id,
      method: 'GET',
      path: `/repos/{owner}/{repo}/${word}/{filepath*}`,
      summary,
      errors: [404, 416],
      async handler({ access: { repo }, params, query, reply }) {
        const found = await code.raw.get(repo, params['filepath']!, query.ref)
        const file = word === 'media' ? await media.resolve(repo, found) : found
        return rawAnswer(file, reply, !repo.isPrivate && repo.owner.visibility === 'public')
      },
    }),
  )
}
