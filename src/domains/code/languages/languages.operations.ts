import { Type } from '@sinclair/typebox'
import { ok } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import type { Languages } from './languages.service.ts'

const LanguageStatistics = Type.Record(Type.String(), Type.Integer(), {
  $id: 'LanguageStatistics',
  description: 'Bytes by language, largest first',
})

interface LanguageOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly languages: Languages
}

/** The languages of a repository (behaviour/repositories#topics-languages-licences). */
export function languageOperations({ guards, languages }: LanguageOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'repoGetLanguages',
      method: 'GET',
      path: '/repos/{owner}/{repo}/languages',
      area: 'repository',
      summary: "Bytes of each language on a repository's default branch",
      scopes: ['repository'],
      guard: guards.repo('read', { unit: 'repo.code' }),
      responses: { 200: LanguageStatistics },
      errors: [403, 404],
      handler: async ({ access: { repo } }) => ok(await languages.of(repo)),
    }),
  ]
}
