import { Type } from '@sinclair/typebox'
import { noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { Issue } from '../issue.model.ts'
import { presentIssues } from '../issue.present.ts'
import type { Pins } from './pins.service.ts'

const REPO = '/repos/{owner}/{repo}'
const PIN = `${REPO}/issues/{index:int}/pin`

interface PinOperationDeps {
  readonly guards: Pick<Guards, 'issue' | 'repo'>
  readonly pins: Pins
  readonly site: Site
}

const NewIssuePinsAllowed = Type.Object(
  { issues: Type.Boolean(), pull_requests: Type.Boolean() },
  { $id: 'NewIssuePinsAllowed' },
)

/** Pinned issues (behaviour/issues#pins). */
export const pinOperations = (deps: PinOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
]

function readOperations({ guards, pins, site }: PinOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'repoListPinnedIssues',
      area: 'repository',
      scopes: ['issue'],
      method: 'GET',
      path: `${REPO}/issues/pinned`,
      summary: 'Pinned issues, by position',
      guard: guards.repo('read', { unit: 'repo.issues' }),
      responses: { 200: Type.Array(Issue) },
      errors: [404],
      async handler({ access, viewer }) {
        const views = await pins.list(viewer, access.repo)
        return ok(presentIssues(views, viewer, site))
      },
    }),
    defineOperation({
      id: 'repoNewPinAllowed',
      area: 'repository',
      scopes: ['repository'],
      method: 'GET',
      path: `${REPO}/new_pin_allowed`,
      summary: 'Whether another issue or pull request can be pinned',
      guard: guards.repo('see'),
      responses: { 200: NewIssuePinsAllowed },
      errors: [404],
      async handler({ access }) {
        const { issues, pulls } = await pins.mayPin(access.repo)
        return ok({ issues, pull_requests: pulls })
      },
    }),
  ]
}

function writeOperations({ guards, pins }: PinOperationDeps): Operation[] {
  const change = {
    area: 'issue',
    scopes: ['issue'],
    path: PIN,
    guard: guards.issue('admin'),
    responses: { 204: null },
  } as const
  return [
    defineOperation({
      ...change,
      id: 'pinIssue',
      method: 'POST',
      summary: 'Pin an issue after the others',
      errors: [400, 403, 404],
      async handler({ access, viewer }) {
        await pins.pin(requireUser(viewer), access)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'unpinIssue',
      method: 'DELETE',
      summary: 'Unpin an issue',
      errors: [403, 404],
      async handler({ access, viewer }) {
        await pins.unpin(requireUser(viewer), access)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'moveIssuePin',
      method: 'PATCH',
      path: `${PIN}/{position:int}`,
      summary: 'Move a pinned issue to a position, from 1',
      errors: [400, 403, 404],
      async handler({ access, viewer, params }) {
        await pins.move(requireUser(viewer), access, params.position)
        return noContent()
      },
    }),
  ]
}
