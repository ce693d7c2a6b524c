import type { GitRepo } from '../../../core/git/index.ts'
import type { Batch } from './records/batch.store.ts'

const PREFIX = 'refs/queue/'

/** What points to the commit of a batch, for those who test it. Readers may fetch it; only the server writes it. */
export const batchRef = ({ branch, id }: Pick<Batch, 'branch' | 'id'>): string => `${PREFIX}${branch}/${id}`

/** Deletes what earlier batches of the branch left. */
export async function deleteStaleRefs(git: GitRepo, branch: string, batch: Batch | undefined): Promise<void> {
  const kept = batch && batchRef(batch)
  const below = `${PREFIX}${branch}/`
  const stale = (await git.refs.snapshot())
    .list(below)
    .filter(({ name }) => name !== kept && /^\d+$/.test(name.slice(below.length)))
  if (stale.length > 0) await git.refs.update(stale.map(({ name }) => ({ ref: name, new: git.zeroOid })))
}
