import type { Core, Services } from '../../../../core/module.ts'
import { Html, safeHtml } from '../../../../core/platform/html.ts'
import { errors } from '../../../errors.ts'
import { presentJob, presentRun } from '../../../automation/index.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import {
  authorizePage,
  list,
  NOTHING,
  numberOf,
  pager,
  type PageMaker,
  repoHeading,
  repoPath,
  size,
  time,
  timeOf,
  type PageContext,
  when,
} from '../layout.ts'
import { textPart } from '../issues/discussion.ts'
import { account } from '../issues/entries.ts'
import type { Texts } from '../texts.service.ts'
import { logPart } from './log.ts'

export interface RunPageDeps extends Pick<Core, 'site'> {
  readonly artifacts: Pick<Services['artifacts'], 'list'>
  readonly jobLogs: Pick<Services['jobLogs'], 'find'>
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly runs: Pick<Services['runs'], 'get' | 'getJob' | 'list' | 'listJobsOfRun' | 'view'>
  readonly stepSummaries: Pick<Services['stepSummaries'], 'list'>
  readonly texts: Pick<Texts, 'renderComments'>
}

type Run = Awaited<ReturnType<RunPageDeps['runs']['get']>>
type Shown = Pick<ReturnType<typeof presentRun>, 'conclusion' | 'status'>

const ROWS = 50
const UNIT = { unit: 'repo.actions' } as const
const ANY = { statuses: [], events: [] }
const MAX_ARTIFACTS = { page: 1, limit: 100, offset: 0 }

/** The conclusion of a run or job that has ended, otherwise the status. */
const stateOf = ({ status, conclusion }: Shown): string => conclusion ?? status

/** `/{owner}/{repo}/actions`: runs, newest first. */
export const runsPage =
  (deps: RunPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, UNIT)
    const { repo } = target
    const paging = context.paging(ROWS)
    const scope = { scope: { kind: 'repository', repoId: repo.id }, viewer: context.viewer } as const
    const { items, total } = await deps.runs.list(scope, { filter: ANY, paging })
    const line = (view: (typeof items)[number]): Html =>
      safeHtml`<a href="${repoPath(context, repo, `actions/runs/${view.run.id}`)}">${view.run.title}</a>
<br><small>${stateOf(presentRun(view, deps.site))}, ${view.run.workflow} #${view.run.number}, ${view.run.event}, ${timeOf(view.run.createdAt)}</small>`
    return {
      title: `Actions · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`actions`)}
${list(items, line, 'No runs.')}
${pager(paging, total)}`,
    }
  }

/** `/{owner}/{repo}/actions/runs/{run}`, and below it `jobs/{job}`. */
export const runPage =
  (deps: RunPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context, UNIT)
    const { repo } = target
    const { number, tail } = numberOf(context, /^(?:\/jobs\/\d{1,15})?$/)
    const run = await deps.runs.get(repo.id, number)
    const heading = safeHtml`<a href="${repoPath(context, repo, `actions/runs/${run.id}`)}">${run.title}</a>`
    const part =
      tail === ''
        ? await wholeRun(deps, context, target, run)
        : await jobPart(deps, context, run, Number(tail.split('/')[2]))
    return {
      title: `${run.title} · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, heading)}
${part}`,
    }
  }

async function wholeRun(deps: RunPageDeps, context: PageContext, { repo }: RepoInView, run: Run): Promise<Html> {
  const view = presentRun(await deps.runs.view(context.viewer, run), deps.site)
  const paging = context.paging(ROWS)
  const [jobs, artifacts] = await Promise.all([
    deps.runs.listJobsOfRun({ repoId: repo.id, id: run.id }, { statuses: [], order: 'asc', paging }),
    deps.artifacts.list({ repoId: repo.id, runId: run.id }, MAX_ARTIFACTS),
  ])
  const jobLine = (job: ReturnType<typeof presentJob>): Html =>
    safeHtml`<a href="${repoPath(context, repo, `actions/runs/${run.id}/jobs/${job.id}`)}">${job.name}</a> <small>${stateOf(job)}</small>`
  return safeHtml`<dl>
<dt>State</dt><dd>${stateOf(view)}${run.attempt > 1 ? `, attempt ${run.attempt}` : ''}</dd>
<dt>Workflow</dt><dd>${run.workflow} #${run.number}, ${run.event}</dd>
<dt>Ref</dt><dd><code>${run.ref}</code></dd>
<dt>Commit</dt><dd><a href="${repoPath(context, repo, 'commit', run.oid)}"><code>${run.oid.slice(0, 10)}</code></a></dd>
<dt>Actor</dt><dd>${view.actor ? account(context, view.actor) : ''}</dd>
<dt>Created</dt><dd>${time(view.created_at)}</dd>
${when(run.stoppedAt || undefined, (at) => safeHtml`<dt>Ended</dt><dd>${timeOf(at)}</dd>`)}</dl>
<h2>Jobs</h2>
${list(
  jobs.items.map((job) => presentJob(job, deps.site)),
  jobLine,
  'No jobs.',
)}
${pager(paging, jobs.total)}
${artifacts.items.length === 0 ? NOTHING : safeHtml`<h2>Artifacts</h2>\n${list(artifacts.items, ({ artifact }) => safeHtml`${artifact.name} <small>${size(artifact.size)}</small>`, '')}`}
${await summaries(deps, context, repo.fullName, run)}`
}

async function summaries(
  { stepSummaries, texts }: RunPageDeps,
  { requester }: PageContext,
  fullName: string,
  run: Run,
): Promise<Html> {
  const found = await stepSummaries.list(run.id)
  const place = { context: `/${fullName}`, isComment: false, requester }
  const rendered = await texts.renderComments(
    found.map(({ text }) => text),
    place,
  )
  return new Html(
    found
      .map(({ jobName, text }, at) => safeHtml`<h2>Summary of ${jobName}</h2>\n${textPart(text, rendered[at])}\n`.text)
      .join(''),
  )
}

async function jobPart(deps: RunPageDeps, context: PageContext, run: Run, id: number): Promise<Html> {
  const view = await deps.runs.getJob(run.repoId, id)
  if (view.run.id !== run.id) throw errors.jobNotFound()
  const job = presentJob(view, deps.site)
  const steps = list(job.steps, (step) => safeHtml`${step.name} <small>${stateOf(step)}</small>`, 'No steps.')
  return safeHtml`<h2>${job.name}</h2>
<dl>
<dt>State</dt><dd>${stateOf(job)}${job.run_attempt > 1 ? `, attempt ${job.run_attempt}` : ''}</dd>
<dt>Labels</dt><dd>${job.labels.join(', ')}</dd>
${when(job.runner_name, (name) => safeHtml`<dt>Runner</dt><dd>${name}</dd>`)}
${when(view.job.startedAt || undefined, (at) => safeHtml`<dt>Began</dt><dd>${timeOf(at)}</dd>`)}
${when(view.job.stoppedAt || undefined, (at) => safeHtml`<dt>Ended</dt><dd>${timeOf(at)}</dd>`)}</dl>
<h3>Steps</h3>
${steps}
<h3>Log</h3>
${await logPart(deps, context, view.job)}`
}
