import type { GitRepo } from '../../../../core/git/index.ts'
import { conflict } from '../../../../core/platform/errors.ts'

export interface ManualMerge {
  readonly oid: string
  /** Epoch milliseconds, of the author of the commit. */
  readonly at: number
}

/** The commit that a client names as the merge. Throws Conflict unless it is a full id of a commit of the base. */
export async function mergedByHand(
  git: GitRepo,
  { baseOid, oid }: { readonly baseOid: string; readonly oid: string },
): Promise<ManualMerge> {
  const info = oid.length === baseOid.length ? await git.objects.findInfo(oid) : undefined
  if (info?.type !== 'commit' || !(await git.history.isAncestor(info.oid, baseOid))) throw conflict('Wrong commit ID')
  const { author } = await git.objects.commit(info.oid)
  return { oid: info.oid, at: author.time * 1000 }
}
