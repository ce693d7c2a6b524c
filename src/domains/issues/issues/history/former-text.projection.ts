import type { Tx } from '../../../../core/db/database.ts'
import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { insertFormerText, type TextOwner } from './former-text.store.ts'

/** Keeps the texts that edits replace (behaviour/issues#comments). */
export const formerTextProjections: Projections = {
  'issue.edited': (tx, { payload, actorId, at }) =>
    keepFormer(tx, { issueId: asId(payload.issue_id), commentId: undefined }, { body: payload.old_body, actorId, at }),
  'comment.edited': (tx, { payload, actorId, at }) =>
    keepFormer(
      tx,
      { issueId: asId(payload.issue_id), commentId: payload.comment_id },
      { body: payload.old_body, actorId, at },
    ),
}

interface Edit {
  /** Undefined if the edit did not change the text. */
  readonly body: string | undefined
  readonly actorId: number
  readonly at: number
}

async function keepFormer(tx: Tx, owner: TextOwner, { body, actorId, at }: Edit): Promise<void> {
  if (body !== undefined) await insertFormerText(tx, owner, { body, editor_id: actorId, replaced_at: at })
}
