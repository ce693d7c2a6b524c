import type { Db, Tx } from '../../../../core/db/database.ts'
import type { CredentialRestriction } from '../../../../core/access/authorize.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { listEntriesAbout, retargetEntry } from '../../issues/imports/retargeted-entry.store.ts'
import { isKind, listEntriesByIds, type TimelineEntry } from '../../issues/timeline/timeline-entry.store.ts'
import { type ImportedText, insertImportedReferences, listImportedTexts, textKey } from './imported-references.store.ts'

/** Ids of one statement: below the limits of both databases on bound values. */
const CHUNK = 500

/**
 * When the comments of these issues were written that refer to other issues, by the ids of the entries about them in
 * the timelines there: comments that are imported again have new ids. The milliseconds are the position among the
 * comments of the same second.
 */
export async function listReferringTimes(db: Db, ids: readonly IssueId[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const references = (await listEntriesAbout(db, ids)).flatMap((entry) =>
    isKind(entry, 'comment_ref') ? { id: String(entry.id), commentId: entry.payload.commentId } : [],
  )
  const commentIds = [...new Set(references.map(({ commentId }) => commentId))]
  const times = new Map<number, number>()
  for (let from = 0; from < commentIds.length; from += CHUNK) {
    const entries = await listEntriesByIds(db, commentIds.slice(from, from + CHUNK))
    const written = entries.map(({ id, issueId, createdAt: at }) => ({ id, issueId, at }))
    const texts = await listImportedTexts(db, written)
    for (const { id, ...text } of written) {
      const position = (texts.get(textKey(text)) ?? []).findIndex((each) => each.id === id)
      times.set(id, text.at + Math.min(Math.max(0, position), 999))
    }
  }
  return new Map(
    references.flatMap(({ id, commentId }) => (times.has(commentId) ? [[id, times.get(commentId)!] as const] : [])),
  )
}

interface Retargeted {
  readonly formerId: number
  readonly id: IssueId
  readonly restriction: CredentialRestriction | undefined
  /** The times that `listReferringTimes` returned for these entries before the issue was deleted. */
  writtenAt(entryIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** Entries of other issues about one that was imported again name its new row and its new comments. */
export async function retargetEntries(tx: Tx, { formerId, id, restriction, writtenAt }: Retargeted): Promise<void> {
  const entries = await listEntriesAbout(tx, [formerId as IssueId])
  const times = await writtenAt(entries.map((entry) => String(entry.id)))
  const written = [...new Set(times.values())].map((at) => ({ issueId: id, at }))
  const texts = new Map<string, readonly ImportedText[]>()
  for (let at = 0; at < written.length; at += CHUNK)
    for (const [key, found] of await listImportedTexts(tx, written.slice(at, at + CHUNK))) texts.set(key, found)
  const retargeted: TimelineEntry[] = []
  for (const entry of entries) {
    const moved = { ...entry, targetId: id }
    if (isKind(moved, 'comment_ref')) {
      const at = times.get(String(entry.id)) ?? 0
      const commentId = texts.get(textKey({ issueId: id, at }))?.[at % 1000]?.id ?? 0
      retargeted.push({ ...moved, payload: { ...moved.payload, commentId } })
    } else retargeted.push(moved)
  }
  for (const entry of retargeted) await retargetEntry(tx, entry)
  await insertImportedReferences(tx, retargeted, restriction)
}
