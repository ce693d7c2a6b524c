import type { Tx } from '../../../db/database.ts'
import type { AppendedEvent, Events, Projections } from '../../../events/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import { asId } from '../../../platform/crypto/ids.ts'
import {
  deleteReferencesOfIssue,
  deleteReferencesOfRepos,
  findEntry,
  findIssueById,
  type Issue,
  type IssueNotices,
} from '../../issues/index.ts'
import { findRepoById } from '../../repos/index.ts'
import { loadAuthor } from '../load-author.ts'
import { writeMentions } from '../mentions/write-mentions.ts'
import type { ReferenceGrammar } from '../parsing/parse-references.ts'
import { writeReferences } from './write-references.ts'

interface TextProjectionDeps {
  readonly clock: Clock
  readonly events: Events
  readonly notices: Pick<IssueNotices, 'notify'>
  grammar(): ReferenceGrammar
}

type IssueTextEvent = 'issue.created' | 'issue.edited'
type CommentTextEvent = 'comment.created' | 'comment.deleted' | 'comment.edited'

interface Written {
  /** 0 for title and body of the issue. */
  readonly commentId: number
  /** The last one may mention users. */
  texts(issue: Issue): readonly string[] | Promise<readonly string[]>
}

/**
 * Timeline entries of what issues and comments refer to, and the users whom they mention, in the transaction of the
 * change. Deletes the entries of what is deleted.
 */
export function textProjections(deps: TextProjectionDeps): Projections {
  const write = async (
    tx: Tx,
    event: AppendedEvent<CommentTextEvent | IssueTextEvent>,
    { commentId, texts: read }: Written,
  ): Promise<void> => {
    const author = await loadAuthor(tx, event)
    const issue = author && (await findIssueById(tx, asId(event.payload.issue_id)))
    const repo = issue && (await findRepoById(tx, issue.repoId))
    if (author === undefined || issue === undefined || repo === undefined) return
    const texts = await read(issue)
    const isCreated = event.kind === 'issue.created' || event.kind === 'comment.created'
    const writing = { tx, author, at: event.at, grammar: deps.grammar(), clock: deps.clock }
    await writeReferences(writing, { repo, issue, commentId, texts, isEdited: !isCreated })
    if (!isCreated) return
    await writeMentions(deps, tx, event, { repo, issue, commentId, author: author.account, text: texts.at(-1)! })
  }
  const ofIssue = (tx: Tx, event: AppendedEvent<IssueTextEvent>): Promise<void> =>
    write(tx, event, { commentId: 0, texts: ({ title, body }) => [title, body] })
  const ofComment = (tx: Tx, event: AppendedEvent<CommentTextEvent>): Promise<void> => {
    const commentId = event.payload.comment_id
    return write(tx, event, { commentId, texts: async () => [(await findEntry(tx, commentId))?.body ?? ''] })
  }
  return {
    'issue.created': ofIssue,
    'issue.edited': ofIssue,
    'comment.created': ofComment,
    'comment.edited': ofComment,
    'comment.deleted': (tx, event) => write(tx, event, { commentId: event.payload.comment_id, texts: () => [] }),
    'issue.deleting': (tx, { payload }) => deleteReferencesOfIssue(tx, asId(payload.issue_id)),
    'repo.deleting': (tx, { repoId }) => deleteReferencesOfRepos(tx, { id: asId(repoId) }),
    'user.deleting': (tx, { payload }) => deleteReferencesOfRepos(tx, { ownerId: asId(payload.user_id) }),
  }
}
