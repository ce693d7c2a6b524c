import { Type } from '@sinclair/typebox'
import { type ApiResponse, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { BinaryFile } from '../../../../core/http/answer/binary.ts'
import { rangedBytes } from '../../../../core/http/answer/ranged.ts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { anyone } from '../../../../core/http/guards/account.guards.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { type ByteRange, contentDisposition, SANDBOX_CSP } from '../../../../core/platform/http/media-type.ts'
import type { Page } from '../../../../core/platform/paging.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Core, Guards } from '../../../../core/module.ts'
import { ActionArtifactModel, ActionArtifactsResponse } from './artifact.model.ts'
import { fileOf } from './artifact.policy.ts'
import { artifactUrl, presentArtifact } from '../actions.present.ts'
import { counted } from '../runs/run-lists.operations.ts'
import type { Artifacts, ArtifactView } from './artifacts.service.ts'

interface ArtifactOperationDeps extends Pick<Core, 'clock' | 'site'> {
  readonly guards: Pick<Guards, 'repo'>
  readonly artifacts: Artifacts
}

const ROOT = '/repos/{owner}/{repo}/actions'
const ONE = `${ROOT}/artifacts/{artifact_id:int}`
const common = { area: 'repository', scopes: ['repository'] } as const

const listQuery = Type.Object({
  ...pagingMembers,
  name: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'The exact name' })),
})

/** Artifacts of a repository (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export const artifactOperations = (deps: ArtifactOperationDeps): Operation[] => [
  ...listOperations(deps),
  ...singleOperations(deps),
  ...downloadOperations(deps),
]

function listOperations({ guards, artifacts, clock, site }: ArtifactOperationDeps): Operation[] {
  const list = {
    ...common,
    method: 'GET',
    guard: guards.repo('read', { unit: 'repo.actions' }),
    query: listQuery,
    responses: { 200: ActionArtifactsResponse },
    errors: [403, 404],
  } as const
  const answer = (page: Page<ArtifactView>, repo: Repo): ApiResponse => {
    const at = { site, now: clock.now() }
    return counted(
      page,
      'artifacts',
      page.items.map((view) => presentArtifact(view, repo, at)),
    )
  }
  return [
    defineOperation({
      ...list,
      id: 'getArtifacts',
      path: `${ROOT}/artifacts`,
      summary: 'Files that jobs of the repository left',
      handler: async ({ access: { repo }, query, paging }) =>
        answer(await artifacts.list({ repoId: repo.id, name: query.name }, paging), repo),
    }),
    defineOperation({
      ...list,
      id: 'getArtifactsOfRun',
      path: `${ROOT}/runs/{run:int}/artifacts`,
      summary: 'Files that jobs of a run left',
      handler: async ({ access: { repo }, params, query, paging }) =>
        answer(await artifacts.list({ repoId: repo.id, runId: params.run, name: query.name }, paging), repo),
    }),
  ]
}

function singleOperations({ guards, artifacts, clock, site }: ArtifactOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'getArtifact',
      method: 'GET',
      path: ONE,
      summary: 'A file that a job left',
      guard: guards.repo('read', { unit: 'repo.actions' }),
      responses: { 200: ActionArtifactModel },
      errors: [403, 404],
      handler: async ({ access: { repo }, params }) =>
        ok(presentArtifact(await artifacts.get(repo.id, params.artifact_id), repo, { site, now: clock.now() })),
    }),
    defineOperation({
      ...common,
      id: 'deleteArtifact',
      method: 'DELETE',
      path: ONE,
      summary: 'Delete a file that a job left',
      guard: guards.repo('write', { unit: 'repo.actions', archived: 'refuse' }),
      responses: { 204: null },
      errors: [401, 403, 404, 423],
      async handler({ access: { repo }, params }) {
        await artifacts.delete(repo.id, params.artifact_id)
        return noContent()
      },
    }),
  ]
}

function downloadOperations({ guards, artifacts, site }: ArtifactOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'downloadArtifact',
      method: 'GET',
      path: `${ONE}/zip`,
      summary: 'Redirect to the file, at an address that is valid for an hour without credentials',
      guard: guards.repo('read', { unit: 'repo.actions' }),
      responses: { 302: null },
      errors: [403, 404],
      async handler({ access: { repo }, params }) {
        const { sig, expires } = await artifacts.link(repo, params.artifact_id)
        const url = `${artifactUrl(repo, params.artifact_id, site)}/zip/raw`
        const query = new URLSearchParams({ sig, expires: String(expires) }).toString()
        return { status: 302, headers: { location: `${url}?${query}`, 'cache-control': 'no-store' } }
      },
    }),
    defineOperation({
      ...common,
      id: 'downloadArtifactRaw',
      method: 'GET',
      path: `${ONE}/zip/raw`,
      summary: 'The file or a range of its bytes, by an address that the server made',
      guard: anyone,
      query: Type.Object({
        sig: Type.Optional(Type.String({ maxLength: NAME_LENGTH })),
        expires: Type.Optional(Type.Integer({ description: 'Epoch seconds' })),
      }),
      responses: { 200: BinaryFile, 206: BinaryFile, 302: null, 304: null },
      errors: [401, 404, 416],
      async handler({ params, query, headers }) {
        const { owner, repo: name, artifact_id: id } = params
        const { sig = '', expires = 0 } = query
        const { artifact, location } = await artifacts.findLinked({ owner, name, id }, { sig, expires })
        if (location !== undefined) return { status: 302, headers: { location, 'cache-control': 'no-store' } }
        const { fileName, type } = fileOf(artifact)
        const fileHeaders = {
          'content-type': type,
          'content-disposition': contentDisposition('attachment', fileName),
          'content-security-policy': SANDBOX_CSP,
          'x-content-type-options': 'nosniff',
        }
        const { size, digest } = artifact
        const open = (range?: ByteRange) => artifacts.open(artifact, range)
        return rangedBytes({ size, etag: `"${digest}"`, headers: fileHeaders, open }, headers)
      },
    }),
  ]
}
