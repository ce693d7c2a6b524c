import type { Core, Services } from '../../../../core/module.ts'
import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import type { IssueView } from '../../../issues/index.ts'
import {
  authorizePage,
  list,
  pager,
  type PageMaker,
  repoHeading,
  repoPath,
  timeOf,
  type PageContext,
} from '../layout.ts'
import { labelPart } from './entries.ts'

export interface IssuesPageDeps extends Pick<Core, 'site'> {
  readonly issueLists: Pick<Services['issueLists'], 'listOf'>
  readonly repos: Pick<Services['repos'], 'authorize'>
}

type Query = Parameters<IssuesPageDeps['issueLists']['listOf']>[2]

const ROWS = 50
const STATES = ['open', 'closed', 'all'] as const
const ANY: Omit<Query, 'kinds' | 'state'> = {
  q: '',
  since: undefined,
  before: undefined,
  isDraft: undefined,
  labels: [],
  milestones: [],
  createdBy: undefined,
  assignedBy: undefined,
  mentionedBy: undefined,
  sort: 'latest',
}

/** `/{owner}/{repo}/issues`. */
export const issuesPage =
  (deps: IssuesPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.issues' })
    return {
      title: `Issues · ${target.repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`issues`)}
${await issueList(deps, context, target, { kinds: { issues: true, pulls: false } })}`,
    }
  }

/** `/{owner}/{repo}/pulls`. */
export const pullsPage =
  (deps: IssuesPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.pulls' })
    return {
      title: `Pull requests · ${target.repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`pull requests`)}
${await issueList(deps, context, target, { kinds: { issues: false, pulls: true } })}`,
    }
  }

/** Issues or pull requests of a state, newest first, with links to the other states. */
export async function issueList(
  { issueLists }: IssuesPageDeps,
  context: PageContext,
  { repo }: RepoInView,
  query: Pick<Query, 'kinds'> & Partial<Query>,
): Promise<Html> {
  const state = STATES.find((known) => known === context.field('state')) ?? 'open'
  const paging = context.paging(ROWS)
  const { items, total } = await issueLists.listOf(context.viewer, repo, { ...ANY, state, ...query }, { paging })
  const states = STATES.map((other) =>
    other === state
      ? safeHtml`<a aria-current="page" href="?state=${other}">${other}</a>\n`
      : safeHtml`<a href="?state=${other}">${other}</a>\n`,
  )
  return safeHtml`<nav class="tabs" aria-label="State">${states}</nav>
${list(items, (view) => issueLine(context, view), `None are ${state}.`)}
${pager(paging, total, `&state=${state}`)}`
}

function issueLine(context: PageContext, { issue, repo, author, labels, pull }: IssueView): Html {
  const closed = pull?.mergedAt === undefined ? 'closed' : 'merged'
  const by = issue.originalAuthor?.login ?? author?.name ?? 'Ghost'
  return safeHtml`<a href="${repoPath(context, repo, issue.isPull ? 'pulls' : 'issues', String(issue.number))}">${issue.title}</a> ${labels.map(labelPart)}
<br><small>#${issue.number}, ${issue.isClosed ? closed : 'open'}, by ${by}, ${timeOf(issue.createdAt)}, ${issue.commentsCount} comments</small>`
}
