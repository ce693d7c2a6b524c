import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database, Tx } from '../../../src/core/db/database.ts'
import { actorOf } from '../../../src/core/access/viewer.ts'
import {
  type DomainEvent,
  EventDispatcher,
  EventLog,
  pruneEvents,
  type Subscriptions,
} from '../../../src/core/events/index.ts'
import { defineJob, type EnqueueOptions, JobQueue, JobRunner, Schedule } from '../../../src/core/jobs/index.ts'
import { onlyProcess, type Processes } from '../../../src/core/platform/concurrency/processes.ts'
import { asId } from '../../../src/core/platform/crypto/ids.ts'
import { unavailable } from '../../../src/core/platform/errors.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'

const log = createLogger('silent')

describeOnBoth('background work', (kind) => {
  let fresh: TestDatabase
  let now: number
  const clock = { now: () => now }

  beforeEach(async () => {
    fresh = await freshDatabase(kind)
    now = 1_000_000_000_000
  })
  afterEach(() => fresh.close())

  /** A queue of two lanes; `handle` runs all jobs. */
  const queueOf = (handle: (kind: string) => Promise<void>): JobQueue => {
    const jobs = new JobQueue({ clock })
    const definition = (kind: string, group = 'main') => defineJob(Type.Object({}), () => handle(kind), { group })
    jobs.install([
      {
        name: 'test',
        jobs: { 'events.prune': definition('events.prune'), 'mirror.sync': definition('mirror.sync', 'mirrors') },
      },
    ])
    return jobs
  }
  const runner = (handle: (kind: string) => Promise<void>, members = onlyProcess()): JobRunner =>
    new JobRunner({ database: fresh.database, clock, log, queue: queueOf(handle), members })
  const queue = queueOf(async () => {})
  const states = () => fresh.database.read.selectFrom('job').selectAll().execute()
  const add = (options: EnqueueOptions = {}) =>
    fresh.database.transaction((tx) => queue.enqueue(tx, 'events.prune', {}, options))
  const eventLog = (subscriptions: Subscriptions = {}): EventLog => {
    const log = new EventLog({ validatePayloads: true })
    log.install([
      {
        name: 'test',
        events: { 'repo.created': Type.Object({ repo_id: Type.Integer(), name: Type.String() }) },
        subscriptions,
      },
    ])
    return log
  }
  const announce = (name: string, repoId = 1) =>
    fresh.database.transaction((tx) =>
      eventLog().append(tx, 'repo.created', { actor: actorOf(asId(1)), repoId, at: now }, { repo_id: repoId, name }),
    )
  const dispatcher = (subscriptions: Subscriptions) =>
    new EventDispatcher({ database: fresh.database, clock, log, eventLog: eventLog(subscriptions) })

  it('runs a job once, and one job for several with the same key', async () => {
    let runs = 0
    await add({ key: 'a' })
    await add({ key: 'a' })
    await add({ key: 'b' })
    const worker = runner(async () => void runs++)
    await worker.drain()
    await worker.drain()
    expect(runs).toBe(2)
    expect(await worker.countOpen()).toBe(0)
    await worker.stop()
  })

  it('drops jobs of a transaction that was rolled back', async () => {
    await expect(
      fresh.database.transaction(async (tx) => {
        await queue.enqueue(tx, 'events.prune', {})
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await runner(async () => {}).countOpen()).toBe(0)
  })

  it('retries later and later, then marks the job as dead', async () => {
    let tries = 0
    await add()
    const worker = runner(async () => {
      tries++
      throw new Error('broken')
    })
    await worker.drain()
    expect(tries).toBe(1)
    for (let i = 0; i < 20; i++) {
      now += 4 * 3_600_000
      await worker.drain()
    }
    expect(tries).toBe(10)
    const row = await fresh.database.read.selectFrom('job').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'dead', last_error: 'broken' })
  })

  it('calls the handler of dead jobs once, and counts no attempt that a shutdown stopped', async () => {
    const dead: unknown[] = []
    let isStopping = true
    let begun = Promise.withResolvers<void>()
    const jobs = new JobQueue({ clock })
    const definition = defineJob(
      Type.Object({}),
      async (_, signal) => {
        const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
        begun.resolve()
        if (isStopping) await stopped
        throw new Error('broken')
      },
      { onDead: async (payload, error) => void dead.push([payload, (error as Error).message]) },
    )
    jobs.install([{ name: 'test', jobs: { 'events.prune': definition } }])
    const worker = () => new JobRunner({ database: fresh.database, clock, log, queue: jobs })
    await add()
    for (let stops = 0; stops < 12; stops++) {
      const stopped = worker()
      begun = Promise.withResolvers<void>()
      stopped.start()
      await begun.promise
      await stopped.stop()
    }
    expect(await states()).toMatchObject([{ state: 'waiting', attempts: 0 }])
    isStopping = false
    const last = worker()
    for (let i = 0; i < 9; i++, now += 4 * 3_600_000) await last.drain()
    expect([await states(), dead]).toMatchObject([[{ state: 'waiting', attempts: 9 }], []])
    await last.drain()
    await last.drain()
    expect([await states(), dead]).toMatchObject([[{ state: 'dead' }], [[{}, 'broken']]])
    await last.stop()
  })

  it('tries jobs and events again until the disk has room, and soon after', async () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    let [isFull, jobs, events] = [true, 0, 0]
    const write = async (): Promise<void> => {
      if (isFull) throw full
    }
    await add()
    await announce('a')
    const worker = runner(() => write().finally(() => jobs++))
    const handler = dispatcher({ 'repo.created': [() => write().finally(() => events++)] })
    const work = async () => {
      await worker.drain()
      while (await handler.dispatchSome()) continue
    }
    for (let i = 0; i < 20; i++, now += 3_600_000) await work()
    expect([jobs, events]).toEqual([20, 20])
    isFull = false
    now += 12_000
    await work()
    expect([jobs, events]).toEqual([21, 21])
    expect(await fresh.database.read.selectFrom('job').selectAll().execute()).toEqual([])
    const event = await fresh.database.read.selectFrom('event').select('dispatched_at').executeTakeFirstOrThrow()
    expect(event.dispatched_at).toBe(now)
  })

  it('takes over a job whose worker died, not one that is running', async () => {
    await add()
    await fresh.database.transaction((tx) =>
      tx
        .updateTable('job')
        .set({ state: 'running', lease_until: now + 60_000 })
        .execute(),
    )
    let runs = 0
    const worker = runner(async () => void runs++)
    await worker.drain()
    expect(runs).toBe(0)
    now += 61_000
    await worker.drain()
    expect(runs).toBe(1)
  })

  it.each([
    ['the database was away', unavailable('away')],
    ['the disk was full', Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })],
  ])('records the results of jobs that ended while %s, and runs each job once', async (_, refusal) => {
    const ran: string[] = []
    const bothRan = Promise.withResolvers<void>()
    let refusals = 0
    const transaction = (work: (tx: Tx) => Promise<unknown>) =>
      refusals-- > 0 ? Promise.reject(refusal) : fresh.database.transaction(work)
    const database = { ...fresh.database, transaction } as Database
    const handle = async (kind: string): Promise<void> => {
      ran.push(kind)
      if (ran.length === 2) bothRan.resolve()
      await bothRan.promise
      refusals = 4
      if (kind === 'mirror.sync') throw new Error('broken')
    }
    await add()
    await fresh.database.transaction((tx) => queue.enqueue(tx, 'mirror.sync', {} as never))
    const worker = new JobRunner({ database, clock, log, queue: queueOf(handle) })
    await worker.drain()
    expect(ran.toSorted()).toEqual(['events.prune', 'mirror.sync'])
    const rows = await fresh.database.read.selectFrom('job').select(['state', 'last_error', 'lease_until']).execute()
    expect(rows).toEqual([{ state: 'waiting', last_error: 'broken', lease_until: 0 }])
    await worker.stop()
  })

  it('takes over the jobs of an exited process at once, and keeps its own', async () => {
    const ended = new Set<string>()
    const listeners = new Set<(names: readonly string[]) => void>()
    const members = (self: string): Processes => ({
      ...onlyProcess(),
      self,
      ended: (names) => names.filter((name) => ended.has(name)),
      onEnded: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    })
    const hanging = Promise.withResolvers<void>()
    const [first, second] = [runner(() => hanging.promise, members('one')), runner(async () => {}, members('two'))]
    const done = Promise.withResolvers<void>()
    const third = runner(async () => done.resolve(), members('three'))
    await add()
    const draining = first.drain()
    const row = () => fresh.database.read.selectFrom('job').selectAll().executeTakeFirst()
    await expect.poll(row).toMatchObject({ state: 'running', holder: 'one', attempts: 1 })
    third.start()
    await second.drain()
    expect(await row()).toMatchObject({ holder: 'one', attempts: 1 })
    ended.add('one')
    for (const listener of listeners) listener(['one'])
    await done.promise
    await expect.poll(row).toBeUndefined()
    // The job of the process that was taken for ended fails: it is not put back.
    hanging.reject(new Error('late'))
    await draining
    await first.stop()
    expect(await row()).toBeUndefined()
    await third.stop()
    expect(listeners.size).toBe(0)
  })

  it('keeps nothing waiting behind jobs that wait for other servers', async () => {
    const slow = Promise.withResolvers<void>()
    const ran: string[] = []
    const worker = runner(async (kind) => {
      ran.push(kind)
      if (kind === 'mirror.sync') await slow.promise
      else slow.resolve()
    })
    await fresh.database.transaction(async (tx) => {
      for (let id = 1; id <= 5; id++) await queue.enqueue(tx, 'mirror.sync', { repo_id: id })
      await queue.enqueue(tx, 'events.prune', {})
    })
    await worker.drain()
    expect(ran.indexOf('events.prune')).toBeLessThan(3)
    expect(ran.length).toBe(6)
    await worker.stop()
  })

  it('waits for the delay', async () => {
    let runs = 0
    await add({ delay: 5_000 })
    const worker = runner(async () => void runs++)
    await worker.drain()
    expect(runs).toBe(0)
    now += 5_000
    await worker.drain()
    expect(runs).toBe(1)
  })

  it('hands events over in order per repository, and again after a failure', async () => {
    const seen: string[] = []
    let broken = true
    const take = async (_: unknown, event: DomainEvent<'repo.created'>): Promise<void> => {
      if (event.payload.name === 'a1' && broken) throw new Error('not now')
      seen.push(event.payload.name)
    }
    await announce('a1', 1)
    await announce('a2', 1)
    await announce('b1', 2)
    const events = dispatcher({ 'repo.created': [take] })
    while (await events.dispatchSome());
    expect(seen).toEqual(['b1'])
    broken = false
    now += 1_000
    while (await events.dispatchSome());
    expect(seen).toEqual(['b1', 'a1', 'a2'])
    now += 8 * 24 * 3_600_000
    await pruneEvents(fresh.database, clock)
    expect(await fresh.database.read.selectFrom('event').selectAll().execute()).toEqual([])
  })

  it('hands over several events of a repository at once, up to the one that failed', async () => {
    let broken = true
    const take = async (_: unknown, event: DomainEvent<'repo.created'>): Promise<void> => {
      if (event.payload.name === 'a3' && broken) throw new Error('not now')
    }
    const pending = async (): Promise<unknown[]> => {
      const events = fresh.database.read.selectFrom('event').select('payload').where('dispatched_at', '=', 0)
      return (await events.orderBy('id').execute()).map(({ payload }) => (JSON.parse(payload) as { name: string }).name)
    }
    for (const name of ['a1', 'a2', 'a3', 'a4']) await announce(name, 1)
    const events = dispatcher({ 'repo.created': [take] })
    await events.dispatchSome()
    expect(await pending()).toEqual(['a3', 'a4'])
    broken = false
    now += 1_000
    await events.dispatchSome()
    expect(await pending()).toEqual([])
  })

  it('hands a batch over at once, and delays only the event of it that fails', async () => {
    const seen: string[][] = []
    let broken = true
    const handleAll = async (_: unknown, batch: readonly DomainEvent[]): Promise<void> => {
      const names = batch.map(({ payload }) => (payload as { name: string }).name)
      if (broken && names.includes('b1')) throw new Error('not now')
      seen.push(names)
    }
    await announce('a1', 1)
    await announce('b1', 2)
    await announce('c1', 3)
    const events = dispatcher({ 'repo.created': { handleAll } })
    while (await events.dispatchSome());
    expect(seen.flat()).toEqual(['a1', 'c1'])
    broken = false
    now += 1_000
    await announce('c2', 3)
    await events.dispatchSome()
    expect(seen.at(-1)).toEqual(['b1', 'c2'])
  })

  it.each(['single events', 'batches'])('tries no event more than twice when %s fail', async (what) => {
    const tries = new Map<string, number>()
    const fails = ['a3', 'a9', 'b0', 'b19']
    const handle = async (_: unknown, given: DomainEvent | readonly DomainEvent[]): Promise<void> => {
      const names = [given].flat().map(({ payload }) => (payload as { name: string }).name)
      for (const name of names) tries.set(name, (tries.get(name) ?? 0) + 1)
      if (names.some((name) => fails.includes(name))) throw new Error('not now')
    }
    const names = Array.from({ length: 40 }, (_, at) => `${at < 20 ? 'a' : 'b'}${at % 20}`)
    for (const name of names) await announce(name, 0)
    const events = dispatcher({ 'repo.created': what === 'batches' ? { handleAll: handle } : handle })
    while (await events.dispatchSome());
    expect([...tries.keys()]).toEqual(names)
    expect(Math.max(...tries.values())).toBe(2)
    const { read } = fresh.database
    const left = await read.selectFrom('event').select('attempts').where('dispatched_at', '=', 0).execute()
    expect(left.map(({ attempts }) => attempts)).toEqual(fails.map(() => 1))
  })

  it('keeps what a subscriber wrote only when the event is marked', async () => {
    const events = dispatcher({
      'repo.created': [
        (tx) => queue.enqueue(tx, 'events.prune', {}, { key: 'x' }),
        async () => {
          throw new Error('second subscriber fails')
        },
      ],
    })
    await announce('a')
    await events.dispatchSome()
    expect(await runner(async () => {}).countOpen()).toBe(0)
  })

  it('lists scheduled tasks, runs one now and refuses unknown ones', async () => {
    let started = 0
    const tasks = [{ name: 'nightly', schedule: '0 3 * * *', start: async () => void started++ }]
    const schedule = new Schedule({ database: fresh.database, clock, log })
    schedule.install(tasks)
    await schedule.run('nightly')
    expect(started).toBe(1)
    const [state] = await schedule.list()
    expect(state).toMatchObject({ name: 'nightly', schedule: '0 3 * * *', lastRunAt: now, runsCount: 1 })
    expect(new Date(state!.nextRunAt).getUTCHours()).toBe(3)
    await expect(schedule.run('nothing')).rejects.toThrow('no such task')
  })
})
