import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db, Database } from '../../../core/db/database.ts'
import { branchRef, copyObjects, findCommitOid, type Git } from '../../../core/git/index.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { forkQueries } from '../../code/index.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'
import { pullHeadRef } from './pull.policy.ts'
import type { Pull } from './records/pull.store.ts'

/** A branch and its tip. */
export interface Branch {
  readonly repo: Repo
  readonly name: string
  readonly oid: string
}

interface HeadName {
  /** `user` or `user/repo`; undefined for the base repository. */
  readonly prefix: string | undefined
  readonly branch: string
}

/** Parses `branch`, `user:branch` or `user/repo:branch`; only the first colon separates. */
export function parseHead(text: string): HeadName {
  const colon = text.indexOf(':')
  return colon < 0
    ? { prefix: undefined, branch: text }
    : { prefix: text.slice(0, colon), branch: text.slice(colon + 1) }
}

/**
 * The branch that the text names (behaviour/pull-requests#creating-a-pull-request). Throws NotFound for a missing or
 * hidden one, BadRequest for a user without a fork, Invalid for a tag or a commit id.
 */
export async function findHeadBranch(
  { read, git }: { readonly read: Db; readonly git: Git },
  viewer: Viewer,
  base: Repo,
  text: string,
): Promise<Branch> {
  const { prefix, branch } = parseHead(text)
  const repo = prefix === undefined ? base : await forkQueries.requireHead(read, viewer, base, prefix)
  return findBranch(git, repo, branch)
}

/** Throws NotFound for an unknown name, Invalid for a tag or a commit id. */
export async function findBranch(git: Git, repo: Repo, name: string): Promise<Branch> {
  const opened = git.open(repo)
  const ref = (await opened.refs.snapshot()).get(branchRef(name))
  if (ref !== undefined) return { repo, name, oid: ref.oid }
  if ((await findCommitOid(opened, name)) !== undefined)
    throw invalid('Invalid PullRequest: base and head must be branches')
  throw errors.branchUnknown(name.slice(0, 100))
}

/**
 * The tip of the head: of its branch, or of the ref that pushes to `refs/for/` move. Undefined when the branch or its
 * repository was deleted. `location`: the base repository and the number.
 */
export async function findHeadTip(
  { database, git }: { readonly database: Pick<Database, 'read'>; readonly git: Git },
  pull: Pull,
  location: { readonly repo: Repo; readonly number: number },
): Promise<string | undefined> {
  const isOwn = pull.headRepoId === location.repo.id
  const repo = isOwn ? location.repo : pull.headRepoId && (await repoQueries.findById(database.read, pull.headRepoId))
  if (!repo) return undefined
  const refs = await git.open(repo).refs.snapshot()
  if (!pull.isAgit) return refs.get(branchRef(pull.headBranch))?.oid
  return refs.get(pullHeadRef(location.number))?.oid ?? pull.headOid
}

interface HeadCopy {
  readonly from: Repo
  readonly to: Repo
  /** The commit to copy, with everything that it reaches. */
  readonly oid: string
  /** A commit of `to` that the other repository probably has, too. */
  readonly known: string
}

/** Copies the objects of a head into the base repository. Call within `writing` of the target. */
export async function copyHeadObjects(git: Git, { from, to, oid, known }: HeadCopy): Promise<void> {
  const target = git.open(to)
  // NOTE: an existing object does not prove that everything it reaches exists; a ref to it does.
  const refs = (await target.refs.snapshot()).list('refs/')
  if (refs.some((ref) => ref.oid === oid)) return
  await copyObjects(git.open(from), target, { wants: [oid], haves: [known] })
}
