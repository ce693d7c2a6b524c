import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AppendedEvent, EventLog, type NewEvent } from '../../../src/core/events/index.ts'
import type { Issue } from '../../../src/domains/issues/index.ts'
import { mergeQueueEvents } from '../../../src/domains/pulls/merge-queue/merge-queue.events.ts'
import { topicEvents } from '../../../src/domains/repositories/topics/topics.events.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'
import { statementsOf } from '../../harness/statements.ts'

const kind = 'repo.topics_changed'
const origin = { actor: { account: { id: 0 } }, repoId: 1, at: 1 }
const named = (name: string): NewEvent => ({ kind, payload: { repo_id: 1, topics: [name] } })

describeOnBoth('events that are appended at once', (on) => {
  let db: TestDatabase
  const seen: [id: number, name: string][] = []
  const events = new EventLog({ validatePayloads: true })
  events.install([
    {
      name: 'topics',
      events: topicEvents,
      projections: {
        [kind]: async (tx, { id, payload }: AppendedEvent<typeof kind>) => {
          const name = payload.topics[0]!
          seen.push([id, name])
          if (name === 'first') await events.appendAll(tx, origin, [named('of the first')])
        },
      },
    },
  ])
  beforeAll(async () => {
    db = await freshDatabase(on)
  })
  afterAll(() => db.close())

  it('have ascending ids in the order given, before what their projections append', async () => {
    const sent = await statementsOf(db.database, () =>
      db.database.transaction((tx) => events.appendAll(tx, origin, ['first', 'second', 'third'].map(named))),
    )
    expect(sent.filter((text) => text.startsWith('insert into "event"'))).toHaveLength(2)
    const written = await db.database.read.selectFrom('event').selectAll().orderBy('id').execute()
    const names = written.map(({ payload }) => (JSON.parse(payload) as { topics: string[] }).topics[0])
    expect(names).toEqual(['first', 'second', 'third', 'of the first'])
    const [first, second, third, ofTheFirst] = written.map(({ id }) => id)
    expect(seen).toEqual([
      [first, 'first'],
      [ofTheFirst, 'of the first'],
      [second, 'second'],
      [third, 'third'],
    ])
  })

  it('hand the entities to projections and do not store them', async () => {
    const handed: unknown[] = []
    const own = new EventLog({ validatePayloads: true })
    own.install([
      {
        name: 'merge-queue',
        events: mergeQueueEvents,
        projections: { 'merge_queue.left': async (_, { entities }) => void handed.push(entities.issue) },
      },
    ])
    const issue = { id: 7, title: 'One' } as unknown as Issue
    const ids = { repo_id: 1, issue_id: 7, number: 1, pull_id: 1 }
    const payload = { ...ids, branch: 'main', reason: 'failed', is_failure: true }
    await db.database.transaction((tx) =>
      own.append(tx, 'merge_queue.left', { ...origin, entities: { issue } }, payload),
    )
    expect(handed).toEqual([issue])
    const stored = db.database.read.selectFrom('event').select('payload').where('kind', '=', 'merge_queue.left')
    expect((await stored.execute()).map((row) => JSON.parse(row.payload) as unknown)).toEqual([payload])
  })

  it('append nothing for an empty list, or if one of them is invalid', async () => {
    const before = await db.database.read.selectFrom('event').selectAll().execute()
    await db.database.transaction((tx) => events.appendAll(tx, origin, []))
    const wrong = { kind, payload: { repo_id: 1, topics: 'x' } } as never
    const append = db.database.transaction((tx) => events.appendAll(tx, origin, [named('fourth'), wrong]))
    await expect(append).rejects.toThrow('the payload of repo.topics_changed is invalid')
    expect(await db.database.read.selectFrom('event').selectAll().execute()).toEqual(before)
  })
})
