import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { joinCluster } from '../../../src/core/db/dialect/cluster/cluster-announcements.ts'
import type { Release } from '../../../src/core/platform/concurrency/lock-table.ts'
import { onlyProcess, type Processes } from '../../../src/core/platform/concurrency/processes.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { copyTemplate } from '../../harness/postgres.ts'
import { MEASURED } from '../../harness/measured.ts'

interface Member {
  readonly processes: Processes
  close(): Promise<void>
}

describe.skipIf(inject('postgresUrl') === '')('locks and announcements of a cluster', () => {
  let database: Awaited<ReturnType<typeof copyTemplate>>
  let admin: pg.Client
  const members: Member[] = []

  const join = async (node: string, dataDir = `/srv/${node}`, leaseMs = 10_000): Promise<Member> => {
    const log = createLogger('silent')
    const member = await joinCluster({ url: database.url, node, leaseMs, log, dataDir }, onlyProcess())
    members.push(member)
    return member
  }
  const lock = (member: Member, name: string, mode: 'exclusive' | 'shared' = 'exclusive'): Promise<Release> =>
    member.processes.locks!.lock(name, mode)
  const tryLock = (member: Member, name: string, mode: 'exclusive' | 'shared' = 'exclusive') =>
    member.processes.locks!.tryLock(name, mode)
  const rows = async (): Promise<unknown[]> => (await admin.query('select name from cluster_lock order by 1')).rows
  const cut = (node: string) =>
    admin.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [`ingot ${node}`])

  beforeAll(async () => {
    database = await copyTemplate(inject('postgresUrl'), `cluster_${randomBytes(6).toString('hex')}`)
    admin = new pg.Client(database.url)
    await admin.connect()
  })
  afterEach(async () => {
    await Promise.all(members.splice(0).map((member) => member.close()))
    expect((await admin.query('select * from cluster_session')).rows).toEqual([])
    expect(await rows()).toEqual([])
  })
  afterAll(async () => {
    await admin.end()
    await database.drop()
  })

  it('lock a name for one exclusive or several shared holders, wherever their data directory is', async () => {
    const [one, two] = await Promise.all([join('one'), join('two')])
    const release = await lock(one, 'refs /srv/one/git/a')
    expect(await tryLock(two, 'refs /srv/two/git/a')).toBeUndefined()
    const waiting = lock(two, 'refs /srv/two/git/a')
    const first = (await tryLock(two, 'refs /srv/two/git/b', 'shared'))!
    const second = await lock(one, 'refs /srv/one/git/b', 'shared')
    release()
    release()
    ;(await waiting)()
    first()
    second()
    // Shared locks are kept until another process wants them.
    expect(await rows()).toContainEqual({ name: 'refs /git/b' })
    ;(await lock(two, 'refs /srv/two/git/b'))()
  })

  it('are granted in turn, each with a greater fencing number', async () => {
    const [one, two] = await Promise.all([join('one'), join('two')])
    const log: string[] = []
    const fences: number[] = []
    let inside = 0
    await Promise.all(
      [one, two].flatMap((member, n) =>
        Array.from({ length: 15 }, async () => {
          const release = await lock(member, 'a')
          expect(++inside).toBe(1)
          log.push(String(n))
          fences.push(Number((await admin.query(`select fence from cluster_lock where name = 'a'`)).rows[0].fence))
          await release.confirm!()
          inside--
          release()
        }),
      ),
    )
    expect(fences).toEqual(fences.toSorted((a, b) => a - b))
    // Neither of them does all of its work first.
    expect(log.lastIndexOf('0')).toBeGreaterThan(log.indexOf('1'))
    expect(log.lastIndexOf('1')).toBeGreaterThan(log.indexOf('0'))
  })

  it('are lost with the connection, at once, and are refused then', MEASURED, async () => {
    const [one, two] = await Promise.all([join('one'), join('two')])
    expect(await two.processes.otherNodes()).toEqual(['one'])
    const release = await lock(one, 'a')
    await cut('one')
    const start = performance.now()
    const taken = await lock(two, 'a')
    expect(performance.now() - start).toBeLessThan(2_000)
    await expect(release.confirm!()).rejects.toThrow(expect.objectContaining({ kind: 'unavailable' }))
    release()
    await taken.confirm!()
    taken()
    // The process is a member again.
    ;(await lock(one, 'a'))()
  })

  it('are lost when their time is over, though the connection lives', async () => {
    const [one, two] = await Promise.all([join('one'), join('two')])
    const release = await lock(one, 'a')
    await admin.query(`update cluster_session set expires_at = now() - interval '1 second' where node = 'one'`)
    const taken = await lock(two, 'a')
    await expect(release.confirm!()).rejects.toThrow(/lost a lock to another one/)
    taken()
  })

  it('announce to all other processes, and report to them when they may have missed an announcement', async () => {
    const [one, two] = await Promise.all([join('one'), join('two')])
    const heard: string[] = []
    one.processes.onAnnounced('topic', () => heard.push('itself'))
    two.processes.onAnnounced('topic', (detail) => heard.push(detail))
    one.processes.announce('topic')
    one.processes.announce('topic')
    for (let n = 0; n < 300; n++) one.processes.announce('topic', `${'x'.repeat(100)} ${n % 100}`)
    await vi.waitFor(() => expect(heard).toHaveLength(301))
    expect(heard.slice(0, 2)).toEqual(['', `${'x'.repeat(100)} 0`])
    let missed = 0
    two.processes.onMissed(() => missed++)
    await cut('two')
    await vi.waitFor(() => expect(missed).toBe(1), 5_000)
    one.processes.announce('topic', 'again')
    await vi.waitFor(() => expect(heard.at(-1)).toBe('again'))
  })
})
