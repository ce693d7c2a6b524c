import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { asId, type LabelId } from '../../../core/platform/crypto/ids.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { CreateLabelOption, EditLabelOption, Label } from './label.model.ts'
import { presentLabel } from './label.present.ts'
import type { LabelOwner, LabelSort } from './label.store.ts'
import type { LabelChange, Labels } from './labels.service.ts'

interface LabelOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'tracker'>
  readonly labels: Labels
  readonly site: Site
}

/** The difference between labels of repositories and of organizations. `Access` is the result of the guards. */
interface OwnerKind<Access> {
  readonly path: string
  readonly area: 'issue' | 'organization'
  /** A part of the operation ids. */
  readonly prefix: 'issue' | 'org'
  readonly guards: Readonly<Record<'list' | 'get' | 'write', Guard<Access>>>
  owner(access: Access): LabelOwner
  /** API address of the owner. */
  ownerUrl(access: Access): string
}

/** Values of `sort`; any other value sorts by name. */
const SORTS: ReadonlyMap<string, LabelSort> = new Map([
  ['reversealphabetically', 'name-descending'],
  ['leastissues', 'least-issues'],
  ['mostissues', 'most-issues'],
])
const listQuery = Type.Object({
  ...pagingMembers,
  sort: Type.Optional(
    Type.String({
      maxLength: NAME_LENGTH,
      description: 'reversealphabetically, leastissues or mostissues; A-Z for anything else',
    }),
  ),
})

/**
 * Labels of repositories and organizations (behaviour/issues#labels,
 * behaviour/orgs-webhooks-actions#blocks-labels-avatar-feeds).
 */
export function labelOperations({ guards, labels, site }: LabelOperationDeps): Operation[] {
  const read = guards.tracker('read')
  const ofRepos = operationsFor(labels, {
    path: '/repos/{owner}/{repo}/labels',
    area: 'issue',
    prefix: 'issue',
    guards: { list: read, get: read, write: guards.tracker('write') },
    owner: ({ repo }) => ({ repoId: repo.id }),
    ownerUrl: ({ repo }) => repoUrls(repo, site).api,
  })
  const ofOrgs = operationsFor(labels, {
    path: '/orgs/{org}/labels',
    area: 'organization',
    prefix: 'org',
    guards: { list: guards.org('see'), get: guards.org('see', { needsUser: true }), write: guards.org('owner') },
    owner: ({ org }) => ({ orgId: org.id }),
    ownerUrl: ({ org }) => `${site.rootUrl()}/api/v1/orgs/${org.name}`,
  })
  return [...ofRepos, ...ofOrgs]
}

const operationsFor = <Access>(labels: Labels, kind: OwnerKind<Access>): Operation[] => [
  ...readOperations(labels, kind),
  ...writeOperations(labels, kind),
]

function readOperations<Access>(labels: Labels, kind: OwnerKind<Access>): Operation[] {
  const { path, area, prefix, guards, owner, ownerUrl } = kind
  const common = { method: 'GET', area, scopes: [area], errors: [404] } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}ListLabels`,
      path,
      summary: 'List labels',
      guard: guards.list,
      query: listQuery,
      responses: { 200: Type.Array(Label) },
      async handler({ access, query, paging }) {
        const page = await labels.list(owner(access), { sort: SORTS.get(query.sort ?? '') ?? 'name', paging })
        const models = page.items.map((label) => presentLabel(label, ownerUrl(access)))
        return listed(page, models, { link: false })
      },
    }),
    defineOperation({
      ...common,
      id: `${prefix}GetLabel`,
      path: `${path}/{id}`,
      summary: 'A label, by its id or name',
      guard: guards.get,
      responses: { 200: Label },
      async handler({ access, params }) {
        const label = await labels.get(owner(access), params.id)
        return ok(presentLabel(label, ownerUrl(access)))
      },
    }),
  ]
}

function writeOperations<Access>(labels: Labels, kind: OwnerKind<Access>): Operation[] {
  const { path, area, prefix, guards, owner, ownerUrl } = kind
  const common = { area, scopes: [area], guard: guards.write } as const
  const byId = { ...common, path: `${path}/{id:int}`, params: { id: asId<LabelId> } } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}CreateLabel`,
      method: 'POST',
      path,
      summary: 'Make a label; several may have the same name',
      body: CreateLabelOption,
      responses: { 201: Label },
      errors: [403, 404, 422],
      async handler({ access, viewer, body }) {
        const input = { ...readChange(body), name: body.name, color: body.color }
        const label = await labels.create(requireUser(viewer), owner(access), input)
        return created(presentLabel(label, ownerUrl(access)))
      },
    }),
    defineOperation({
      ...byId,
      id: `${prefix}EditLabel`,
      method: 'PATCH',
      summary: 'Edit a label, by its id',
      body: EditLabelOption,
      responses: { 200: Label },
      errors: [403, 404, 422],
      async handler({ access, viewer, params, body }) {
        const label = await labels.edit(requireUser(viewer), owner(access), params.id, readChange(body))
        return ok(presentLabel(label, ownerUrl(access)))
      },
    }),
    defineOperation({
      ...byId,
      id: `${prefix}DeleteLabel`,
      method: 'DELETE',
      summary: 'Delete a label, by its id; 204 also when there is none',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, viewer, params }) {
        await labels.delete(requireUser(viewer), owner(access), params.id)
        return noContent()
      },
    }),
  ]
}

const readChange = ({ name, color, description, exclusive, is_archived }: EditLabelOption): LabelChange => ({
  name,
  color,
  description,
  isExclusive: exclusive,
  isArchived: is_archived,
})
