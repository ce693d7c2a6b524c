import type { Services } from '../../../core/module.ts'
import { type Html, safeHtml } from '../../../core/platform/html.ts'
import { type CommitView, commitPresenters } from '../../code/index.ts'
import type { RepoInView, RepoView } from '../../repositories/index.ts'
import {
  firstLine,
  list,
  NOTHING,
  stepper,
  time,
  whole,
  timeOf,
  when,
  authorizePage,
  type PageMaker,
  repoHeading,
  repoPath,
  type PageContext,
} from './layout.ts'
import type { Sources } from './sources.service.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { SERVER_VERSION } from '../../../core/platform/version.ts'

interface CommitPageDeps {
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly commits: Pick<Services['commits'], 'get'>
  readonly sources: Pick<Sources, 'locate' | 'listCommits'>
}

const ROWS = 30
const MAX_FILES = 1000
const SHORT = 10

/** `/{owner}/{repo}/commits/{branch|tag|commit}/{ref}/{path}`: commits, newest first, optionally of a path. */
export const commitsPage =
  (deps: CommitPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.code' })
    const { repo } = target
    const location = await deps.sources.locate(repo, context.params.rest)
    const { kind, ref, path } = location
    const paging = context.paging(ROWS)
    const { items, hasMore } = await deps.sources.listCommits(repo, location, paging)
    if (items.length === 0 && paging.page === 1) throw errors.pathHistoryEmpty(path)
    const source = repoPath(context, repo, 'src', kind, ref, path)
    return {
      title: `Commits of ${path || ref} · ${repo.fullName}`,
      ...(kind === 'branch' && { feed: repoPath(context, repo, 'atom/branch', ref, path) }),
      body: safeHtml`${repoHeading(context, target, safeHtml`commits of <a href="${source}">${path || ref}</a>`)}
${list(items, (view) => commitLine(context, target, view), 'No commits.')}
${stepper(paging, hasMore)}`,
    }
  }

/** A commit in a list. */
export const commitLine = (
  context: PageContext,
  { repo }: Pick<RepoInView, 'repo'>,
  { commit, author }: CommitView,
): Html =>
  safeHtml`<a href="${repoPath(context, repo, 'commit', commit.oid)}">${firstLine(commit.message) || commit.oid.slice(0, SHORT)}</a>
<br><small><code>${commit.oid.slice(0, SHORT)}</code> ${author?.name ?? commit.author.name}, ${time(commitPresenters.utcTime(commit.author))}</small>`

/** `/{owner}/{repo}/commit/{id}`: message, author, files changed. */
export const commitPage =
  (deps: CommitPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.code' })
    const { repo } = target
    const id = context.params.rest
    if (!/^[0-9a-f]{7,64}$/.test(id)) throw notFound(`no commit ${id}`)
    const view = await deps.commits.get(repo, id, { stat: true, files: true, verification: false })
    const { oid, message } = view.commit
    const link = (name: string, ...parts: readonly string[]): Html =>
      safeHtml`<a href="${repoPath(context, repo, ...parts)}">${name}</a>\n`
    return {
      title: `${firstLine(message)} · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`commit <code>${oid.slice(0, SHORT)}</code>`)}
<nav class="tabs" aria-label="Commit">${link('Files', 'src/commit', oid)}${link('Diff', `commit/${oid}.diff`)}${link('Patch', `commit/${oid}.patch`)}</nav>
<pre class="log">${whole(message)}</pre>
${people(view)}
<p>Commit <code>${oid}</code></p>
${view.commit.parents.map((parent) => safeHtml`<p>Parent ${link(parent.slice(0, SHORT), 'commit', parent)}</p>`)}
${changes(context, target, view)}`,
    }
  }

function people({ commit, author, committer }: CommitView): Html {
  const line = (what: string, name: string, at: string): Html => safeHtml`<p>${what} ${name}, ${time(at)}</p>\n`
  const written = line('Author', author?.name ?? commit.author.name, commitPresenters.utcTime(commit.author))
  const isSame = commit.author.email === commit.committer.email && commit.author.time === commit.committer.time
  if (isSame) return written
  const made = line('Committer', committer?.name ?? commit.committer.name, commitPresenters.utcTime(commit.committer))
  return safeHtml`${written}${made}`
}

function changes(context: PageContext, { repo }: RepoInView, { commit, changes: set }: CommitView): Html {
  if (set === undefined) return safeHtml`<p class="note">The commit changes too many files to list.</p>`
  const files = list(
    set.files.slice(0, MAX_FILES),
    ({ path, status, additions, deletions }) =>
      safeHtml`${status === 'removed' ? path : safeHtml`<a href="${repoPath(context, repo, 'src/commit', commit.oid, path)}">${path}</a>`} <small>${status}, +${additions} -${deletions}</small>`,
    'No files.',
  )
  return safeHtml`<h2>Files changed</h2>
<p>${set.files.length} files, ${set.additions} lines added, ${set.deletions} lines deleted.</p>
${files}
${set.files.length > MAX_FILES ? safeHtml`<p class="note">Only the first ${MAX_FILES} are listed.</p>` : NOTHING}`
}

export interface HomeDeps {
  readonly repos: Pick<Services['repos'], 'list'>
  readonly settings: {
    /** Whether there is a page with the API reference; the description is always available. */
    readonly hasReference: boolean
    /** Empty without documentation. */
    readonly documentationUrl: string
    /** Anonymous visitors may not list repositories. */
    readonly exploreNeedsSignIn: boolean
  }
}

const NEWEST = { page: 1, limit: 20, offset: 0 }
const BY_UPDATE = { by: 'updated', direction: 'desc' } as const

/** `/`: a description of this server, and the public repositories that were updated last. */
export const homePage =
  ({ repos, settings }: HomeDeps): PageMaker =>
  async (context) => {
    const { viewer, base } = context
    const isListed = viewer.kind === 'user' || !settings.exploreNeedsSignIn
    const page = isListed
      ? await repos.list(viewer, { filter: { onlyPublic: true }, order: BY_UPDATE }, NEWEST)
      : undefined
    return {
      title: 'Ingot',
      body: safeHtml`<h1>Ingot</h1>
<p>A git server. Version ${SERVER_VERSION}.</p>
<ul>
<li><a href="${base}${settings.hasReference ? '/api/swagger' : '/openapi.json'}">API reference</a></li>
${when(settings.documentationUrl, (url) => safeHtml`<li><a href="${url}">Documentation</a></li>`)}
</ul>
${page === undefined ? NOTHING : safeHtml`<h2>Public repositories</h2>\n${repoList(context, page.items)}`}`,
    }
  }

/** Repositories with their descriptions. */
export const repoList = (context: PageContext, views: readonly RepoView[]): Html =>
  list(
    views,
    ({ repo }) =>
      safeHtml`<a href="${repoPath(context, repo)}">${repo.fullName}</a>${repo.isPrivate ? safeHtml` <small>private</small>` : ''}${repo.isArchived ? safeHtml` <small>archived</small>` : ''}
${when(repo.description, (text) => safeHtml`<br>${text}`)}<br><small>Updated ${timeOf(repo.updatedAt)}</small>`,
    'No repositories.',
  )
