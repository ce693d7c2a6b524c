import { type Actor, actorOf } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Issue } from '../../issues/records/issue.store.ts'
import type { Repo } from '../../../repositories/index.ts'
import { loadAuthor } from '../load-author.ts'
import { type MentionDeps, writeMentions } from '../mentions/write-mentions.ts'
import { parseMentions, parseReferences, type ReferenceGrammar } from '../parsing/parse-references.ts'
import { listCrossReferences } from '../records/cross-reference.store.ts'
import { writeReferences } from './write-references.ts'

/** A text on a pull request that an entry of its timeline has. */
export interface EntryText {
  readonly id: number
  /** Who wrote it. */
  readonly actorId: UserId
  readonly body: string
}

/** The transaction of a change, and who makes it. */
interface TextChange {
  readonly tx: Tx
  readonly actor: Actor
  readonly repo: Repo
  readonly issue: Issue
  readonly at: number
}

export interface TextReferenceDeps extends MentionDeps {
  readonly clock: Clock
  grammar(): ReferenceGrammar
}

export type TextReferences = ReturnType<typeof createTextReferences>

/**
 * Where later modules give texts that no event of comments creates or deletes, such as those of reviews
 * (behaviour/issues#references-keywords-mentions). An edit is given by the event `comment.edited`.
 */
export function createTextReferences(deps: TextReferenceDeps) {
  const { clock } = deps
  async function publishBy(change: TextChange, texts: readonly EntryText[], mentioned: Set<UserId>): Promise<void> {
    const { tx, repo, issue, at } = change
    const parsed = texts.map(({ id, body }) => ({
      source: { repo, issue, commentId: id },
      references: parseReferences(body, deps.grammar()),
      mentions: parseMentions(body),
    }))
    if (parsed.every(({ references, mentions }) => references.length + mentions.length === 0)) return
    const author = await loadAuthor(tx, change)
    if (author === undefined) return
    for (const { source, references, mentions } of parsed) {
      await writeReferences({ tx, author, at, clock }, { ...source, references, before: [] })
      const named = { ...source, mentions, except: mentioned }
      for (const userId of await writeMentions(deps, tx, change, named)) mentioned.add(userId)
    }
  }
  return {
    /** Texts that become known at once: writes what they refer to; each user whom they mention is notified once. */
    async publish(change: TextChange, texts: readonly EntryText[]): Promise<void> {
      const mentioned = new Set<UserId>()
      for (const [actorId, written] of Map.groupBy(texts, (text) => text.actorId)) {
        const actor = actorId === change.actor.account.id ? change.actor : actorOf(actorId)
        await publishBy({ ...change, actor }, written, mentioned)
      }
    },
    /** Neuters what deleted texts referred to. */
    async retract(change: TextChange, entryIds: readonly number[]): Promise<void> {
      const { tx, repo, issue, at } = change
      for (const commentId of entryIds) {
        const before = await listCrossReferences(tx, { issueId: issue.id, commentId })
        const author = before.length === 0 ? undefined : await loadAuthor(tx, change)
        if (author === undefined) continue
        await writeReferences({ tx, author, at, clock }, { repo, issue, commentId, references: [], before })
      }
    },
  }
}
