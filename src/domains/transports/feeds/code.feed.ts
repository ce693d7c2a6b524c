import type { Services } from '../../../core/module.ts'
import { escapePath, repoUrls } from '../../../core/access/repo-urls.ts'
import { errors } from '../../errors.ts'
import { safeHtml } from '../../../core/platform/html.ts'
import type { Paging } from '../../../core/platform/paging.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { presentRelease } from '../../code/index.ts'
import type { RepoInView } from '../../repositories/index.ts'
import { firstLine, whole } from '../pages/layout.ts'
import type { Sources } from '../pages/sources.service.ts'
import type { FeedContent, FeedEntry } from './feed-document.ts'

export interface CodeFeedDeps {
  readonly releases: Pick<Services['releases'], 'list'>
  readonly tags: Pick<Services['tags'], 'list'>
  readonly sources: Pick<Sources, 'locate' | 'listCommits'>
  readonly site: Site
}

/** A feed of a repository that the viewer may see. */
export interface RepoVisit {
  readonly viewer: Viewer
  readonly target: RepoInView
  /** The rest of the address. */
  readonly rest: string
}

export const FIRST: Paging = { page: 1, offset: 0, limit: 30 }

/** Published releases; not drafts, which their editors alone may see. */
export async function releasesFeed(
  { releases, site }: CodeFeedDeps,
  { viewer, target }: RepoVisit,
): Promise<FeedContent> {
  const urls = repoUrls(target.repo, site)
  const { items } = await releases.list(viewer, target, { draft: false }, FIRST)
  return {
    ...headOf(target, 'Releases', `${urls.html}/releases`),
    entries: items.map((view): FeedEntry => {
      const { name, tag_name, html_url, body } = presentRelease(view, urls, site)
      return {
        title: name || tag_name,
        link: html_url,
        author: view.author?.fullName || view.author?.name || 'Ghost',
        at: view.release.createdAt,
        content: body === '' ? undefined : preformatted(body),
      }
    }),
  }
}

export async function tagsFeed({ tags, site }: CodeFeedDeps, { target }: RepoVisit): Promise<FeedContent> {
  const { repo } = target
  const { html } = repoUrls(repo, site)
  const { items } = await tags.list(repo, FIRST)
  return {
    ...headOf(target, 'Tags', `${html}/tags`),
    entries: items.map(({ name, message, madeBy }) => ({
      title: name,
      link: `${html}/src/tag/${escapePath(name)}`,
      author: madeBy.name,
      at: madeBy.time * 1000,
      content: preformatted(message),
    })),
  }
}

/** The commits of a branch, or those that changed a path in it. */
export async function commitsFeed({ sources, site }: CodeFeedDeps, { target, rest }: RepoVisit): Promise<FeedContent> {
  const { repo } = target
  const { html } = repoUrls(repo, site)
  const location = await sources.locate(repo, `branch/${rest}`)
  const { items } = await sources.listCommits(repo, location, FIRST)
  if (items.length === 0) throw errors.pathHistoryEmpty(location.path)
  const where = location.path === '' ? location.ref : `${location.ref}/${location.path}`
  return {
    ...headOf(target, `Commits of ${location.path || location.ref}`, `${html}/commits/branch/${escapePath(where)}`),
    entries: items.map(({ commit, author }) => ({
      title: firstLine(commit.message) || commit.oid.slice(0, 10),
      link: `${html}/commit/${commit.oid}`,
      author: author?.name ?? commit.author.name,
      at: commit.committer.time * 1000,
      content: preformatted(commit.message),
    })),
  }
}

const headOf = ({ repo }: RepoInView, what: string, link: string) => ({
  title: `${what} · ${repo.fullName}`,
  link,
  since: repo.createdAt,
})

const preformatted = (text: string) => safeHtml`<pre>${whole(text)}</pre>`
