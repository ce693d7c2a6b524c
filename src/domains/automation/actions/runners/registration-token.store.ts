import type { Db, Tx } from '../../../../core/db/database.ts'
import { type ActionsPlace, placeColumns } from '../place.ts'

/** The active token of a place, encrypted. */
export async function findActiveToken(db: Db, place: ActionsPlace): Promise<string | undefined> {
  const { owner_id, repo_id } = placeColumns(place)
  const row = await db
    .selectFrom('action_registration_token')
    .select('sealed')
    .where('owner_id', owner_id === null ? 'is' : '=', owner_id)
    .where('repo_id', repo_id === null ? 'is' : '=', repo_id)
    .where('is_active', '=', 1)
    .executeTakeFirst()
  return row?.sealed
}

interface NewToken {
  readonly hash: string
  readonly sealed: string
  readonly at: number
}

/** Inserts nothing where another transaction has just made the active token of the place. */
export async function insertActiveToken(tx: Tx, place: ActionsPlace, { hash, sealed, at }: NewToken): Promise<void> {
  await tx
    .insertInto('action_registration_token')
    .values({ ...placeColumns(place), hash, sealed, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
