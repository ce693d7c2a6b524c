import { type EntryText, deleteText, indexText } from '../../../issues/index.ts'
import type { PullChange } from '../../pulls/lifecycle/pull-change.ts'
import type { ReviewDeps } from '../review-deps.ts'

type TextDeps = Pick<ReviewDeps, 'texts'>

/**
 * Makes texts of reviews known to searches, to what they refer to and to whom they mention
 * (behaviour/issues#listing-and-search). Belongs in the transaction that submits them. Each text once.
 */
export async function publishTexts(deps: TextDeps, change: PullChange, texts: readonly EntryText[]): Promise<void> {
  const written = texts.filter(({ body }) => body.trim() !== '')
  for (const { id, body } of written) await indexText(change.tx, change.issue, id, body)
  await deps.texts.publish(change, written)
}

/** The same for texts that are deleted. */
export async function retractTexts(deps: TextDeps, change: PullChange, entryIds: readonly number[]): Promise<void> {
  for (const id of entryIds) await deleteText(change.tx, change.issue.id, id)
  await deps.texts.retract(change, entryIds)
}
