import { requireTarget, type Target } from '../../../../core/git/index.ts'
import { Type } from '@sinclair/typebox'
import { PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { type ApiResponse, ok, longList, longListIn } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Guards } from '../../../../core/module.ts'
import { ContentsExtResponse, ContentsResponse, EditorConfig } from '../contents.model.ts'
import { type ContentsShow, contentsPresenter, presentEditorConfig } from '../contents.present.ts'
import type { Contents, EntryView } from './contents.service.ts'

export const refMembers = {
  ref: Type.Optional(
    Type.String({ maxLength: PATH_LENGTH, description: 'Branch, tag or full id (default: the default branch)' }),
  ),
  branch: Type.Optional(Type.String({ maxLength: PATH_LENGTH, description: 'The same as ref' })),
}
const refQuery = Type.Object(refMembers)
const extQuery = Type.Object({
  ...refMembers,
  includes: Type.Optional(
    Type.String({
      maxLength: PATH_LENGTH,
      description: 'Comma list of file_content, lfs_metadata, commit_metadata, commit_message',
    }),
  ),
})

export const SHOW_ALL: ContentsShow = { content: true, commitMetadata: true, commitMessage: false }
const ALL_PARTS = { content: true, lfs: true, lastCommit: true }

export interface ContentsOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly contents: Contents
  readonly site: Site
}

/** Operations that read files and directories (behaviour/git-data-and-transport#reading-contents). */
export const contentsOperations = (deps: ContentsOperationDeps): Operation[] => [
  ...plainOperations(deps),
  ...chosenOperations(deps),
]

const commonOf = ({ guards }: ContentsOperationDeps) =>
  ({ area: 'repository', scopes: ['repository'], guard: guards.repo('read', { unit: 'repo.code' }) }) as const

/** Looks the target up once for each request. */
function targetFinder(contents: Contents): (reading: Reading) => Promise<Target | undefined> {
  const found = new WeakMap<Reading, Promise<Target | undefined>>()
  return (reading) => {
    const { access, query } = reading
    const target = found.get(reading) ?? contents.findTarget(access.repo, refOf(query))
    found.set(reading, target)
    return target
  }
}

/** The response depends on the commit and on the names in its links. */
const validatorOf =
  (findTarget: (reading: Reading) => Promise<Target | undefined>) =>
  async (reading: Reading): Promise<string | undefined> => {
    const target = await findTarget(reading)
    return target && `${reading.access.repo.fullName} ${target.kind} ${target.name} ${target.commit}`
  }

const refOf = (query: Reading['query']): string | undefined => query.ref ?? query.branch

function plainOperations(deps: ContentsOperationDeps): Operation[] {
  const { contents, site } = deps
  const common = { ...commonOf(deps), method: 'GET', query: refQuery, errors: [404] } as const
  const findTarget = targetFinder(contents)
  const validator = validatorOf(findTarget)
  const read = async (reading: Reading, path: string): Promise<ApiResponse> => {
    const { repo } = reading.access
    const ref = refOf(reading.query)
    const target = requireTarget(await findTarget(reading), repo, ref)
    const { file, entries } = await contents.read(repo, path, target, ALL_PARTS)
    const present = presenter({ repo, site, target, ref })
    return file ? ok(present(file, SHOW_ALL)) : longList(entries!, (entry) => present(entry, SHOW_ALL))
  }
  return [
    defineOperation({
      ...common,
      id: 'repoGetContentsList',
      path: '/repos/{owner}/{repo}/contents',
      summary: 'List the root directory',
      responses: { 200: Type.Array(ContentsResponse) },
      validator,
      handler: (context) => read(context, ''),
    }),
    defineOperation({
      ...common,
      id: 'repoGetContents',
      path: '/repos/{owner}/{repo}/contents/{filepath*}',
      summary: 'Get a file, or list a directory',
      responses: { 200: Type.Union([ContentsResponse, Type.Array(ContentsResponse)]) },
      validator,
      handler: (context) => read(context, context.params.filepath),
    }),
    defineOperation({
      ...common,
      id: 'repoGetEditorConfig',
      path: '/repos/{owner}/{repo}/editorconfig/{filepath*}',
      summary: "What the repository's .editorconfig says of a file",
      responses: { 200: EditorConfig },
      handler: async ({ access: { repo }, params, query }) =>
        ok(presentEditorConfig(await contents.editorProperties(repo, params.filepath, query.ref ?? query.branch))),
    }),
  ]
}

/** Operations whose response contains only the requested parts of an entry. */
function chosenOperations(deps: ContentsOperationDeps): Operation[] {
  const { contents, site } = deps
  const findTarget = targetFinder(contents)
  return [
    defineOperation({
      ...commonOf(deps),
      id: 'repoGetContentsExt',
      method: 'GET',
      path: '/repos/{owner}/{repo}/contents-ext/{filepath*}',
      aliases: ['/repos/{owner}/{repo}/contents-ext'],
      params: { filepath: (path?: string) => path ?? '' },
      summary: 'Get a file or directory with the parts asked for',
      query: extQuery,
      responses: { 200: ContentsExtResponse },
      errors: [400, 404],
      validator: validatorOf(findTarget),
      async handler(context) {
        const { access, params, query } = context
        const { repo } = access
        const includes = parseIncludes(query.includes)
        const parts = {
          content: includes.has('file_content'),
          lfs: includes.has('lfs_metadata'),
          lastCommit: includes.has('commit_metadata') || includes.has('commit_message'),
        }
        const show = {
          content: parts.content,
          commitMetadata: includes.has('commit_metadata'),
          commitMessage: includes.has('commit_message'),
        }
        const ref = refOf(query)
        const target = requireTarget(await findTarget(context), repo, ref)
        const { file, entries } = await contents.read(repo, params.filepath, target, parts)
        const present = presenter({ repo, site, target, ref })
        if (file) return ok({ file_contents: present(file, show) })
        return longListIn('dir_contents', entries!, (entry) => present(entry, show))
      },
    }),
  ]
}

interface Reading {
  readonly access: { readonly repo: Repo }
  readonly query: { readonly ref?: string; readonly branch?: string }
}

interface Presented {
  readonly repo: Repo
  readonly site: Site
  readonly target: Target
  readonly ref: string | undefined
}

export function presenter({
  repo,
  site,
  target,
  ref,
}: Presented): (entry: EntryView, show: ContentsShow) => ContentsResponse {
  return contentsPresenter({ urls: repoUrls(repo, site), target, ref: ref || target.name })
}

const INCLUDES = ['file_content', 'lfs_metadata', 'commit_metadata', 'commit_message'] as const
type Include = (typeof INCLUDES)[number]

function parseIncludes(text: string | undefined): ReadonlySet<Include> {
  const words = (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const unknown = words.find((word) => !INCLUDES.includes(word as Include))
  if (unknown !== undefined) throw badRequest(`unknown include option ${JSON.stringify(unknown)}`)
  return new Set(words as Include[])
}
