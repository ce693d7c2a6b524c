import { type GitRepo, isOid } from '../../../../core/git/index.ts'
import type { Pull } from '../../pulls/records/pull.store.ts'
import { isStale } from '../reviews/post-review.ts'
import { type ClaimedPlace, findCommit, type LocatedPlace, locateImports } from './locate-imports.ts'

export interface PreparedReview {
  /** Empty if it is no id of a commit. */
  readonly commitOid: string
  readonly isStale: boolean
  /** The positions in the order of the claimed ones. */
  readonly positions: readonly LocatedPlace[]
}

/** Checks the data of another service about a review, see `locateImports`. */
export async function prepareReview(
  git: GitRepo,
  pull: Pull,
  { commitOid, positions }: { readonly commitOid: string; readonly positions: readonly ClaimedPlace[] },
): Promise<PreparedReview> {
  const oid = isOid(commitOid, git.objectFormat) ? commitOid : ''
  const found = await findCommit(git, oid)
  return {
    commitOid: oid,
    isStale: pull.isClosed ? oid !== pull.headOid : await isStale(git, pull, oid),
    positions: await locateImports(git, pull, { commitOid: found, positions }),
  }
}
