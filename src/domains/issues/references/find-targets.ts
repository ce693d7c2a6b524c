import { admitCaller } from '../../../core/access/admit.ts'
import { reachesRepo } from '../../../core/access/credential-restriction.ts'
import type { RepoAccess } from '../../../core/access/repo-access.ts'
import type { ScopeLevel } from '../../../core/access/scopes.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { IssueId } from '../../../core/platform/crypto/ids.ts'
import { canReadIssue } from '../issues/issue.policy.ts'
import { type Issue, listIssuesByIds, listIssuesByNumbers } from '../issues/records/issue.store.ts'
import { type Repo, listReposByIds, listReposByNames, loadRepoAccesses } from '../../repositories/index.ts'
import { listBlockers } from '../../accounts/index.ts'
import type { IssueReference } from './parsing/parse-references.ts'

/** An issue or pull request with what the author of a text may do with it. */
export interface Target {
  readonly issue: Issue
  readonly repo: Repo
  readonly access: RepoAccess
  /** The author may read it, and neither the owner of its repository nor its poster blocks the author. */
  readonly mayRefer: boolean
}

/** The issues that the references name, with the first keyword for each; `repo` is that of the text. */
export async function findReferred(
  db: Db,
  repo: Repo,
  references: readonly IssueReference[],
): Promise<Map<IssueId, { readonly issue: Issue; readonly reference: IssueReference }>> {
  const names = new Set(references.flatMap((reference) => reference.repo?.toLowerCase() ?? []))
  const repos = new Map((await listReposByNames(db, [...names])).map((found) => [found.fullName.toLowerCase(), found]))
  const idOf = ({ repo: name }: IssueReference) => (name === undefined ? repo : repos.get(name.toLowerCase()))?.id
  const byRepo = Map.groupBy(references, idOf)
  const numbers = new Map(
    [...byRepo].flatMap(([id, own]) => (id === undefined ? [] : [[id, own.map(({ number }) => number)] as const])),
  )
  const issues = await listIssuesByNumbers(db, numbers)
  return new Map(
    issues.map((issue) => {
      const own = byRepo.get(issue.repoId)!.filter(({ number }) => number === issue.number)
      return [issue.id, { issue, reference: own.find(({ action }) => action !== 'none') ?? own[0]! }]
    }),
  )
}

/** What the author of a text in `from` may do with these issues, by a fixed number of queries. */
export async function loadTargets(
  db: Db,
  { author, from }: { readonly author: SignedIn; readonly from: Pick<Repo, 'id'> },
  issueIds: readonly IssueId[],
): Promise<Map<IssueId, Target>> {
  const issues = await listIssuesByIds(db, issueIds)
  const repos = await listReposByIds(db, [...new Set(issues.map((issue) => issue.repoId))])
  const byId = new Map(repos.map((repo) => [repo.id, repo]))
  const accesses = await loadRepoAccesses(db, author, repos)
  const owners = repos.map((repo) => repo.ownerId)
  const posters = issues.map((issue) => issue.posterId)
  const blockers = new Set(await listBlockers(db, author.account.id, [...owners, ...posters]))
  return new Map(
    issues.flatMap((issue) => {
      const [repo, access] = [byId.get(issue.repoId), accesses.get(issue.repoId)]
      if (repo === undefined || access === undefined) return []
      const isBlocked = blockers.has(repo.ownerId) || blockers.has(issue.posterId)
      const mayRefer = !isBlocked && isReached(author, issue, { repo, from }) && canReadIssue(access, issue)
      return [[issue.id, { issue, repo, access, mayRefer }]]
    }),
  )
}

interface Reach {
  /** Of the issue. */
  readonly repo: Repo
  /** Of the text or the commit that refers to it. */
  readonly from: Pick<Repo, 'id'>
}

/** Whether the credentials reach an issue: one of another repository by the scope that reads it. */
const isReached = (actor: SignedIn, issue: Issue, { repo, from }: Reach): boolean =>
  reachesRepo(actor, repo) && hasScope(actor, issue, { from, level: 'read' })

/** Whether the credentials may close and reopen an issue, whatever the account may do with it. */
export const mayActOn = (actor: SignedIn, issue: Issue, { repo, from }: Reach): boolean =>
  reachesRepo(actor, repo) && hasScope(actor, issue, { from, level: 'write' })

/**
 * NOTE: a push or a merge acts on issues of its own repository as on its commits; the scope of repositories is enough.
 */
const hasScope = (
  actor: SignedIn,
  { repoId, isPull }: Issue,
  { from, level }: Pick<Reach, 'from'> & { readonly level: ScopeLevel },
): boolean =>
  repoId === from.id || admitCaller(actor, { scopes: [isPull ? 'repository' : 'issue'], level }).kind === 'allowed'
