import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { asId, type IssueId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { FormerTextTable } from '../issues.table.ts'

/** A text before it was edited. */
export interface FormerText {
  readonly body: string
  /** The account may have been deleted. */
  readonly editorId: UserId
  /** Epoch milliseconds. */
  readonly replacedAt: number
}

/** The comment, or the issue whose body it is. */
export interface TextOwner {
  readonly issueId: IssueId
  /** Undefined for the body of the issue. */
  readonly commentId: number | undefined
}

/** The maximum number of former texts stored for a comment or an issue. */
const KEPT_TEXTS = 100

const textsOf = (db: Db, { issueId, commentId }: TextOwner) =>
  db
    .selectFrom('former_text')
    .where('issue_id', '=', issueId)
    .where((eb) => (commentId === undefined ? eb('comment_id', 'is', null) : eb('comment_id', '=', commentId)))
    .orderBy('id', 'desc')

/** Newest first. */
export const listFormerTexts = (db: Db, owner: TextOwner, paging: Paging): Promise<Page<FormerText>> =>
  selectPage(textsOf(db, owner).selectAll(), paging, (row) => ({
    body: row.body,
    editorId: asId<UserId>(row.editor_id),
    replacedAt: row.replaced_at,
  }))

export async function insertFormerText(
  tx: Tx,
  owner: TextOwner,
  values: Pick<Insertable<FormerTextTable>, 'body' | 'editor_id' | 'replaced_at'>,
): Promise<void> {
  await insertion(tx, { issue_id: owner.issueId, comment_id: owner.commentId ?? null, ...values })
  const [last] = await firstForgotten(tx, owner)
  if (last !== undefined) await tx.deleteFrom('former_text').where('id', '=', last.id).execute()
}

const insertion = defineQuery((db, row: Insertable<FormerTextTable>) => db.insertInto('former_text').values(row))

const firstForgotten = defineQuery((db, owner: TextOwner) =>
  textsOf(db, owner).select('id').offset(KEPT_TEXTS).limit(1),
)
