import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { branchRef, findCommitOid, type Git } from '../../../../core/git/index.ts'
import { invalid, notFound } from '../../../../core/platform/errors.ts'
import { requireHeadRepo } from '../../../code/index.ts'
import type { Repo } from '../../../repositories/index.ts'

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

/** Reads `branch`, `user:branch` or `user/repo:branch`; only the first colon separates. */
export function parseHead(text: string): HeadName {
  const colon = text.indexOf(':')
  return colon < 0
    ? { prefix: undefined, branch: text }
    : { prefix: text.slice(0, colon), branch: text.slice(colon + 1) }
}

/**
 * The branch that the text names (behaviour/pull-requests#creating-a-pull-request). Throws NotFound for what is missing
 * or hidden, BadRequest for a user without a fork, Invalid for a tag or a commit id.
 */
export async function findHeadBranch(
  { read, git }: { readonly read: Db; readonly git: Git },
  viewer: Viewer,
  base: Repo,
  text: string,
): Promise<Branch> {
  const { prefix, branch } = parseHead(text)
  const repo = prefix === undefined ? base : await requireHeadRepo(read, viewer, base, prefix)
  return findBranch(git, repo, branch)
}

/** Throws NotFound for an unknown name, Invalid for a tag or a commit id. */
export async function findBranch(git: Git, repo: Repo, name: string): Promise<Branch> {
  const opened = git.open(repo)
  const ref = (await opened.refs.snapshot()).get(branchRef(name))
  if (ref !== undefined) return { repo, name, oid: ref.oid }
  if ((await findCommitOid(opened, name)) !== undefined)
    throw invalid('Invalid PullRequest: base and head must be branches')
  throw notFound(`no such branch: ${name.slice(0, 100)}`)
}
