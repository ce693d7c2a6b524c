import type { LabelId } from '../../../../core/platform/crypto/ids.ts'
import { type Label, addToLabelCounters } from '../../labels/label.store.ts'
import { exclusiveScope } from '../../labels/labels.policy.ts'
import { deleteIssueLabels, insertIssueLabels } from '../records/records.store.ts'
import { updateIssue } from '../records/issue.store.ts'
import type { NewEntry } from '../timeline/timeline-entry.store.ts'
import { addEntries, appendIssueEvent, type IssueChange } from './issue-change.ts'

/**
 * Attaches labels one after another; an exclusive label replaces the issue's other labels of its scope
 * (behaviour/issues#labels). `attached` are the present labels of the issue. Returns whether anything changed.
 */
export async function addLabels(
  change: IssueChange,
  attached: readonly Label[],
  labels: readonly Label[],
): Promise<boolean> {
  let current = [...attached]
  const steps: { readonly label: Label; readonly isAdded: boolean }[] = []
  for (const label of labels) {
    if (current.some((other) => other.id === label.id)) continue
    const scope = exclusiveScope(label)
    const replaced = scope === undefined ? [] : current.filter((other) => exclusiveScope(other) === scope)
    steps.push(...replaced.map((other) => ({ label: other, isAdded: false })), { label, isAdded: true })
    current = [...current.filter((other) => !replaced.includes(other)), label]
  }
  return writeSteps(change, attached, { current, steps, isReplacement: false })
}

/** Replaces the labels of the issue; the last one of an exclusive scope wins. Returns those of `labels` that it has. */
export async function replaceLabels(
  change: IssueChange,
  attached: readonly Label[],
  labels: readonly Label[],
): Promise<Label[]> {
  const kept = reduceToScopes(labels)
  const removed = attached.filter((label) => !kept.some((other) => other.id === label.id))
  const added = kept.filter((label) => !attached.some((other) => other.id === label.id))
  const steps = [
    ...removed.map((label) => ({ label, isAdded: false })),
    ...added.map((label) => ({ label, isAdded: true })),
  ]
  await writeSteps(change, attached, { current: kept, steps, isReplacement: true })
  return kept
}

/** Detaches those of `labels` that the issue has, whatever their scopes. */
export function removeLabels(
  change: IssueChange,
  attached: readonly Label[],
  labels: readonly Pick<Label, 'id'>[],
): Promise<boolean> {
  const [removed, current] = partition(attached, (label) => labels.some((other) => other.id === label.id))
  const steps = removed.map((label) => ({ label, isAdded: false }))
  return writeSteps(change, attached, { current, steps, isReplacement: false })
}

const partition = <T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
]

/** Keeps the last of the labels with the same exclusive scope. */
export function reduceToScopes(labels: readonly Label[]): Label[] {
  return labels.filter((label, position) => {
    const scope = exclusiveScope(label)
    return scope === undefined || !labels.slice(position + 1).some((later) => exclusiveScope(later) === scope)
  })
}

export const labelEntry = ({ id }: Pick<Label, 'id'>, isAdded: boolean): NewEntry => ({
  kind: 'label',
  targetId: id,
  body: isAdded ? '1' : '',
  payload: { isAdded },
})

interface LabelSteps {
  /** The labels of the issue after all steps. */
  readonly current: readonly Label[]
  readonly steps: readonly { readonly label: Label; readonly isAdded: boolean }[]
  /** All labels were replaced at once. */
  readonly isReplacement: boolean
}

async function writeSteps(
  change: IssueChange,
  attached: readonly Label[],
  { current, steps, isReplacement }: LabelSteps,
): Promise<boolean> {
  if (steps.length === 0) return false
  const { tx, issue, at } = change
  const has = (labels: readonly Label[], id: LabelId): boolean => labels.some((label) => label.id === id)
  const removedIds = attached.filter((label) => !has(current, label.id)).map((label) => label.id)
  const added = current.filter((label) => !has(attached, label.id))
  await deleteIssueLabels(tx, issue.id, removedIds)
  await insertIssueLabels(tx, issue, added)
  const changed = await updateIssue(tx, issue.id, { updated_at: at })
  await addToLabelCounters(tx, removedIds, -1)
  await addToLabelCounters(
    tx,
    added.map((label) => label.id),
    1,
  )
  await addEntries(change, ...steps.map(({ label, isAdded }) => labelEntry(label, isAdded)))
  await appendIssueEvent({ ...change, issue: changed }, 'issue.labels_changed', {
    is_cleared: isReplacement && current.length === 0,
    added_ids: added.map((label) => label.id),
    removed_ids: removedIds,
  })
  return true
}
