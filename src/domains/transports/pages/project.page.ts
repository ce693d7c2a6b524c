import type { Services } from '../../../core/module.ts'
import { type Html, safeHtml } from '../../../core/platform/html.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { errors } from '../../errors.ts'
import {
  authorizePage,
  type Content,
  list,
  NOTHING,
  pager,
  type PageMaker,
  repoHeading,
  repoPath,
  type PageContext,
  when,
} from './layout.ts'

interface ProjectPageDeps {
  readonly projects: Pick<Services['projects'], 'getInView'>
  readonly projectColumns: Pick<Services['projectColumns'], 'list'>
  readonly projectCards: Pick<Services['projectCards'], 'listBoard'>
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly users: Pick<Services['users'], 'getInView'>
}

type Home = Parameters<ProjectPageDeps['projects']['getInView']>[1]
type Card = Awaited<ReturnType<ProjectPageDeps['projectCards']['listBoard']>>['items'][number]

const ROWS = 100
const ALL_COLUMNS = { page: 1, limit: 100, offset: 0 }

/** `/{owner}/{repo}/projects/{id}`. */
export const repoProjectPage =
  (deps: ProjectPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.projects' })
    return boardPage(deps, context, { repo: target.repo }, (title) => repoHeading(context, target, safeHtml`${title}`))
  }

/** `/{owner}/-/projects/{id}`. */
export const ownerProjectPage =
  (deps: ProjectPageDeps): PageMaker =>
  async (context) => {
    const account = await deps.users.getInView(context.viewer, context.params.owner)
    return boardPage(
      deps,
      context,
      { account },
      (title) => safeHtml`<h1><a href="${context.base}/${account.name}">${account.name}</a>: ${title}</h1>`,
    )
  }

/** The columns with their issues, one after the other. */
async function boardPage(
  { projects, projectColumns, projectCards }: ProjectPageDeps,
  context: PageContext,
  home: Home,
  heading: (title: string) => Html,
): Promise<Content> {
  if (!/^[1-9]\d{0,14}$/.test(context.params.rest)) throw errors.projectNotFound()
  const project = await projects.getInView(context.viewer, home, asId(Number(context.params.rest)))
  const paging = context.paging(ROWS)
  const [columns, cards] = await Promise.all([
    projectColumns.list(project, ALL_COLUMNS),
    projectCards.listBoard(context.viewer, project, paging),
  ])
  const byColumn = Map.groupBy(cards.items, ({ columnId }) => columnId)
  const isWhole = cards.total <= ROWS
  const shown = columns.items.filter(({ column }) => isWhole || byColumn.has(column.id))
  return {
    title: `${project.title} · ${'repo' in home ? home.repo.fullName : home.account.name}`,
    body: safeHtml`${heading(project.title)}
<p><small>${project.closedAt === undefined ? 'Open' : 'Closed'} project. Issues and pull requests: ${cards.total}</small></p>
${when(project.description, (text) => safeHtml`<pre class="log">${text}</pre>`)}
${isWhole ? NOTHING : safeHtml`<p>Columns: ${columns.items.map(({ column }) => column.title).join(', ')}</p>`}
${shown.map(
  ({ column }) => safeHtml`<section aria-label="${column.title}"><h2>${column.title}</h2>
${list(byColumn.get(column.id) ?? [], (card) => cardLine(context, card), 'No issues.')}</section>
`,
)}${pager(paging, cards.total)}`,
  }
}

const cardLine = (context: PageContext, { issue, repo }: Card): Html =>
  safeHtml`<a href="${repoPath(context, repo, issue.isPull ? 'pulls' : 'issues', String(issue.number))}">${issue.title}</a>
<br><small>${repo.fullName}#${issue.number}, ${issue.isClosed ? 'closed' : 'open'}</small>`
