import type { Services } from '../../../../core/module.ts'
import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import { authorizePage, list, numberOf, pager, type PageMaker, repoHeading, repoPath, timeOf, when } from '../layout.ts'
import { canRead } from '../repo.page.ts'
import { labelPart } from './entries.ts'
import { issueList, type IssuesPageDeps } from './issues.page.ts'

interface MilestonePageDeps extends IssuesPageDeps {
  readonly labels: Pick<Services['labels'], 'list'>
  readonly milestones: Pick<Services['milestones'], 'get' | 'list'>
}

type Milestone = Awaited<ReturnType<MilestonePageDeps['milestones']['get']>>

const ROWS = 50

/** `/{owner}/{repo}/labels`: by name. */
export const labelsPage =
  (deps: MilestonePageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context)
    const { repo } = target
    const paging = context.paging(ROWS)
    const { items, total } = await deps.labels.list({ repoId: repo.id }, { sort: 'name', paging })
    return {
      title: `Labels · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`labels`)}
${list(items, (label) => safeHtml`${labelPart(label)}${when(label.description, (text) => safeHtml` ${text}`)}${label.archivedAt === undefined ? '' : safeHtml` <small>archived</small>`}`, 'No labels.')}
${pager(paging, total)}`,
    }
  }

/** `/{owner}/{repo}/milestones`: by due date. */
export const milestonesPage =
  (deps: MilestonePageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context)
    const { repo } = target
    const paging = context.paging(ROWS)
    const { items, total } = await deps.milestones.list(repo.id, { state: 'all', title: '' }, paging)
    const line = (milestone: Milestone): Html =>
      safeHtml`<a href="${repoPath(context, repo, `milestone/${milestone.id}`)}">${milestone.title}</a><br><small>${state(milestone)}</small>`
    return {
      title: `Milestones · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`milestones`)}
${list(items, line, 'No milestones.')}
${pager(paging, total)}`,
    }
  }

/** `/{owner}/{repo}/milestone/{id}`: with the issues and pull requests that the viewer may read. */
export const milestonePage =
  (deps: MilestonePageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context)
    const { repo } = target
    const milestone = await deps.milestones.get(repo.id, String(numberOf(context).number))
    const kinds = { issues: canRead(target, 'repo.issues'), pulls: canRead(target, 'repo.pulls') }
    return {
      title: `${milestone.title} · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`${milestone.title}`)}
<p><small>${state(milestone)}</small></p>
${when(milestone.description, (text) => safeHtml`<pre class="log">${text}</pre>`)}
${kinds.issues || kinds.pulls ? await issueList(deps, context, target, { kinds, milestones: [String(milestone.id)] }) : ''}`,
    }
  }

function state({ isClosed, openIssues, closedIssues, dueAt }: Milestone): Html {
  const due = when(dueAt, (at) => safeHtml`, due ${timeOf(at)}`)
  return safeHtml`${isClosed ? 'closed' : 'open'}, ${openIssues} open and ${closedIssues} closed issues${due}`
}
