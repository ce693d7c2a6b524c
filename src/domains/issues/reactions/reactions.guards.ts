import { type Guard, nested } from '../../../core/http/guards/guard.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { canWriteIssue, isComment } from '../issues/issue.policy.ts'
import type { IssueInView } from '../issues/views.ts'
import type { Guards } from '../../../core/module.ts'
import type { ReactionTarget } from './reactions.service.ts'

type EntryInView = IssueInView & { readonly entry: Parameters<typeof isComment>[0] }
type TargetInView = IssueInView & Pick<ReactionTarget, 'comment'>

/** Targets of reactions: `read` finds one, `change` also refuses accounts that a lock excludes. */
export interface ReactionGuards {
  readonly read: Guard<TargetInView>
  readonly change: Guard<TargetInView>
}

const requireUnlocked = ({ issue, access }: IssueInView): void => {
  if (issue.isLocked && !canWriteIssue(access, issue)) throw forbidden('no permission to change reaction')
}

/** `{owner}/{repo}` and its issue `{index}`. */
export function issueReactionGuards({ issue: guard }: Pick<Guards, 'issue'>): ReactionGuards {
  const resolve = () => ({ comment: undefined })
  return {
    read: nested(guard('read'), { resolve }),
    change: nested(guard('read', { needsUser: true }), { resolve, decide: requireUnlocked }),
  }
}

/** `{owner}/{repo}` and the comment `{id}` of one of its issues. */
export function commentReactionGuards({ comment: guard }: Pick<Guards, 'comment'>): ReactionGuards {
  const resolve = ({ entry }: EntryInView) => {
    if (!isComment(entry)) throw errors.commentNotFound()
    return { comment: { id: entry.id, authorId: entry.actorId } }
  }
  return {
    read: nested(guard('read'), { resolve }),
    change: nested(guard('read', { needsUser: true }), { resolve, decide: requireUnlocked }),
  }
}
