import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { AppendedEvent, Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { deleteReferencesOfIssue, deleteReferencesOfRepos } from '../../issues/timeline/timeline.store.ts'
import type { IssueNotices } from '../../issues/changes/issue-change.ts'
import { loadAuthor } from '../load-author.ts'
import { writeMentions } from '../mentions/write-mentions.ts'
import { parseMentions, parseReferences, type ReferenceGrammar } from '../parsing/parse-references.ts'
import { listCrossReferences } from '../records/records.store.ts'
import { writeReferences } from './write-references.ts'

interface TextProjectionDeps extends Pick<Core, 'clock' | 'events'> {
  readonly notices: IssueNotices
  grammar(): ReferenceGrammar
}

type IssueTextEvent = 'issue.created' | 'issue.edited'
type CommentTextEvent = 'comment.created' | 'comment.deleted' | 'comment.edited'

interface Written {
  /** 0 for title and body of the issue. */
  readonly commentId: number
  /** The texts to read; the last one may mention users. */
  readonly texts: readonly string[]
}

/**
 * Writes timeline entries for the references of issues and comments, and records mentioned users, in the transaction of
 * the change. Deletes the entries of deleted texts.
 */
export function textProjections(deps: TextProjectionDeps): Projections {
  const write = async (
    tx: Tx,
    event: AppendedEvent<CommentTextEvent | IssueTextEvent>,
    { commentId, texts }: Written,
  ): Promise<void> => {
    const { repo, issue } = event.entities
    const isCreated = event.kind === 'issue.created' || event.kind === 'comment.created'
    const references = texts.flatMap((text) => parseReferences(text, deps.grammar()))
    const before = isCreated ? [] : await listCrossReferences(tx, { issueId: issue.id, commentId })
    const mentions = isCreated ? parseMentions(texts.at(-1)!) : []
    // NOTE: most texts contain no references and need no further queries.
    if (references.length + before.length + mentions.length === 0) return
    const source = { repo, issue, commentId }
    if (references.length + before.length > 0) {
      const author = await loadAuthor(tx, event)
      if (author === undefined) return
      await writeReferences({ tx, author, at: event.at, clock: deps.clock }, { ...source, references, before })
    }
    await writeMentions(deps, tx, event, { ...source, mentions })
  }
  const ofIssue = (tx: Tx, event: AppendedEvent<IssueTextEvent>): Promise<void> =>
    write(tx, event, { commentId: 0, texts: [event.entities.issue.title, event.entities.issue.body] })
  const ofComment = (tx: Tx, event: AppendedEvent<CommentTextEvent>): Promise<void> =>
    write(tx, event, { commentId: event.entities.comment.id, texts: [event.entities.comment.body] })
  return {
    'issue.created': ofIssue,
    'issue.edited': ofIssue,
    'comment.created': ofComment,
    'comment.edited': ofComment,
    'comment.deleted': (tx, event) => write(tx, event, { commentId: event.payload.comment_id, texts: [] }),
    'issue.deleting': (tx, { payload }) => deleteReferencesOfIssue(tx, asId(payload.issue_id)),
    'repo.deleting': (tx, { repoId }) => deleteReferencesOfRepos(tx, { id: asId(repoId) }),
    'user.deleting': (tx, { payload }) => deleteReferencesOfRepos(tx, { ownerId: asId(payload.user_id) }),
  }
}
