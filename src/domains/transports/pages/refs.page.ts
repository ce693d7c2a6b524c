import type { Services } from '../../../core/module.ts'
import { safeHtml } from '../../../core/platform/html.ts'
import { commitPresenters } from '../../code/index.ts'
import { commitLine } from './pages.page.ts'
import { firstLine, list, pager, time, when, authorizePage, type PageMaker, repoHeading, repoPath } from './layout.ts'

interface RefPageDeps {
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly branches: Pick<Services['branches'], 'list' | 'views'>
  readonly tags: Pick<Services['tags'], 'list'>
}

const ROWS = 50

/** `/{owner}/{repo}/branches`: newest tip first. */
export const branchesPage =
  (deps: RefPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.code' })
    const { repo } = target
    const paging = context.paging(ROWS)
    const page = await deps.branches.list(repo, '', paging)
    const branches = await deps.branches.views(repo, page.items)
    return {
      title: `Branches · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`branches`)}
${list(
  branches,
  ({ name, tip }) =>
    safeHtml`<a href="${repoPath(context, repo, 'src/branch', name)}">${name}</a> <small><a href="${repoPath(context, repo, 'commits/branch', name)}">Commits</a></small><br>${commitLine(context, target, tip)}`,
  'No branches.',
)}
${pager(paging, page.total)}`,
    }
  }

/** `/{owner}/{repo}/tags`: newest first. */
export const tagsPage =
  (deps: RefPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.code' })
    const { repo } = target
    const paging = context.paging(ROWS)
    const page = await deps.tags.list(repo, paging)
    return {
      title: `Tags · ${repo.fullName}`,
      feed: repoPath(context, repo, 'tags.atom'),
      body: safeHtml`${repoHeading(context, target, safeHtml`tags`)}
${list(
  page.items,
  ({ name, commit, message, madeBy }) =>
    safeHtml`<a href="${repoPath(context, repo, 'src/tag', name)}">${name}</a> <small><a href="${repoPath(context, repo, 'commit', commit)}"><code>${commit.slice(0, 10)}</code></a> ${time(commitPresenters.utcTime(madeBy))}
<a href="${repoPath(context, repo, 'archive', `${name}.tar.gz`)}">tar.gz</a> <a href="${repoPath(context, repo, 'archive', `${name}.zip`)}">zip</a></small>${when(firstLine(message), (text) => safeHtml`<br>${text}`)}`,
  'No tags.',
)}
${pager(paging, page.total)}`,
    }
  }
