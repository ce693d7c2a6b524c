import type { Services } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { GitRepo } from '../../../../core/git/index.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { issueImports, milestoneQueries } from '../../../issues/index.ts'
import { pullHeadRef } from '../../../pulls/index.ts'
import type { ImportKeys, ImportPhase } from '../phase.ts'
import { cleanText } from './clean-values.ts'
import type { ItemDeps } from './imported-items.ts'

export interface ClearPhaseDeps extends ItemDeps {
  readonly attachments: Pick<Services['attachments'], 'deleteOf'>
}

const STEP_ISSUES = 50

/**
 * Deletes the issues and pull requests that are imported again, and finds the milestones by their titles. An import of
 * changes begins here again after a restart: the cursor is not read.
 */
export const clearPhase = ({ database: { read }, attachments }: ClearPhaseDeps): ImportPhase => ({
  name: 'clear',
  isWanted: () => true,
  async *steps({ repo, repoId, request, source, signal, keys }) {
    const numbers = [...(request.changed ?? [])]
    await deleteHeads(repo, numbers)
    for (let at = 0; at < numbers.length; at += STEP_ISSUES)
      yield {
        cursor: String(at),
        count: 0,
        async write(tx) {
          const some = numbers.slice(at, at + STEP_ISSUES)
          const ids = await issueImports.listIds(tx, repoId, some)
          await recordReplaced(tx, keys, ids)
          await keys.set(tx, REFERRING, await issueImports.listReferringTimes(tx, [...ids.values()]))
          for (const id of ids.values()) await attachments.deleteOf(tx, 'issue', id)
          await issueImports.delete(tx, [...ids.values()])
        },
      }
    const milestones = new Map<string, number>()
    for await (const page of source.milestones(signal))
      for (const { key, title } of page) {
        const found = await milestoneQueries.findTitled(read, repoId, cleanText(title).trim())
        if (found !== undefined) milestones.set(cleanText(key), found.id)
      }
    yield { cursor: 'milestones', count: 0, write: (tx) => keys.set(tx, 'milestone', milestones) }
  },
})

/** Kind of key in `import_key`: former ids of issues, by number. */
export const REPLACED = 'replaced'

/**
 * Kind of key in `import_key`: the times of comments that referred to other issues, by the ids of the entries about
 * them.
 */
export const REFERRING = 'referring'

/** NOTE: an import that was interrupted has already replaced some of them. */
async function recordReplaced(tx: Tx, keys: ImportKeys, ids: ReadonlyMap<number, IssueId>): Promise<void> {
  const numbers = [...ids.keys()].map(String)
  const known = await keys.get(tx, REPLACED, numbers)
  await keys.set(
    tx,
    REPLACED,
    new Map(numbers.filter((number) => !known.has(number)).map((number) => [number, ids.get(Number(number))!])),
  )
}

/** They are fetched again. */
async function deleteHeads({ refs, zeroOid }: GitRepo, numbers: readonly number[]): Promise<void> {
  const snapshot = await refs.snapshot()
  const heads = numbers.map(pullHeadRef).filter((ref) => snapshot.get(ref) !== undefined)
  await refs.update(heads.map((ref) => ({ ref, new: zeroOid })))
}
