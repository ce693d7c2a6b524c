import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { created, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { Guards } from '../../../../core/module.ts'
import { readRow, writeRow } from '../operation-rows.ts'
import { CreateTagProtectionOption, EditTagProtectionOption, TagProtection } from '../protection.model.ts'
import { presentTagProtection } from '../protection.present.ts'
import type { TagProtections } from './tag-protections.service.ts'

const PATH = '/repos/{owner}/{repo}/tag_protections'

interface TagProtectionOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly tagProtections: TagProtections
}

/** Rules for tags (behaviour/repositories#tag-protections). */
export const tagProtectionOperations = (deps: TagProtectionOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
]

function readOperations({ guards, tagProtections }: TagProtectionOperationDeps): Operation[] {
  const read = readRow(guards)
  return [
    defineOperation({
      ...read,
      id: 'repoListTagProtection',
      method: 'GET',
      path: PATH,
      summary: 'List the tag protections',
      responses: { 200: Type.Array(TagProtection) },
      handler: async ({ access: { repo } }) => ok((await tagProtections.list(repo)).map(presentTagProtection)),
    }),
    defineOperation({
      ...read,
      id: 'repoGetTagProtection',
      method: 'GET',
      path: `${PATH}/{id:int}`,
      summary: 'Get a tag protection',
      responses: { 200: TagProtection },
      handler: async ({ access: { repo }, params }) =>
        ok(presentTagProtection(await tagProtections.get(repo, params.id))),
    }),
  ]
}

function writeOperations({ guards, tagProtections }: TagProtectionOperationDeps): Operation[] {
  const write = writeRow(guards)
  return [
    defineOperation({
      ...write,
      errors: [400, ...write.errors],
      id: 'repoCreateTagProtection',
      method: 'POST',
      path: PATH,
      summary: 'Protect tags by glob or regular expression',
      body: CreateTagProtectionOption,
      responses: { 201: TagProtection },
      async handler({ access: { repo }, viewer, body }) {
        const { name_pattern: pattern = '', whitelist_usernames: users = [], whitelist_teams: teams = [] } = body
        if (pattern.trim() === '') throw badRequest('name_pattern are empty')
        if (users.length === 0 && teams.length === 0)
          throw badRequest('both whitelist_usernames and whitelist_teams are empty')
        return created(
          presentTagProtection(
            await tagProtections.create(viewer as SignedIn, repo, {
              pattern: pattern.trim(),
              users,
              teams,
            }),
          ),
        )
      },
    }),
    defineOperation({
      ...write,
      errors: [400, ...write.errors],
      id: 'repoEditTagProtection',
      method: 'PATCH',
      path: `${PATH}/{id:int}`,
      summary: 'Change a tag protection; absent members do not change',
      body: EditTagProtectionOption,
      responses: { 200: TagProtection },
      async handler({ access: { repo }, viewer, params, body }) {
        const change = {
          pattern: body.name_pattern?.trim() || undefined,
          users: body.whitelist_usernames,
          teams: body.whitelist_teams,
        }
        return ok(presentTagProtection(await tagProtections.edit(viewer as SignedIn, repo, params.id, change)))
      },
    }),
    defineOperation({
      ...readRow(guards),
      id: 'repoDeleteTagProtection',
      method: 'DELETE',
      path: `${PATH}/{id:int}`,
      summary: 'Delete a tag protection',
      responses: { 204: null },
      async handler({ access: { repo }, viewer, params }) {
        await tagProtections.delete(viewer as SignedIn, repo, params.id)
        return noContent()
      },
    }),
  ]
}
