import { isPublicRepo } from '../../../../core/access/authorize.ts'
import { isPublicOnly, type SignedIn, type Viewer } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { invalid, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import {
  type Repo,
  type RepoInView,
  parseRepoSettings,
  accessQueries,
  repoQueries,
} from '../../../repositories/index.ts'
import { requireLocked } from '../changes/edit-issue.ts'
import type { IssueDeps } from '../changes/create-issue.ts'
import { addEntries, type StateRules } from '../changes/issue-change.ts'
import { canReadIssue, canWriteIssue } from '../issue.policy.ts'
import { findIssueByNumber, type Issue, listIssuesByIds, updateIssue } from '../records/issue.store.ts'
import { type IssueInView, type IssueView, loadIssueViews } from '../views.ts'
import {
  deleteDependency,
  hasDependency,
  hasOpenBlocker,
  insertDependency,
  listBlockerIds,
  listDependentIds,
  type Pair,
} from './dependency.store.ts'

/** The name of an issue in a request. */
interface IssueName {
  readonly owner: string
  readonly repo: string
  readonly number: number
}

/** An issue in a list that the viewer may not read. */
export interface HiddenIssue {
  readonly issue: Issue
  readonly repo: Repo
}

/** The two issues of a dependency: `dependent` cannot be closed while `blocker` is open. */
export interface DependencyPair {
  readonly dependent: IssueInView
  readonly blocker: IssueInView
}

export interface DependencyRules {
  readonly acrossRepositories: boolean
}

export type Dependencies = ReturnType<typeof createDependencies>

/** Dependencies: issues that must be closed before others (behaviour/issues#dependencies-and-blocks). */
export function createDependencies(deps: IssueDeps & { readonly rules: DependencyRules }) {
  const { read } = deps.database
  return {
    /** Throws NotFound when dependencies are off. */
    async listBlockers(viewer: Viewer, target: IssueInView, paging: Paging): Promise<Page<IssueView | HiddenIssue>> {
      if (!isOn(target.repo)) throw errors.dependenciesDisabled()
      const { items, total } = await listBlockerIds(read, target.issue, paging)
      const issues = await listIssuesByIds(read, items)
      const repos = await repoQueries.listByIds(read, [...new Set(issues.map((issue) => issue.repoId))])
      const readable = await findReadable(deps, viewer, repos)
      const byId = new Map(repos.map((repo) => [repo.id, repo]))
      const views = await loadIssueViews(read, issues.filter(readable), byId, { viewer })
      return { items: inOrder(issues, views, repos), total }
    },
    /** The dependents that the viewer may read. */
    async listDependents(viewer: Viewer, { issue }: IssueInView, paging: Paging): Promise<IssueView[]> {
      const issues = await listIssuesByIds(read, await listDependentIds(read, viewer, issue, paging))
      const repos = await repoQueries.listByIds(read, [...new Set(issues.map(({ repoId }) => repoId))])
      return loadIssueViews(read, issues, new Map(repos.map((repo) => [repo.id, repo])), { viewer })
    },
    /** Also throws NotFound for an issue that the viewer may not read. */
    async getOther(viewer: Viewer, { owner, repo: name, number }: IssueName): Promise<IssueInView> {
      const found = await accessQueries.getRepoInView(read, viewer, owner, name)
      const issue = await findIssueByNumber(read, found.repo.id, number)
      if (issue === undefined || !isReadable(viewer, found, issue)) throw errors.issueNotFound()
      return { ...found, issue }
    },
    /** Whether the setting forbids the pair because the issues are in two repositories. */
    isForbidden: ({ dependent, blocker }: DependencyPair): boolean =>
      !deps.rules.acrossRepositories && dependent.repo.id !== blocker.repo.id,
    /**
     * Throws NotFound for accounts that may not write the dependent issue and when dependencies are off, Invalid for an
     * existing dependency in either direction and for an issue on itself.
     */
    add: (actor: SignedIn, pair: DependencyPair): Promise<void> =>
      changePair(deps, actor, pair, async (tx, ids, at) => {
        const { dependentId, blockerId } = ids
        if (dependentId === blockerId) throw invalid('an issue cannot depend on itself')
        if (await hasDependency(tx, ids)) throw errors.dependencyExists()
        if (await hasDependency(tx, { dependentId: blockerId, blockerId: dependentId }))
          throw invalid('the two issues would depend on each other')
        await insertDependency(tx, ids, at)
        return 'add_dependency'
      }),
    /** Throws NotFound as `add`, and when the dependency does not exist. */
    delete: (actor: SignedIn, pair: DependencyPair): Promise<void> =>
      changePair(deps, actor, pair, async (tx, ids) => {
        if (!(await deleteDependency(tx, ids))) throw notFound('dependency does not exist')
        return 'remove_dependency'
      }),
  }
}

/** Refuses to close issues that depend on open ones. */
export const dependencyRule: Parameters<StateRules['register']>[0] = async ({ tx, repo, issue }, state) => {
  if (state === 'closed' && isOn(repo) && (await hasOpenBlocker(tx, issue.id))) throw errors.openDependencies()
}

const isOn = ({ settings }: Repo): boolean => parseRepoSettings(settings).internalTracker.issueDependencies

const isReadable = (viewer: Viewer, { repo, access }: RepoInView, issue: Issue): boolean =>
  canReadIssue(access, issue) && (!isPublicOnly(viewer) || isPublicRepo(repo))

async function findReadable(
  { database: { read } }: IssueDeps,
  viewer: Viewer,
  repos: readonly Repo[],
): Promise<(issue: Issue) => boolean> {
  const accesses = await accessQueries.loadAll(read, viewer, repos)
  const byId = new Map<RepoId, RepoInView>(repos.map((repo) => [repo.id, { repo, access: accesses.get(repo.id)! }]))
  return (issue) => {
    const found = byId.get(issue.repoId)
    return found !== undefined && isReadable(viewer, found, issue)
  }
}

function inOrder(
  issues: readonly Issue[],
  views: readonly IssueView[],
  repos: readonly Repo[],
): (IssueView | HiddenIssue)[] {
  const viewOf = new Map(views.map((view) => [view.issue.id, view]))
  const repoOf = new Map(repos.map((repo) => [repo.id, repo]))
  return issues.flatMap((issue) => {
    const view = viewOf.get(issue.id)
    const repo = repoOf.get(issue.repoId)
    if (view !== undefined) return view
    return repo === undefined ? [] : { issue, repo }
  })
}

type Work = (tx: Tx, ids: Pair, at: number) => Promise<'add_dependency' | 'remove_dependency'>

/** Locks both issues in id order; each gets an entry of the kind that `work` returns. */
async function changePair(
  { database, clock, events }: IssueDeps,
  actor: SignedIn,
  { dependent, blocker }: DependencyPair,
  work: Work,
): Promise<void> {
  if (!canWriteIssue(dependent.access, dependent.issue)) throw notFound('the dependent issue is not writable')
  if (!isOn(dependent.repo)) throw errors.dependenciesDisabled()
  await database.transaction(async (tx) => {
    const at = clock.now()
    for (const { issue } of [dependent, blocker].toSorted((a, b) => a.issue.id - b.issue.id))
      await requireLocked(tx, issue.id)
    const kind = await work(tx, { dependentId: dependent.issue.id, blockerId: blocker.issue.id }, at)
    for (const [own, other] of [
      [dependent, blocker],
      [blocker, dependent],
    ] as const) {
      await addEntries({ ...own, tx, events, actor, at }, { kind, targetId: other.issue.id })
      await updateIssue(tx, own.issue.id, { updated_at: at })
    }
  })
}
