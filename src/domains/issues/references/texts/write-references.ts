import { restrictionOf } from '../../../../core/access/authorize.ts'
import { isRepoAdmin } from '../../../../core/access/repo-access.ts'
import { type SignedIn, type Actor, actorOf } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { IssueId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { canEditIssue } from '../../issues/issue.policy.ts'
import { insertEntries } from '../../issues/timeline/timeline-entry.store.ts'
import { type Issue, listIssuesByIds, touchIssues } from '../../issues/records/issue.store.ts'
import { updateReferenceActions } from '../../issues/timeline/timeline.store.ts'
import type { Repo } from '../../../repositories/index.ts'
import { findReferred, loadTargets, mayActOn, type Target } from '../closing-references.ts'
import {
  type IssueReference,
  type KeywordAction,
  parseMentions,
  parseReferences,
  type ReferenceGrammar,
} from '../parsing/parse-references.ts'
import {
  type CrossReference,
  deleteCrossReferences,
  putCrossReference,
  listCrossReferences,
} from '../records/records.store.ts'
import { decideAction } from '../reference.policy.ts'
import { loadAuthor } from '../load-author.ts'
import { type MentionDeps, writeMentions } from '../mentions/write-mentions.ts'

/** The text of an issue, a pull request or a comment on one. */
export interface SourceText {
  readonly repo: Repo
  readonly issue: Issue
  /** 0 for title and body of the issue. */
  readonly commentId: number
  /** The references in the text. */
  readonly references: readonly IssueReference[]
  /** The references before the edit. */
  readonly before: readonly CrossReference[]
}

export interface Writing {
  readonly tx: Tx
  readonly author: SignedIn
  /** Epoch milliseconds. */
  readonly at: number
  readonly clock: Clock
}

/**
 * Updates the entries in the timelines of other issues to the references of a text: adds missing ones, and clears the
 * effect of those that the text no longer contains. Ignores references to issues that the author may not read or is
 * blocked from.
 */
export async function writeReferences(writing: Writing, source: SourceText): Promise<void> {
  const { tx, author } = writing
  const id = { issueId: source.issue.id, commentId: source.commentId }
  const { before, references } = source
  if (before.length === 0 && references.length === 0) return
  const referred = await findReferred(tx, source.repo, references)
  referred.delete(source.issue.id)
  const known = new Map(before.map((reference) => [reference.issueId, reference]))
  const removed = before.filter(({ issueId }) => !referred.has(issueId))
  const earlier = await listIssuesByIds(
    tx,
    removed.map(({ issueId }) => issueId),
  )
  const issues = [...[...referred.values()].map(({ issue }) => issue), ...earlier]
  const targets = await loadTargets(tx, { author, from: source.repo }, issues)
  await neuterReferences(writing, removed, targets)
  await deleteCrossReferences(
    tx,
    id,
    removed.map(({ issueId }) => issueId),
  )
  for (const [issueId, { reference }] of referred) {
    const target = targets.get(issueId)
    if (target?.mayRefer === true) await writeReference(writing, source, { target, keyword: reference.action, known })
  }
}

async function neuterReferences(
  writing: Writing,
  references: readonly CrossReference[],
  targets: ReadonlyMap<IssueId, Target>,
): Promise<void> {
  for (const { issueId, entryId } of references) {
    const at = timeIn(writing, targets.get(issueId))
    await touchIssues(writing.tx, [issueId], at)
    await updateReferenceActions(writing.tx, [entryId], 'neutered', at)
  }
}

/**
 * A time that an administrator chose applies to the repositories that they administer
 * (behaviour/issues#rules-of-updated_at).
 */
const timeIn = ({ at, clock }: Writing, target: Target | undefined): number =>
  target !== undefined && isRepoAdmin(target.access) ? at : clock.now()

interface Wanted {
  readonly target: Target
  readonly keyword: KeywordAction
  /** The references of the text before the edit. */
  readonly known: ReadonlyMap<IssueId, CrossReference>
}

async function writeReference(writing: Writing, source: SourceText, { target, keyword, known }: Wanted): Promise<void> {
  const { tx, author } = writing
  const { issue, access } = target
  const action = decideAction(keyword, {
    source: { repoId: source.repo.id, isPull: source.issue.isPull, isComment: source.commentId !== 0 },
    target: issue,
    mayClose: canEditIssue(author, access, issue) && mayActOn(author, issue, { repo: target.repo, from: source.repo }),
  })
  const before = known.get(issue.id)
  if (before?.action === action) return
  const at = timeIn(writing, target)
  if ((await touchIssues(tx, [issue.id], at)).length === 0) return
  const entryId = before?.entryId ?? (await insertReferenceEntry(writing, source, { issue, action, at }))
  if (before !== undefined) await updateReferenceActions(tx, [entryId], action, at)
  const id = { issueId: source.issue.id, commentId: source.commentId }
  const by = { authorId: author.account.id, restriction: restrictionOf(author) }
  await putCrossReference(tx, id, { issueId: issue.id, entryId, action, ...by })
}

async function insertReferenceEntry(
  { tx, author }: Writing,
  source: SourceText,
  { issue, action, at }: { readonly issue: Issue; readonly action: KeywordAction; readonly at: number },
): Promise<number> {
  const { commentId } = source
  const entry =
    commentId === 0
      ? ({ kind: source.issue.isPull ? 'pull_ref' : 'issue_ref', payload: { action } } as const)
      : ({ kind: 'comment_ref', payload: { action, commentId } } as const)
  const origin = { issue, actorId: author.account.id, at }
  const [inserted] = await insertEntries(tx, origin, [{ ...entry, targetId: source.issue.id }])
  return inserted!.id
}

/** A timeline entry's text on a pull request. */
export interface EntryText {
  readonly id: number
  /** The author of the text. */
  readonly actorId: UserId
  readonly body: string
}

/** The transaction and the actor of a change. */
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
 * Entry point of later modules for texts that no comment event creates or deletes, such as those of reviews
 * (behaviour/issues#references-keywords-mentions). Edits are reported by the event `comment.edited`.
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
    /** Writes the references of texts that are published together; each mentioned user is notified once. */
    async publish(change: TextChange, texts: readonly EntryText[]): Promise<void> {
      const mentioned = new Set<UserId>()
      for (const [actorId, written] of Map.groupBy(texts, (text) => text.actorId)) {
        const actor = actorId === change.actor.account.id ? change.actor : actorOf(actorId)
        await publishBy({ ...change, actor }, written, mentioned)
      }
    },
    /** Clears the effect of the references of deleted texts. */
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
