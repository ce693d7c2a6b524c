import { sql } from 'kysely'
import type { Schema } from './_helpers.ts'

const NEW_NAMES: Readonly<Record<string, string>> = {
  'mail.spread': 'mail.fan_out',
  'merges.follow': 'merges.follow_up',
  'merges.settle': 'merges.recover',
  'notifications.spread': 'notifications.fan_out',
  'pulls.follow_branch': 'pulls.sync_branch',
  'reviews.follow_head': 'reviews.sync_head',
  'suggestions.settle': 'suggestions.recover',
}

/** Pending jobs get the new names of their kinds. */
export async function renameJobs({ db }: Schema): Promise<void> {
  for (const [from, to] of Object.entries(NEW_NAMES))
    await sql`update job set kind = ${to} where kind = ${from}`.execute(db)
}
