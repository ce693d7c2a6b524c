import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { issuePresenters } from '../../../issues/index.ts'
import { presentPull } from '../../../pulls/index.ts'
import { commitLine } from '../pages.page.ts'
import {
  authorizePage,
  list,
  numberOf,
  pager,
  type PageMaker,
  repoHeading,
  repoPath,
  time,
  type PageContext,
} from '../layout.ts'
import { discussion, facts } from './discussion.ts'
import { account } from './entries.ts'
import { filesPart } from './pull-files.ts'
import { type PullInView, type PullPageDeps, reviewParts } from './reviews.ts'

const COMMITS = 50
const NO_PARTS = { stat: false, files: false, verification: false }

/** `/{owner}/{repo}/pulls/{index}`, and below it `commits` and `files`. */
export const pullPage =
  (deps: PullPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, { unit: 'repo.pulls' })
    const { number, tail } = numberOf(context, /^(?:\/(?:files|commits))?$/)
    const found = await deps.pulls.getInView(target, number)
    const { repo, issue } = found
    return {
      title: `${issue.title} · ${repo.fullName}#${number}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`${issue.title} #${number}`)}
${tabs(context, found, tail)}
${await TABS[tail]!(deps, context, found)}`,
    }
  }

function tabs(context: PageContext, { repo, issue }: PullInView, current: string): Html {
  const link = (name: string, tail: string): Html => {
    const path = repoPath(context, repo, `pulls/${issue.number}${tail}`)
    return tail === current
      ? safeHtml`<a aria-current="page" href="${path}">${name}</a>\n`
      : safeHtml`<a href="${path}">${name}</a>\n`
  }
  return safeHtml`<nav class="tabs" aria-label="Pull request">${link('Discussion', '')}${link('Commits', '/commits')}${link('Files', '/files')}${link('Diff', '.diff')}${link('Patch', '.patch')}</nav>`
}

const TABS: Readonly<Record<string, (deps: PullPageDeps, context: PageContext, target: PullInView) => Promise<Html>>> =
  {
    '': discussionPart,
    '/commits': commitsPart,
    '/files': filesPart,
  }

async function discussionPart(deps: PullPageDeps, context: PageContext, target: PullInView): Promise<Html> {
  const { viewer } = context
  const [view] = await deps.pulls.views(viewer, target, [target.issue])
  if (view === undefined) throw notFound('the pull request was deleted')
  const { merged_by: merger, ...pull } = presentPull(view, viewer, deps.site)
  const shown = issuePresenters.present(view.issue, viewer, deps.site)
  const state = pull.draft && pull.state === 'open' ? 'open, draft' : pull.state
  const reviewers = [
    ...pull.requested_reviewers.map((user) => account(context, user)),
    ...pull.requested_reviewers_teams.map(({ name }) => safeHtml`${name}`),
  ]
  const rows: readonly (readonly [string, Html])[] = [
    [
      'State',
      pull.merged
        ? safeHtml`merged by ${merger ? account(context, merger) : ''}, ${time(pull.merged_at ?? '')}`
        : safeHtml`${state}`,
    ],
    [
      'Branches',
      safeHtml`<code>${pull.head.repo && pull.head.repo.id !== target.repo.id ? `${pull.head.repo.full_name}:` : ''}${pull.head.ref}</code> into <code>${pull.base.ref}</code>`,
    ],
    ...(reviewers.length === 0
      ? []
      : [
          [
            'Reviewers',
            safeHtml`${reviewers.map((name, index) => safeHtml`${index === 0 ? '' : ', '}${name}`)}`,
          ] as const,
        ]),
  ]
  return safeHtml`${facts(context, shown, rows)}
${await discussion(deps, context, target, { ...shown, parts: reviewParts(deps, target) })}`
}

async function commitsPart({ pullDiffs }: PullPageDeps, context: PageContext, target: PullInView): Promise<Html> {
  const paging = context.paging(COMMITS)
  const { items, total } = await pullDiffs.commits(target.repo, target.pull, NO_PARTS, paging)
  return safeHtml`${list(items, (view) => commitLine(context, target, view), 'No commits.')}
${pager(paging, total)}`
}
