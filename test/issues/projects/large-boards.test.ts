import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { queriesOf } from '../../harness/queries.ts'
import { createIssue, issueWorld } from '../issue-world.ts'

const DESK = '/repos/ann/desk'
const CARDS = 5000

describeOnBoth('a project of 5,000 issues', (on) => {
  const given = issueWorld({ on })

  it('is read in pages, with a fixed number of queries', async () => {
    const { ann, server } = given
    const { id } = (await ann.client.post(`${DESK}/projects`, { title: 'Large' })).json
    const [column] = (await ann.client.get(`${DESK}/projects/${id}/columns`)).json
    const path = `${DESK}/projects/${id}/columns/${column.id}/issues`
    const { database } = server.app
    const first = await createIssue(ann, { projects: [id] })
    const countQueries = async (to: string): Promise<number> => {
      const queries = await queriesOf(database, async () => {
        expect((await ann.client.get(to)).status).toBe(200)
      })
      return queries.length
    }
    await database.transaction(async (tx) => {
      const issue = await tx.selectFrom('issue').selectAll().where('id', '=', first.id).executeTakeFirstOrThrow()
      const card = await tx.selectFrom('project_issue').selectAll().executeTakeFirstOrThrow()
      for (let from = 1; from < CARDS; from += 500) {
        const numbers = Array.from({ length: Math.min(500, CARDS - from) }, (_, at) => from + at + 1)
        const { id: _, ...copied } = issue
        const rows = numbers.map((number) => ({ ...copied, number }))
        const made = await tx.insertInto('issue').values(rows).returning(['id', 'number']).execute()
        const cards = made.map((row) => ({ ...card, issue_id: row.id, sorting: row.number * 65_536 }))
        await tx.insertInto('project_issue').values(cards).execute()
      }
    })
    const page = await ann.client.get(`${path}?limit=50&page=100`)
    expect([page.json.length, page.headers.get('x-total-count')]).toEqual([50, String(CARDS)])
    expect(page.json.map((issue: Any) => issue.number)).toEqual(Array.from({ length: 50 }, (_, at) => CARDS - 49 + at))
    expect((await ann.client.get(`${DESK}/projects/${id}`)).json.num_issues).toBe(CARDS)
    // With one query per issue it would be more than 50.
    expect(await countQueries(`${path}?limit=50&page=2`)).toBeLessThan(25)
    expect(await countQueries(`${DESK}/projects/${id}`)).toBeLessThan(25)
    const moved = await ann.client.post(`${DESK}/projects/${id}/issues/${first.id}/move`, {
      column_id: column.id,
      sorting: 2500,
    })
    expect(moved.status).toBe(204)
    const around = (await ann.client.get(`${path}?limit=50&page=51`)).json.map((issue: Any) => issue.number)
    expect(around.slice(0, 3)).toEqual([first.number, 2502, 2503])
  })
})
