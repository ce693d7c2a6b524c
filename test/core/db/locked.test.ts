import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/core/db/database.ts'
import { sqliteDialect } from '../../../src/core/db/dialect/sqlite.ts'
import { runCommand } from '../../harness/process.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { MEASURED } from '../../harness/measured.ts'

const LOCKER = `
const database = new (require('better-sqlite3'))(process.argv[1])
database.exec('begin immediate')
console.log('locked')
setTimeout(() => database.exec('rollback'), Number(process.argv[2]))
`

/** Another process that has locked the database when this returns, for so many milliseconds. */
async function lockFor(file: string, ms: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', LOCKER, file, String(ms)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout!, 'data')
  return child
}

describe('an SQLite file that another process locks', () => {
  let server: TestServer
  beforeEach(async () => {
    server = await startServer()
  })
  afterEach(() => server.close())

  it('delays writes without blocking the thread', MEASURED, async () => {
    const ann = await (await server.world.user('ann')).withToken('all')
    const locker = await lockFor(join(server.dataDir, 'ingot.db'), 3000)
    const ended = once(locker, 'close')
    const begin = performance.now()
    let isWritten = false
    const write = ann.post('/user/repos', { name: 'r' }).finally(() => (isWritten = true))
    const waits: number[] = []
    while (!isWritten) {
      const asked = performance.now()
      expect((await server.anonymous.get('/version')).status).toBe(200)
      expect((await ann.get('/user')).status).toBe(200)
      waits.push(performance.now() - asked)
    }
    expect((await write).status).toBe(201)
    expect(performance.now() - begin).toBeGreaterThan(2000)
    // NOTE: with SQLite's own busy timeout there was a single answer, after the lock was gone.
    expect(waits.length).toBeGreaterThan(5)
    expect(Math.max(...waits)).toBeLessThan(2000)
    await ended
  })

  it('delays commands', async () => {
    const locker = await lockFor(join(server.dataDir, 'ingot.db'), 1500)
    const args = ['admin', 'user', 'create', '--data-dir', server.dataDir]
    const made = await runCommand([
      ...args,
      '--username',
      'bob',
      '--email',
      'bob@example.test',
      '--password',
      'Corr3ct-horse!',
    ])
    expect(made).toMatchObject({ code: 0 })
    if (locker.exitCode === null) await once(locker, 'close')
    expect(await server.app.users.findByName('bob')).toBeDefined()
  })
})

describe('a lock that lasts', () => {
  it('ends transactions after the deadline, those that wait for their turn too', MEASURED, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'ingot-locked-'))
    const file = join(dir, 'ingot.db')
    const database = openDatabase(sqliteDialect(file, { busyDeadlineMs: 300 }))
    const locker = await lockFor(file, 60_000)
    try {
      const begin = performance.now()
      const tries = Array.from({ length: 10 }, () => database.transaction(async () => 'done'))
      const results = await Promise.allSettled(tries)
      expect(results.map(({ status }) => status)).toEqual(Array<string>(10).fill('rejected'))
      await expect(tries[9]).rejects.toMatchObject({ kind: 'unavailable', message: 'the database is busy' })
      expect(performance.now() - begin).toBeLessThan(2000)
      locker.kill()
      await once(locker, 'close')
      expect(await database.transaction(async () => 'done')).toBe('done')
    } finally {
      locker.kill()
      await database.close()
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
