import { Type } from '@sinclair/typebox'
import { repoUrls } from '../../access/repo-urls.ts'
import { created, listed, noContent, ok } from '../../http/answer.ts'
import { requireUser } from '../../http/guards/account.guards.ts'
import type { Guard } from '../../http/guards/guard.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { pagingMembers } from '../../http/paging-members.ts'
import { asId, type LabelId } from '../../platform/ids.ts'
import type { Site } from '../../platform/site.ts'
import type { Guards } from '../subject.ts'
import { CreateLabelOption, EditLabelOption, Label } from './label.model.ts'
import { presentLabel } from './label.present.ts'
import type { LabelOwner, LabelSort } from './label.store.ts'
import type { LabelChange, Labels } from './labels.service.ts'

interface LabelOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'tracker'>
  readonly labels: Labels
  readonly site: Site
}

/** What differs between the operations on labels of repositories and of organizations. */
interface OwnerKind<Access> {
  readonly root: string
  readonly area: 'issue' | 'organization'
  readonly prefix: 'issue' | 'org'
  readonly guards: Readonly<Record<'list' | 'get' | 'write', Guard<Access>>>
  owner(access: Access): LabelOwner
  /** Address of the API resource of the owner. */
  home(access: Access): string
}

const SORTS: ReadonlyMap<string, LabelSort> = new Map([
  ['reversealphabetically', 'name-descending'],
  ['leastissues', 'least-issues'],
  ['mostissues', 'most-issues'],
])
const listQuery = Type.Object({
  ...pagingMembers,
  sort: Type.Optional(
    Type.String({ description: 'reversealphabetically, leastissues or mostissues; A-Z for anything else' }),
  ),
})

/** Labels of repositories and organizations (reference issues §8, orgs-webhooks-actions §4). */
export function labelOperations(deps: LabelOperationDeps): Operation[] {
  const { guards, site } = deps
  const see = guards.tracker('read')
  return [
    ...operationsFor(deps, {
      root: '/repos/{owner}/{repo}/labels',
      area: 'issue',
      prefix: 'issue',
      guards: { list: see, get: see, write: guards.tracker('write') },
      owner: ({ repo }) => ({ repoId: repo.id }),
      home: ({ repo }) => repoUrls(repo, site).api,
    }),
    ...operationsFor(deps, {
      root: '/orgs/{org}/labels',
      area: 'organization',
      prefix: 'org',
      guards: { list: guards.org('see'), get: guards.org('see', { needsUser: true }), write: guards.org('owner') },
      owner: ({ org }) => ({ orgId: org.id }),
      home: ({ org }) => `${site.rootUrl()}/api/v1/orgs/${org.name}`,
    }),
  ]
}

function operationsFor<Access>({ labels }: LabelOperationDeps, kind: OwnerKind<Access>): Operation[] {
  return [...collection(labels, kind), ...single(labels, kind)]
}

function collection<Access>(
  labels: Labels,
  { root, area, prefix, guards, owner, home }: OwnerKind<Access>,
): Operation[] {
  const common = { path: root, area, scopes: [area] } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}ListLabels`,
      method: 'GET',
      summary: 'List labels',
      guard: guards.list,
      query: listQuery,
      responses: { 200: Type.Array(Label) },
      errors: [404],
      async handler({ access, query, paging }) {
        const page = await labels.list(owner(access), { sort: SORTS.get(query.sort ?? '') ?? 'name', paging })
        return listed(
          page,
          page.items.map((label) => presentLabel(label, home(access))),
          { link: false },
        )
      },
    }),
    defineOperation({
      ...common,
      id: `${prefix}CreateLabel`,
      method: 'POST',
      summary: 'Make a label; several may have the same name',
      guard: guards.write,
      body: CreateLabelOption,
      responses: { 201: Label },
      errors: [403, 404, 422],
      handler: async ({ access, viewer, body }) =>
        created(
          presentLabel(
            await labels.create(requireUser(viewer), owner(access), {
              ...readChange(body),
              name: body.name,
              color: body.color,
            }),
            home(access),
          ),
        ),
    }),
  ]
}

function single<Access>(labels: Labels, { root, area, prefix, guards, owner, home }: OwnerKind<Access>): Operation[] {
  const common = { area, scopes: [area] } as const
  const byId = { ...common, path: `${root}/{id:int}`, params: { id: asId<LabelId> }, guard: guards.write } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}GetLabel`,
      method: 'GET',
      path: `${root}/{id}`,
      summary: 'A label, by its id or name',
      guard: guards.get,
      responses: { 200: Label },
      errors: [404],
      handler: async ({ access, params }) => ok(presentLabel(await labels.get(owner(access), params.id), home(access))),
    }),
    defineOperation({
      ...byId,
      id: `${prefix}EditLabel`,
      method: 'PATCH',
      summary: 'Edit a label, by its id',
      body: EditLabelOption,
      responses: { 200: Label },
      errors: [403, 404, 422],
      handler: async ({ access, viewer, params, body }) =>
        ok(
          presentLabel(
            await labels.edit(requireUser(viewer), owner(access), params.id, readChange(body)),
            home(access),
          ),
        ),
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
