import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemActor, viewerOfAccount } from '../../src/core/access/viewer.ts'
import { accessQueries } from '../../src/domains/repositories/index.ts'
import { findWrongCounters, insertLabel } from '../harness/rows.ts'
import { recountWrong } from '../../src/domains/operations/upkeep/recount.ts'
import { freshCore, type TestCore } from '../harness/core.ts'
import { describeOnBoth } from '../harness/databases.ts'

describeOnBoth('counters of issues', (kind) => {
  let db: TestCore
  beforeAll(async () => {
    db = await freshCore(kind)
    const email = 'ann@example.test'
    const ann = await db.core.users.create(systemActor, { name: 'ann', email, password: 'Corr3ct-horse!' })
    const viewer = viewerOfAccount(ann)
    const repo = await db.core.repos.create(viewer, ann, { name: 'a' })
    const milestone = await db.core.milestones.create(systemActor, repo.id, { title: 'v1' })
    const label = { name: 'bug', color: 'aabbcc', description: '', is_exclusive: 0, archived_at: 0 } as const
    const { id: labelId } = await db.database.transaction((tx) => insertLabel(tx, { repoId: repo.id }, label, 1))
    const access = await accessQueries.load(db.database.read, viewer, repo)
    for (const isClosed of [false, true, true])
      await db.core.issues.create(
        viewer,
        { repo, access },
        {
          title: 'One',
          body: '',
          ref: '',
          assignees: [],
          labelIds: [labelId],
          milestoneId: milestone.id,
          dueAt: undefined,
          isClosed,
        },
      )
  }, 60_000)
  afterAll(() => db.close())

  it('are right, and recounted if they are wrong', async () => {
    expect(await findWrongCounters(db.database.read)).toEqual([])
    const wrong = (table: 'issue' | 'label' | 'milestone' | 'repo', values: object) =>
      db.database.transaction((tx) =>
        tx
          .updateTable(table)
          .set(values as never)
          .where('id', '=', 1)
          .execute(),
      )
    await wrong('issue', { comments_count: 70 })
    await wrong('label', { issues_count: 70 })
    await wrong('milestone', { open_issues: 70, closed_issues: 71 })
    await wrong('repo', {
      open_issues_count: 70,
      closed_issues_count: 71,
      open_pulls_count: 72,
      closed_pulls_count: 73,
    })
    const found = await findWrongCounters(db.database.read)
    expect(found.map(({ table, column, stored }) => `${table} ${column} ${stored}`).toSorted()).toEqual([
      'issue comments_count 70',
      'label issues_count 70',
      'milestone closed_issues 71',
      'milestone open_issues 70',
      'repo closed_issues_count 71',
      'repo closed_pulls_count 73',
      'repo open_issues_count 70',
      'repo open_pulls_count 72',
    ])
    expect((await recountWrong(db.database)).wrong).toBe(8)
    expect(await findWrongCounters(db.database.read)).toEqual([])
  })
})
