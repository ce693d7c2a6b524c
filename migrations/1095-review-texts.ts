import { sql } from 'kysely'
import type { Schema } from './_helpers.ts'

interface Entry {
  readonly id: number
  readonly issue_id: number
  readonly repo_id: number
  readonly body: string
}

const BATCH = 500

/** Makes comments of reviews and texts of reviews that were written before searchable. */
export async function indexReviewTexts({ db }: Schema): Promise<void> {
  for (let after = 0; ;) {
    const { rows } = await sql<Entry>`select id, issue_id, repo_id, body from timeline_entry
      where id > ${after} and kind in ('code', 'review') and body <> '' order by id limit ${BATCH}`.execute(db)
    for (const { id, issue_id: issueId, repo_id: repoId, body } of rows) {
      const text = folded(body)
      if (text.trim() !== '')
        await sql`insert into issue_text (issue_id, part, repo_id, text) values (${issueId}, ${id}, ${repoId}, ${text})
          on conflict (issue_id, part) do nothing`.execute(db)
    }
    if (rows.length < BATCH) return
    after = rows.at(-1)!.id
  }
}

/** As `foldText` was when this was written. */
const folded = (text: string): string => text.replaceAll('\0', '').toWellFormed().toLowerCase().replaceAll('ς', 'σ')
