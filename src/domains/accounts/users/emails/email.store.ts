import { type Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { containing } from '../../../../core/db/text-match.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { EmailAddressTable } from '../user.table.ts'

export interface EmailAddress {
  readonly id: number
  readonly userId: UserId
  readonly email: string
  /** The user has confirmed the address. */
  readonly isActivated: boolean
  readonly isPrimary: boolean
}

export type OwnedEmailAddress = EmailAddress & { readonly userName: string }

function toEmail(row: Selectable<EmailAddressTable>): EmailAddress {
  return {
    id: row.id,
    userId: asId(row.user_id),
    email: row.email,
    isActivated: row.is_activated === 1,
    isPrimary: row.is_primary === 1,
  }
}

/** All of a user's addresses, oldest first. */
export async function listEmails(db: Db, userId: UserId): Promise<EmailAddress[]> {
  const rows = await db.selectFrom('email_address').selectAll().where('user_id', '=', userId).orderBy('id').execute()
  return rows.map(toEmail)
}

/** Individuals by their confirmed addresses in lower case. */
export async function listConfirmedEmails(db: Db, limit: number): Promise<ReadonlyMap<string, UserId>> {
  const rows = await db
    .selectFrom('email_address')
    .innerJoin('user', 'user.id', 'email_address.user_id')
    .select(['email_address.lower_email', 'email_address.user_id'])
    .where('user.kind', '=', 'individual')
    .where('email_address.is_activated', '=', 1)
    .orderBy('email_address.id')
    .limit(limit)
    .execute()
  return new Map(rows.map((row) => [row.lower_email, asId<UserId>(row.user_id)]))
}

export async function findEmail(db: Db, email: string): Promise<EmailAddress | undefined> {
  const row = await db
    .selectFrom('email_address')
    .selectAll()
    .where('lower_email', '=', email.toLowerCase())
    .executeTakeFirst()
  return row && toEmail(row)
}

/** Addresses of all individuals by address; `keyword` matches a part of login, full name or address. */
export async function searchEmails(db: Db, keyword: string, paging: Paging): Promise<Page<OwnedEmailAddress>> {
  const query = db
    .selectFrom('email_address')
    .innerJoin('user', 'user.id', 'email_address.user_id')
    .where('user.kind', '=', 'individual')
    .$if(keyword !== '', (q) =>
      q.where((eb) =>
        eb.or([
          containing(eb.ref('email_address.lower_email'), keyword),
          containing(eb.ref('user.search_text'), keyword),
        ]),
      ),
    )
  return selectPage(
    query.selectAll('email_address').select('user.name').orderBy('lower_email'),
    paging,
    (row): OwnedEmailAddress => ({ ...toEmail(row), userName: row.name }),
  )
}

export async function isEmailTaken(db: Db, email: string): Promise<boolean> {
  return (await findEmail(db, email)) !== undefined
}

export async function insertEmail(
  tx: Tx,
  userId: UserId,
  email: string,
  options: { isPrimary: boolean; isActivated: boolean },
): Promise<void> {
  const flags = {
    is_primary: options.isPrimary ? (1 as const) : (0 as const),
    is_activated: options.isActivated ? (1 as const) : (0 as const),
  }
  await tx
    .insertInto('email_address')
    .values({ user_id: userId, email, lower_email: email.toLowerCase(), ...flags })
    .execute()
}

/** Inserts a secondary, activated address; returns false when an account already has it. */
export async function claimEmail(tx: Tx, userId: UserId, email: string): Promise<boolean> {
  const row = await tx
    .insertInto('email_address')
    .values({ user_id: userId, email, lower_email: email.toLowerCase(), is_primary: 0, is_activated: 1 })
    .onConflict((conflict) => conflict.column('lower_email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The other addresses of the user become secondary ones. */
export async function setPrimaryEmail(tx: Tx, userId: UserId, email: string): Promise<void> {
  await tx.updateTable('email_address').set({ is_primary: 0 }).where('user_id', '=', userId).execute()
  await tx
    .updateTable('email_address')
    .set({ is_primary: 1, email })
    .where('user_id', '=', userId)
    .where('lower_email', '=', email.toLowerCase())
    .execute()
}

export async function deleteEmail(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('email_address').where('id', '=', id).execute()
}
