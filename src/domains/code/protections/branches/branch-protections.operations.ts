import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { created, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { Guards } from '../../../../core/module.ts'
import type { BranchProtections } from './branch-protections.service.ts'
import { readRuleChange } from './read-rule-change.ts'
import { readRow, writeRow } from '../operation-rows.ts'
import {
  BranchProtection,
  CreateBranchProtectionOption,
  EditBranchProtectionOption,
  UpdateBranchProtectionPriories,
} from '../protection.model.ts'
import { presentBranchProtection } from '../protection.present.ts'

const PATH = '/repos/{owner}/{repo}/branch_protections'

interface BranchProtectionOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly branchProtections: BranchProtections
}

/**
 * Operations on branch protections (behaviour/repositories#branch-protections,
 * behaviour/pull-requests#branch-protection).
 */
export const branchProtectionOperations = (deps: BranchProtectionOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
]

function readOperations({ guards, branchProtections }: BranchProtectionOperationDeps): Operation[] {
  const read = readRow(guards)
  return [
    defineOperation({
      ...read,
      id: 'repoListBranchProtection',
      method: 'GET',
      path: PATH,
      summary: 'List the branch protections in the order in which they are tried',
      responses: { 200: Type.Array(BranchProtection) },
      handler: async ({ access: { repo } }) => ok((await branchProtections.list(repo)).map(presentBranchProtection)),
    }),
    defineOperation({
      ...read,
      id: 'repoGetBranchProtection',
      method: 'GET',
      path: `${PATH}/{name*}`,
      summary: 'Get a branch protection by its name',
      responses: { 200: BranchProtection },
      handler: async ({ access: { repo }, params }) =>
        ok(presentBranchProtection(await branchProtections.get(repo, params.name))),
    }),
  ]
}

function writeOperations({ guards, branchProtections }: BranchProtectionOperationDeps): Operation[] {
  const write = writeRow(guards)
  return [
    defineOperation({
      ...write,
      id: 'repoCreateBranchProtection',
      method: 'POST',
      path: PATH,
      summary: 'Protect branches by name or glob',
      body: CreateBranchProtectionOption,
      responses: { 201: BranchProtection },
      errors: [400, ...write.errors],
      async handler({ access: { repo }, viewer, body }) {
        const name = body.rule_name?.trim() || body.branch_name?.trim()
        if (!name) throw badRequest('both rule_name and branch_name are empty')
        return created(
          presentBranchProtection(await branchProtections.create(viewer as SignedIn, repo, name, readRuleChange(body))),
        )
      },
    }),
    defineOperation({
      ...write,
      id: 'repoUpdateBranchProtectionPriories',
      method: 'POST',
      path: `${PATH}/priority`,
      summary: 'Set the order in which branch protections are tried',
      body: UpdateBranchProtectionPriories,
      responses: { 204: null },
      async handler({ access: { repo }, viewer, body }) {
        await branchProtections.reorder(viewer as SignedIn, repo, body.ids)
        return noContent()
      },
    }),
    defineOperation({
      ...write,
      id: 'repoEditBranchProtection',
      method: 'PATCH',
      path: `${PATH}/{name*}`,
      summary: 'Change a branch protection; absent members do not change',
      body: EditBranchProtectionOption,
      responses: { 200: BranchProtection },
      handler: async ({ access: { repo }, viewer, params, body }) =>
        ok(
          presentBranchProtection(
            await branchProtections.edit(viewer as SignedIn, repo, params.name, readRuleChange(body)),
          ),
        ),
    }),
    defineOperation({
      ...write,
      id: 'repoDeleteBranchProtection',
      method: 'DELETE',
      path: `${PATH}/{name*}`,
      summary: 'Delete a branch protection',
      responses: { 204: null },
      async handler({ access: { repo }, viewer, params }) {
        await branchProtections.delete(viewer as SignedIn, repo, params.name)
        return noContent()
      },
    }),
  ]
}
