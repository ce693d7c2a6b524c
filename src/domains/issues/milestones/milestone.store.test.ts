import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemActor, viewerOfAccount } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { asId, type MilestoneId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import {
  type Milestone,
  addToMilestoneCounters,
  countInMilestone,
  listMilestoneIdsNamed,
  listMilestonesByIds,
} from './milestone.store.ts'
import { MilestoneModel, milestoneQueries } from '../index.ts'
import { presentMilestone } from './milestone.present.ts'
import { defineModule, type Services } from '../../../core/module.ts'
import { freshCore, type TestCore } from '../../../../test/harness/core.ts'
import { describeOnBoth } from '../../../../test/harness/databases.ts'

describeOnBoth('milestones for other modules', (kind) => {
  let db: TestCore
  let milestones: Services['milestones']
  const repos: RepoId[] = []
  /** What the projection of a later module does when a milestone is about to be deleted. */
  let onDeleting: (tx: Tx, repoId: RepoId, id: MilestoneId) => Promise<void> = async () => {}

  beforeAll(async () => {
    const later = defineModule({
      name: 'later',
      needs: ['milestones'],
      create: () => ({
        projections: {
          'milestone.deleting': (tx, { payload }) => onDeleting(tx, asId(payload.repo_id), asId(payload.milestone_id)),
        },
      }),
    })
    db = await freshCore(kind, { extraModules: [later] })
    milestones = db.core.milestones
    const email = 'ann@example.test'
    const ann = await db.core.users.create(systemActor, { name: 'ann', email, password: 'Corr3ct-horse!' })
    for (const name of ['a', 'b']) repos.push((await db.core.repos.create(viewerOfAccount(ann), ann, { name })).id)
  }, 60_000)
  afterAll(() => db.close())

  const create = (title: string, repo = repos[0]!): Promise<Milestone> =>
    milestones.create(systemActor, repo, { title })
  const read = (id: MilestoneId) => milestoneQueries.find(db.database.read, repos[0]!, id)

  it('are found in their repository, and listed by id in any', async () => {
    const [one, two] = [await create('one'), await create('two', repos[1])]
    expect(await read(one.id)).toEqual(one)
    expect(await read(two.id)).toBeUndefined()
    const ids = [two.id, one.id, two.id, asId<MilestoneId>(987_654)]
    const found = await listMilestonesByIds(db.database.read, ids)
    expect(new Map(found)).toEqual(
      new Map([
        [one.id, one],
        [two.id, two],
      ]),
    )
    expect((await listMilestonesByIds(db.database.read, [])).size).toBe(0)
    expect(presentMilestone(one)).toMatchObject({ id: one.id, title: 'one', state: 'open' })
    expect(Object.keys(presentMilestone(one))).toEqual(Object.keys(MilestoneModel.properties))
  })

  it('are named by their title, else by their id', async () => {
    const [first, again] = [await create('v1'), await create('v1')]
    const number = await create(String(first.id))
    const foreign = await create('elsewhere', repos[1])
    const named = (...words: string[]) => listMilestoneIdsNamed(db.database.read, repos[0]!, words)
    expect(await named('v1')).toEqual([first.id, again.id])
    expect(await named(String(again.id))).toEqual([again.id])
    expect(await named(String(first.id))).toEqual([number.id])
    expect(await named(String(again.id), 'v1', 'none')).toEqual([first.id, again.id])
    expect(await named(String(first.id), 'v1', String(number.id))).toEqual([first.id, again.id, number.id])
    for (const words of [[], [''], ['V1'], ['none', '0', '-1'], ['elsewhere', String(foreign.id)]])
      expect(await named(...words), words.join()).toEqual([])
  })

  it('are counted right by many transactions at once', async () => {
    const [one, two] = [await create('c1'), await create('c2')]
    const close = { open: -1, closed: 1 }
    const add = (...changes: [MilestoneId, { open: number; closed: number }][]) =>
      db.database.transaction((tx) => addToMilestoneCounters(tx, new Map(changes)))
    await add([one.id, { open: 20, closed: 0 }], [two.id, { open: 20, closed: 5 }])
    await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        turn % 2 === 0 ? add([one.id, close], [two.id, close]) : add([two.id, close], [one.id, close]),
      ),
    )
    expect(await read(one.id)).toEqual({ ...one, openIssues: 10, closedIssues: 10 })
    expect(await read(two.id)).toEqual({ ...two, openIssues: 10, closedIssues: 15 })
  })

  it('are not counted when they are deleted in the meantime', async () => {
    const { id } = await create('brief')
    await milestones.delete(systemActor, repos[0]!, 'brief')
    const late = db.database.transaction((tx) => addToMilestoneCounters(tx, new Map([[id, { open: 1, closed: 0 }]])))
    await expect(late).rejects.toSatisfy((error) => isDomainError(error, 'conflict'))
  })

  it('are counted one by one only in their repository', async () => {
    const one = await create('single')
    const count = (repoId: RepoId, at: number) =>
      db.database.transaction((tx) => countInMilestone(tx, { repoId, id: one.id }, { open: 1, closed: 2 }, at))
    const counted = { ...one, openIssues: 1, closedIssues: 2 }
    expect(await count(repos[0]!, one.updatedAt - 1)).toEqual(counted)
    expect(await count(repos[1]!, one.updatedAt + 1)).toBeUndefined()
    expect(await read(one.id)).toEqual(counted)
  })

  it('are not updated before the last update', async () => {
    const [one, two] = [await create('t1'), await create('t2')]
    const none = { open: 0, closed: 0 }
    const changes = new Map([one, two].map(({ id }) => [id, none]))
    const touch = (at?: number) => db.database.transaction((tx) => addToMilestoneCounters(tx, changes, at))
    const later = Math.max(one.updatedAt, two.updatedAt) + 5000
    await touch(1)
    expect([await read(one.id), await read(two.id)]).toEqual([one, two])
    await touch(later)
    await touch(later - 1)
    await touch()
    expect(await read(one.id)).toEqual({ ...one, updatedAt: later })
    expect(await read(two.id)).toEqual({ ...two, updatedAt: later })
  })

  it('are deleted in the transaction that detaches what refers to them, or not at all', async () => {
    const made = await create('doomed')
    const seen: unknown[] = []
    onDeleting = async () => {
      throw new Error('cannot detach')
    }
    await expect(milestones.delete(systemActor, repos[0]!, 'doomed')).rejects.toThrow('cannot detach')
    expect(await read(made.id)).toEqual(made)
    onDeleting = async (tx, repoId, id) => void seen.push(await milestoneQueries.find(tx, repoId, id))
    await milestones.delete(systemActor, repos[0]!, 'doomed')
    expect(seen).toEqual([made])
    expect(await read(made.id)).toBeUndefined()
  })

  it('wait to be deleted until a transaction that counts them ends', async () => {
    const { id } = await create('busy')
    const seen: unknown[] = []
    onDeleting = async (tx, repoId) => void seen.push((await milestoneQueries.find(tx, repoId, id))?.openIssues)
    let counted = (): void => {}
    const isCounted = new Promise<void>((resolve) => (counted = resolve))
    const counting = db.database.transaction(async (tx) => {
      await addToMilestoneCounters(tx, new Map([[id, { open: 1, closed: 0 }]]))
      counted()
      await new Promise((resolve) => setTimeout(resolve, 100))
    })
    await isCounted
    await Promise.all([counting, milestones.delete(systemActor, repos[0]!, 'busy')])
    expect(seen).toEqual([1])
  })
})
