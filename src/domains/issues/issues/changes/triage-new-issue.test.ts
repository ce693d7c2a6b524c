import { insertLabel } from '../../../../../test/harness/rows.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemActor, viewerOfAccount } from '../../../../core/access/viewer.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { countTriage } from './triage-new-issue.ts'
import { findLabel } from '../../labels/label.store.ts'
import type { Repo } from '../../../repositories/index.ts'
import { freshCore, type TestCore } from '../../../../../test/harness/core.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'

describeOnBoth('the plan of a new issue', (kind) => {
  let db: TestCore
  let repo: Repo
  beforeAll(async () => {
    db = await freshCore(kind)
    const email = 'ann@example.com'
    const ann = await db.core.users.create(systemActor, { name: 'ann', email, password: 'Corr3ct-horse!' })
    repo = await db.core.repos.create(viewerOfAccount(ann), ann, { name: 'a' })
  }, 60_000)
  afterAll(() => db.close())

  it('loses the labels and the milestone that were deleted since it was found', async () => {
    const make = (name: string) =>
      db.database.transaction((tx) =>
        insertLabel(
          tx,
          { repoId: repo.id },
          { name, color: 'aabbcc', description: '', is_exclusive: 0, archived_at: 0 },
          1,
        ),
      )
    const [kept, deleted] = [await make('kept'), await make('deleted')]
    const milestone = await db.core.milestones.create(systemActor, repo.id, { title: 'v1' })
    await db.database.transaction((tx) => tx.deleteFrom('label').where('id', '=', deleted.id).execute())
    const plan = { labels: [deleted, kept], assignees: [] }
    const count = (milestoneId: number) =>
      db.database.transaction((tx) =>
        countTriage(tx, repo, { ...plan, milestoneId: asId(milestoneId) }, { isClosed: false, at: 1 }),
      )
    expect(await count(milestone.id)).toEqual({
      labels: [kept],
      assignees: [],
      milestone: { ...milestone, openIssues: 1 },
    })
    expect(await count(milestone.id + 1)).toEqual({ labels: [kept], assignees: [], milestone: undefined })
    expect(await findLabel(db.database.read, { repoId: repo.id }, kept.id)).toEqual(kept)
  })
})
