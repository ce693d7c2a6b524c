import type { Core, Services } from '../../../../core/module.ts'
import { AccessMode, hasUnit, unitMode } from '../../../../core/access/repo-access.ts'
import { type Actor, actorOf, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { DomainEvent } from '../../../../core/events/index.ts'
import { branchRef, type GitRepo, ignoringMissing, isZeroOid } from '../../../../core/git/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { compileGlob } from '../../../../core/platform/patterns/glob.ts'
import { userQueries } from '../../../accounts/index.ts'
import { timelineQueries } from '../../../issues/index.ts'
import { accessQueries, type Repo, repoQueries } from '../../../repositories/index.ts'
import { findRun, hasApprovedRun } from '../runs/run.store.ts'
import { isMembers } from '../workflows/reading/problem.ts'
import type { Trigger } from '../workflows/reading/triggers.ts'
import { listWorkflowFiles, type WorkflowFile } from '../workflows/workflow-files.ts'
import type { WorkflowReader } from '../workflows/workflow-reader.ts'
import { hasWorkflows, lockWorkflows } from '../workflows/workflow-state.store.ts'
import { githubContext } from './github-context.ts'
import { type InsertDeps, insertPlannedRun, newPlaceholders } from './insert-run.ts'
import { reportInvalid } from './invalid-workflow.ts'
import { asksToSkip, type Occurrence, occurrencesOf, typesOf } from './occurrences.policy.ts'

export interface StartDeps extends InsertDeps, Pick<Core, 'database' | 'git' | 'log' | 'site'> {
  readonly messageBuilders: Services['messageBuilders']
  readonly actionsVariables: Pick<Services['actionsVariables'], 'loadFor'>
  readonly reader: WorkflowReader
}

/** The account as which jobs act. What it does starts no workflows, so that they do not start one another forever. */
const JOBS_ACCOUNT_ID = -2
const MAX_DEPTH = 5
/** The maximum number of changed paths that are compared with filters; changes of more files pass every filter. */
const MAX_PATHS = 3000

type PushEvent = DomainEvent<'repo.pushed'>

/** An occurrence in its repository, at its commit. */
export interface Located extends Omit<Occurrence, 'place' | 'types'> {
  readonly repo: Repo
  readonly git: GitRepo
  readonly actor: Actor
  readonly ref: string
  readonly oid: string
  readonly message: string
  readonly depth: number
  readonly source: string
}

/**
 * Starts the runs of an event, each once, however often it is called (behaviour/actions#from-event-to-jobs).
 */
export async function startRuns(deps: StartDeps, event: DomainEvent): Promise<void> {
  if (event.kind === 'repo.pushed' && !(await hasPushedWorkflows(deps, event as PushEvent))) return
  const messages = (await deps.messageBuilders.get(event.kind)?.(event)) ?? []
  const commentKind = await kindOfEdited(deps, event)
  const occurrences = messages.flatMap((message) => {
    const isRun = message.eventType === 'workflow_run'
    return event.actorId === JOBS_ACCOUNT_ID && !isRun ? [] : occurrencesOf(event, message, commentKind)
  })
  await forEach(occurrences, async (occurrence) => {
    const source = `${event.id}:${occurrence.on}`
    const located = await locate(deps, { ...event, source }, occurrence)
    if (located !== undefined) await startAll(deps, located, occurrence.types)
  })
}

/** The kind of the entry whose text was edited. */
async function kindOfEdited({ database }: StartDeps, { kind, payload }: DomainEvent): Promise<string | undefined> {
  if (kind !== 'comment.edited' || !('comment_id' in payload)) return undefined
  return (await timelineQueries.find(database.read, payload.comment_id))?.kind
}

/**
 * Whether a pushed commit or the default branch has workflows. Most repositories have none, and the message of a push
 * costs a git process.
 */
async function hasPushedWorkflows(deps: StartDeps, { repoId, payload }: PushEvent): Promise<boolean> {
  const repo = await repoQueries.findById(deps.database.read, asId(repoId))
  if (repo === undefined || !hasUnit(repo.units, 'repo.actions')) return false
  const git = deps.git.open(repo)
  const main = (await git.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid
  for (const oid of new Set([...payload.updates.map((update) => update.new_oid), main])) {
    if (oid === undefined || isZeroOid(oid)) continue
    const files = await ignoringMissing(async () => listWorkflowFiles(git, await git.revisions.peel(oid, 'commit')))
    if (files !== undefined && files.length > 0) return true
  }
  return false
}

/**
 * Runs a task for one item after the other. The first failure is thrown when all are done: it keeps none from running.
 */
export async function forEach<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) await task(item).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Undefined when the repository runs no workflows, or when its commit no longer exists. */
export async function locate(
  deps: StartDeps,
  event: Pick<DomainEvent, 'actorId' | 'repoId'> & { readonly source: string },
  occurrence: Occurrence,
): Promise<Located | undefined> {
  const { read } = deps.database
  const { payload, on } = occurrence
  const repoId = event.repoId || idOf(payload['repository'])
  const repo = await repoQueries.findById(read, asId(repoId))
  if (repo === undefined || repo.isArchived || !hasUnit(repo.units, 'repo.actions')) return undefined
  const git = deps.git.open(repo)
  const ref = occurrence.place?.ref ?? branchRef(repo.defaultBranch)
  const commit = await ignoringMissing(async () => {
    const oid = occurrence.place?.oid ?? (await git.refs.snapshot()).get(ref)?.oid
    return oid === undefined ? undefined : git.objects.commit(await git.revisions.peel(oid, 'commit'))
  })
  if (commit === undefined) return undefined
  const parent = on === 'workflow_run' ? await findRun(read, repo.id, idOf(payload['workflow_run'])) : undefined
  const depth = parent === undefined ? 0 : parent.depth + 1
  if (depth > MAX_DEPTH) return undefined
  const actorId = parent?.actorId ?? (event.actorId || repo.ownerId)
  return {
    ...occurrence,
    repo,
    git,
    actor: actorOf(asId(actorId)),
    ref,
    oid: commit.oid,
    message: commit.message,
    depth,
    source: `${event.source}:${ref}`,
  }
}

const idOf = (value: unknown): number => (isMembers(value) && typeof value['id'] === 'number' ? value['id'] : 0)

/** Starts the workflows of the commit that have a trigger for the occurrence. */
export async function startAll(deps: StartDeps, located: Located, types: readonly string[]): Promise<void> {
  const { git, repo, oid, on } = located
  const source = { git, rateLimitKey: `repo:${repo.id}` }
  const files = await listWorkflowFiles(git, oid)
  if (files.length > 0) await recordWorkflows(deps, repo)
  if (located.title !== undefined && asksToSkip([located.title, located.message])) return
  await forEach(files, async (file) => {
    const result = await deps.reader.read({ ...source, oid: file.oid })
    if ('invalid' in result) {
      const { invalid, events = [on] } = result
      if (events.includes(on) && fitsTypes({ event: on, filters: {} }, types))
        await reportInvalid(deps, located, { file, invalid })
      return
    }
    const trigger = result.found.triggers.find((one) => one.event === on && fitsTypes(one, types))
    if (trigger !== undefined) await startOne(deps, located, { file, trigger })
  })
}

/** From now on, all events are examined. */
async function recordWorkflows({ database }: StartDeps, { id }: Repo): Promise<void> {
  if (await hasWorkflows(database.read, id)) return
  await database.transaction(async (tx) => void (await lockWorkflows(tx, id)))
}

function fitsTypes({ event, types }: Trigger, given: readonly string[]): boolean {
  const wanted = typesOf(event, types)
  if (wanted === undefined || given.length === 0) return true
  return wanted.some((pattern) => given.some(compileGlob(pattern)))
}

/** Starts a workflow whose trigger fits, if the occurrence passes its filters. */
export async function startOne(
  deps: StartDeps,
  located: Located,
  { file, trigger }: { readonly file: WorkflowFile; readonly trigger: Trigger },
): Promise<void> {
  const { database, site } = deps
  const { git, repo, on, ref, oid, payload, actor } = located
  const placeholders = newPlaceholders()
  const user = await userQueries.findById(database.read, asId(actor.account.id))
  const github = githubContext(
    { ...placeholders, repo, on, ref, oid, payload, workflow: file.name, actor: user?.name ?? 'gitea-actions' },
    site,
  )
  const vars = Object.fromEntries(await deps.actionsVariables.loadFor(repo))
  const planned = await deps.reader.plan(
    { git, oid: file.oid, rateLimitKey: `repo:${repo.id}` },
    {
      contexts: { github, vars },
      filters: trigger.filters,
      facts: { ...located.facts, paths: await listPaths(located, trigger) },
    },
  )
  if (planned === undefined) return
  if ('invalid' in planned) return reportInvalid(deps, located, { file, invalid: planned.invalid })
  const needsApproval = located.isFromFork && (await isStranger(deps, repo, actor))
  await database.transaction((tx) =>
    insertPlannedRun(tx, deps, {
      ...located,
      workflow: file,
      title: located.message.split('\n', 1)[0]!,
      reportedOid: reportedOid(located),
      needsApproval,
      placeholders,
      plan: planned.found,
    }),
  )
}

/**
 * The commit that gets statuses of the jobs: the head of a pull request; none for events that are not about commits.
 */
function reportedOid({ on, oid, payload }: Located): string {
  if (on === 'push' || on === 'release') return oid
  if (!on.startsWith('pull_request')) return ''
  const pull = isMembers(payload['pull_request']) ? payload['pull_request'] : {}
  return isMembers(pull['head']) && typeof pull['head']['sha'] === 'string' ? pull['head']['sha'] : oid
}

/** The changed paths, if filters ask for them; undefined when there are too many or no commit to compare with. */
async function listPaths({ git, repo, diff }: Located, { filters }: Trigger): Promise<readonly string[] | undefined> {
  if (diff === undefined || (filters.paths === undefined && filters['paths-ignore'] === undefined)) return undefined
  const { base, head, isPull } = diff
  const isNew = isZeroOid(base)
  const other = isNew ? (await git.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid : base
  if (other === undefined) return undefined
  const from = isPull || isNew ? await git.history.mergeBase(other, head) : other
  if (from === undefined || (isNew && from === head)) return undefined
  const list = await ignoringMissing(() => git.changedFiles.list(from, head))
  if (list === undefined || list.total > MAX_PATHS) return undefined
  return [...list.from(0)].flatMap(({ path, previousPath }) =>
    previousPath === undefined ? path : [path, previousPath],
  )
}

/** Whether a run of changes that the account proposed from a fork must wait for an approval. */
async function isStranger({ database: { read } }: StartDeps, repo: Repo, { account }: Actor): Promise<boolean> {
  const user = await userQueries.findById(read, asId(account.id))
  if (user === undefined || user.isRestricted) return true
  const access = await accessQueries.load(read, viewerOfAccount(user), repo)
  if (unitMode(access, 'repo.actions') >= AccessMode.write) return false
  return !(await hasApprovedRun(read, repo.id, user.id))
}
