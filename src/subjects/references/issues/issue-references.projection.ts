import type { Tx } from '../../../db/database.ts'
import type { AppendedEvent, Projections } from '../../../events/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import { asId } from '../../../platform/crypto/ids.ts'
import { deleteReferencesOfIssue, deleteReferencesOfRepos, findIssueById } from '../../issues/index.ts'
import { findRepoById } from '../../repos/index.ts'
import { loadAuthor } from '../load-author.ts'
import type { ReferenceGrammar } from '../parsing/parse-references.ts'
import { writeReferences } from './write-references.ts'

interface ReferenceProjectionDeps {
  readonly clock: Clock
  grammar(): ReferenceGrammar
}

/** Timeline entries of what titles and bodies refer to; deletes those of what is deleted. */
export function issueReferenceProjections({ clock, grammar }: ReferenceProjectionDeps): Projections {
  const write = async (
    tx: Tx,
    event: AppendedEvent<'issue.created' | 'issue.edited'>,
    isEdited: boolean,
  ): Promise<void> => {
    const author = await loadAuthor(tx, event)
    const issue = author && (await findIssueById(tx, asId(event.payload.issue_id)))
    const repo = issue && (await findRepoById(tx, issue.repoId))
    if (author === undefined || issue === undefined || repo === undefined) return
    await writeReferences(
      { tx, author, at: event.at, grammar: grammar(), clock },
      { repo, issue, commentId: 0, texts: [issue.title, issue.body], isEdited },
    )
  }
  return {
    'issue.created': (tx, event) => write(tx, event, false),
    'issue.edited': (tx, event) => write(tx, event, true),
    'issue.deleting': (tx, { payload }) => deleteReferencesOfIssue(tx, asId(payload.issue_id)),
    'repo.deleting': (tx, { repoId }) => deleteReferencesOfRepos(tx, { id: asId(repoId) }),
    'user.deleting': (tx, { payload }) => deleteReferencesOfRepos(tx, { ownerId: asId(payload.user_id) }),
  }
}
