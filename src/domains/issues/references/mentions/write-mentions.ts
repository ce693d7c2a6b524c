import type { Tx } from '../../../../core/db/database.ts'
import type { AppendedEvent, Events } from '../../../../core/events/index.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { insertMentions } from '../../issues/records/issue-mention.store.ts'
import type { Issue } from '../../issues/records/issue.store.ts'
import type { IssueNotices } from '../../issues/changes/issue-change.ts'
import { issuePayload } from '../../issues/issues.events.ts'
import { unitOf } from '../../issues/issue.policy.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Mention } from '../parsing/parse-references.ts'
import { listMentionedUsers } from './mentioned-users.store.ts'

export interface MentionDeps {
  readonly events: Events
  readonly notices: IssueNotices
}

interface NewText {
  readonly repo: Repo
  readonly issue: Issue
  /** 0 for the body of the issue. */
  readonly commentId: number
  /** The mentions in the text. */
  readonly mentions: readonly Mention[]
  /** Users whom the same change has already notified. */
  readonly except?: ReadonlySet<UserId>
}

/** Records and notifies the users whom a new text of the actor mentions. Returns them. */
export async function writeMentions(
  { events, notices }: MentionDeps,
  tx: Tx,
  { actor, at }: Pick<AppendedEvent, 'actor' | 'at'>,
  { repo, issue, commentId, mentions, except }: NewText,
): Promise<readonly UserId[]> {
  if (mentions.length === 0) return []
  const authorId = asId<UserId>(actor.account.id)
  const audience = { repo, unit: unitOf(issue), authorId }
  const named = await listMentionedUsers(tx, mentions, audience)
  const userIds = named.filter((id) => except?.has(id) !== true)
  if (userIds.length === 0) return []
  await insertMentions(tx, issue, userIds)
  await notices.run(tx, {
    repo,
    issue,
    actorId: authorId,
    userIds,
    reason: 'mentioned',
    ...(commentId !== 0 && { commentId }),
  })
  const payload = { ...issuePayload(issue), comment_id: commentId, user_ids: [...userIds] }
  await events.append(tx, 'issue.mentioned', { actor, repoId: repo.id, at }, payload)
  return userIds
}
