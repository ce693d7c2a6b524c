import { copyObjects, type Git } from '../../../../core/git/index.ts'
import type { Repo } from '../../../repositories/index.ts'

interface Bringing {
  readonly from: Repo
  readonly to: Repo
  /** The commit that `to` needs, with everything that it reaches. */
  readonly oid: string
  /** A commit of `to` that the other repository probably has too. */
  readonly known: string
}

/** Copies the objects of a head into the base repository. Call within `writing` of the target. */
export async function bringObjects(git: Git, { from, to, oid, known }: Bringing): Promise<void> {
  const target = git.open(to)
  // NOTE: that an object exists says nothing about what it reaches; that a ref points to it does.
  const refs = (await target.refs.snapshot()).list('refs/')
  if (refs.some((ref) => ref.oid === oid)) return
  await copyObjects(git.open(from), target, { wants: [oid], haves: [known] })
}
