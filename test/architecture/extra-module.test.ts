import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemActor } from '../../src/core/access/viewer.ts'
import type { Db, Tx } from '../../src/core/db/database.ts'
import type { PayloadsOf } from '../../src/core/events/index.ts'
import { created, ok } from '../../src/core/http/answer/answer.ts'
import { signedIn } from '../../src/core/http/guards/account.guards.ts'
import { defineOperation } from '../../src/core/http/operation.ts'
import { defineJob, type JobPayloadsOf } from '../../src/core/jobs/index.ts'
import { defineModule } from '../../src/core/module.ts'
import { startServer, type TestServer } from '../harness/server.ts'

/**
 * A module that this file alone defines: one table, one operation, one event with a projection and a subscription, one
 * job, one scheduled task and one check of the doctor. Nothing else in the repository knows it, which is what adding a
 * module must cost: one line in the list of src/app/modules.ts.
 */
interface GreetingTable {
  text: string
  state: 'new' | 'seen' | 'sent'
}

const greetingEvents = { 'greeting.said': Type.Object({ text: Type.String() }) }
const greetingJobs = { 'greeting.send': Type.Object({ text: Type.String() }) }

declare module '../../src/core/db/schema.ts' {
  interface Schema {
    greeting: GreetingTable
  }
}
declare module '../../src/core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof greetingEvents> {}
}
declare module '../../src/core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof greetingJobs> {}
}
declare module '../../src/core/module.ts' {
  interface Services {
    readonly greetings: { list(): Promise<string[]> }
  }
}

const listGreetings = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('greeting').selectAll().orderBy('text').execute()).map(({ text, state }) => `${text}: ${state}`)

const setState = async (tx: Tx, text: string, state: GreetingTable['state']): Promise<void> => {
  await tx.updateTable('greeting').set({ state }).where('text', '=', text).execute()
}

const Greeting = Type.Object({ text: Type.String() }, { $id: 'TestGreeting' })

const greetings = defineModule({
  name: 'greetings',
  needs: ['users'],
  create({ database, clock, events, jobs }, { users }) {
    return {
      services: { greetings: { list: () => listGreetings(database.read) } },
      operations: [
        defineOperation({
          id: 'testSayGreeting',
          method: 'POST',
          path: '/greetings',
          area: 'miscellaneous',
          summary: 'Say a greeting',
          guard: signedIn,
          body: Greeting,
          responses: { 201: Greeting },
          async handler({ viewer, body }) {
            const actor = viewer.kind === 'user' ? viewer : systemActor
            await database.transaction(async (tx) => {
              await tx.insertInto('greeting').values({ text: body.text, state: 'new' }).execute()
              await events.append(tx, 'greeting.said', { actor, repoId: 0, at: clock.now() }, body)
            })
            return created(body)
          },
        }),
        defineOperation({
          id: 'testCountUsers',
          method: 'GET',
          path: '/greetings/users',
          area: 'miscellaneous',
          summary: 'Count the users',
          guard: signedIn,
          responses: { 200: Type.Object({ count: Type.Integer() }) },
          handler: async () => ok({ count: await users.count() }),
        }),
      ],
      events: greetingEvents,
      projections: { 'greeting.said': (tx, { payload }) => setState(tx, payload.text, 'seen') },
      subscriptions: { 'greeting.said': (tx, { payload }) => jobs.enqueue(tx, 'greeting.send', payload) },
      jobs: {
        'greeting.send': defineJob(greetingJobs['greeting.send'], ({ text }) =>
          database.transaction((tx) => setState(tx, text, 'sent')),
        ),
      },
      tasks: [
        {
          name: 'greet_everyone',
          schedule: '0 0 * * *',
          start: (tx) => jobs.enqueue(tx, 'greeting.send', { text: 'hello' }),
        },
      ],
      checks: [
        {
          name: 'greetings',
          async *run() {
            for (const what of await listGreetings(database.read)) yield { what, state: 'note' as const }
          },
        },
      ],
    }
  },
})

describe('a module that one file defines', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ extraModules: [greetings] })
    await server.app.database.connections.write.schema
      .createTable('greeting')
      .addColumn('text', 'text')
      .addColumn('state', 'text')
      .execute()
  })
  afterAll(() => server.close())

  it('serves its operations to those its guard admits, with the services of earlier modules', async () => {
    const ann = await server.world.user('ann')
    expect((await server.anonymous.post('/greetings', { text: 'hello' })).status).toBe(401)
    expect((await ann.client.post('/greetings', {})).status).toBe(422)
    expect((await ann.client.post('/greetings', { text: 'hello' })).json).toEqual({ text: 'hello' })
    expect((await ann.client.get('/greetings/users')).json).toEqual({ count: 1 })
  })

  it('projects its event in the transaction, and runs its job after it', async () => {
    expect(await server.app.greetings.list()).toEqual(['hello: seen'])
    await server.drain()
    expect(await server.app.greetings.list()).toEqual(['hello: sent'])
  })

  it('schedules its task', async () => {
    await server.app.database.transaction((tx) => setState(tx, 'hello', 'new'))
    await server.app.background.schedule.run('greet_everyone')
    await server.drain()
    expect(await server.app.greetings.list()).toEqual(['hello: sent'])
  })

  it('is checked by the doctor', async () => {
    const check = server.app.checks.find(({ name }) => name === 'greetings')
    const findings: string[] = []
    for await (const { what } of check!.run({ fix: false, quick: false })) findings.push(what)
    expect(findings).toEqual(['hello: sent'])
  })
})

describe('composing modules', () => {
  const empty = defineModule({
    name: 'greetings',
    needs: [],
    create: () => ({ services: { greetings: { list: async () => [] } } }),
  })

  it('refuses a service that no earlier module provides', async () => {
    const early = defineModule({ name: 'early', needs: ['greetings'], create: () => ({}) })
    await expect(startServer({ extraModules: [early, empty] })).rejects.toThrow('the module early needs greetings')
  })

  it('refuses a service, an event, a job or a task that is declared twice', async () => {
    const twice = { ...greetings, name: 'twice' }
    await expect(startServer({ extraModules: [greetings, twice] })).rejects.toThrow('twice')
    const events = { ...empty, name: 'events', create: () => ({ events: { 'repo.topics_changed': Type.Object({}) } }) }
    await expect(startServer({ extraModules: [events] })).rejects.toThrow('repo.topics_changed')
  })

  it('refuses a handler of an event that no module declares', async () => {
    const deaf = defineModule({
      name: 'deaf',
      needs: [],
      create: () => ({ subscriptions: { 'greeting.said': async () => {} } }),
    })
    await expect(startServer({ extraModules: [deaf] })).rejects.toThrow('deaf handles the event greeting.said')
  })
})
