import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { badRequest, invalid } from '../../../../core/platform/errors.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { parseInteger } from '../../../../core/platform/paging.ts'
import { type Label, listUsableLabels } from '../../labels/label.store.ts'
import type { Repo } from '../../../repositories/index.ts'
import { addLabels, removeLabels, replaceLabels } from '../changes/change-labels.ts'
import { changeLocked } from '../changes/edit-issue.ts'
import type { IssueDeps } from '../changes/create-issue.ts'
import type { Issue } from '../records/issue.store.ts'
import { listLabelsOfIssues } from '../records/records.store.ts'
import type { IssueInView } from '../views.ts'

/** Ids, or exact names, of labels. */
type LabelRefs = readonly (number | string)[]

interface LabelTarget extends IssueInView {
  /** Epoch milliseconds; Forbidden for accounts other than administrators. */
  readonly updatedAt?: number | undefined
}

export type IssueLabels = ReturnType<typeof createIssueLabels>

/** Labels of an issue or pull request, sorted by name (behaviour/issues#labels). Callers check permissions. */
export function createIssueLabels(deps: IssueDeps) {
  return {
    list: (issue: Issue): Promise<Label[]> => labelsOf(deps.database.read, issue.id),
    /** Adds labels in the order of their names; ignores unknown ones. Throws BadRequest for ids mixed with names. */
    add(actor: SignedIn, target: LabelTarget, refs: LabelRefs): Promise<Label[]> {
      const wanted = readRefs(refs)
      return changeLocked(deps, actor, target, async (change) => {
        const { tx, issue, repo } = change
        await addLabels(change, await labelsOf(tx, issue.id), await listUsableLabels(tx, usableIn(repo), wanted))
        return labelsOf(tx, issue.id)
      })
    },
    /** Throws as `add`. */
    replace(actor: SignedIn, target: LabelTarget, refs: LabelRefs): Promise<Label[]> {
      const wanted = readRefs(refs)
      return changeLocked(deps, actor, target, async (change) => {
        const { tx, issue, repo } = change
        return replaceLabels(change, await labelsOf(tx, issue.id), await listUsableLabels(tx, usableIn(repo), wanted))
      })
    },
    clear: (actor: SignedIn, target: LabelTarget): Promise<void> =>
      changeLocked(deps, actor, target, async (change) => {
        await replaceLabels(change, await labelsOf(change.tx, change.issue.id), [])
      }),
    /**
     * Deletes a label by id or name; does nothing when the issue does not have it. Throws Invalid for an unknown label.
     */
    delete: (actor: SignedIn, target: LabelTarget, idOrName: string): Promise<void> =>
      changeLocked(deps, actor, target, async (change) => {
        const { tx, issue, repo } = change
        const attached = await labelsOf(tx, issue.id)
        await removeLabels(change, attached, [await findLabel(tx, repo, { idOrName, attached })])
      }),
  }
}

const labelsOf = async (db: Db, id: IssueId): Promise<Label[]> => (await listLabelsOfIssues(db, [id])).get(id) ?? []

const usableIn = ({ id, ownerId }: Repo) => ({ repoId: id, ownerId })

function readRefs(refs: LabelRefs): { readonly ids: readonly number[] } | { readonly names: readonly string[] } {
  const ids = refs.filter((ref) => typeof ref === 'number')
  const names = refs.filter((ref) => typeof ref === 'string')
  if (ids.length > 0 && names.length > 0) throw badRequest('labels should be an array of strings or integers')
  return names.length > 0 ? { names } : { ids }
}

interface SoughtLabel {
  readonly idOrName: string
  readonly attached: readonly Label[]
}

/** The label with this id, otherwise one with this name: names are not unique, so a label of the issue is preferred. */
async function findLabel(tx: Tx, repo: Repo, { idOrName, attached }: SoughtLabel): Promise<Label> {
  const [byId] = await listUsableLabels(tx, usableIn(repo), { ids: [parseInteger(idOrName)] })
  if (byId !== undefined) return byId
  const named = await listUsableLabels(tx, usableIn(repo), { names: [idOrName] })
  const label = named.find(({ id }) => attached.some((other) => other.id === id)) ?? named[0]
  if (label === undefined) throw invalid('label does not exist')
  return label
}
