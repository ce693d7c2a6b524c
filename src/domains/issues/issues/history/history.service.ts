import type { Database } from '../../../../core/db/database.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { type FormerText, listFormerTexts, type TextOwner } from './former-text.store.ts'

export interface FormerTextView {
  readonly text: FormerText
  /** Undefined when the account was deleted. */
  readonly editor: User | undefined
}

/** Former texts of comments and issues. Callers check permissions. */
export interface TextHistory {
  /** Newest first. */
  list(owner: TextOwner, paging: Paging): Promise<Page<FormerTextView>>
}

export const createTextHistory = ({ read }: Database): TextHistory => ({
  async list(owner, paging) {
    const { items, total } = await listFormerTexts(read, owner, paging)
    const editors = await userQueries.listByIds(
      read,
      items.map((text) => text.editorId),
    )
    const byId = new Map(editors.map((user) => [user.id, user]))
    return { items: items.map((text) => ({ text, editor: byId.get(text.editorId) })), total }
  },
})
