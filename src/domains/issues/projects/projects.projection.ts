import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { deleteCardsOfRepo, transferCards, updateCardState } from './cards/card.store.ts'

/** Changes the copies of issues, and takes issues from projects to which they cannot belong any longer. */
export const cardProjections: Projections = {
  'issue.closed': (tx, { payload }) => updateCardState(tx, asId(payload.issue_id), true),
  'issue.reopened': (tx, { payload }) => updateCardState(tx, asId(payload.issue_id), false),
  'issue.transferred': (tx, { payload }) => transferCards(tx, asId(payload.issue_id), asId(payload.repo_id)),
  'repo.transferred': (tx, { payload }) => deleteCardsOfRepo(tx, asId(payload.repo_id), asId(payload.old_owner_id)),
}
