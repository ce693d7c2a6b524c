import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Connections } from './dialect.ts'
import { sqliteDialect } from './sqlite.ts'
import { Checkpoints } from './sqlite-checkpoints.ts'
import type { SqliteLog } from './sqlite-log.ts'

interface Tables {
  t: { v: number; text: string }
}

const LIMIT = 50
const TEXT = 'x'.repeat(8000)

describe('the log of the database', () => {
  let dir: string
  let file: string
  let db: Connections<Tables>
  /** Reads the index of the log. */
  let log: SqliteLog
  let written: number
  const open = (): void => {
    db = sqliteDialect(file, { checkpointFrames: LIMIT }).connect<Tables>()
  }
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-checkpoints-'))
    file = join(dir, 'ingot.db')
    written = 0
    const made = new Sqlite(file)
    made.exec('create table t (v integer primary key, text text)')
    made.close()
    open()
    log = db.log as SqliteLog
  })
  afterEach(async () => {
    await db.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const insert = (): Promise<void> =>
    db.write.transaction().execute(async (tx: Kysely<Tables>) => {
      await tx.insertInto('t').values({ v: ++written, text: TEXT }).execute()
    })
  /** Writes at least this many frames, one transaction after the other. */
  const write = async (frames: number): Promise<void> => {
    for (let i = 0; i < frames / 2; i++) await insert()
  }
  const count = async (): Promise<number> => (await db.read.selectFrom('t').select('v').execute()).length
  const left = (): number => log.length()!.frames - log.length()!.written

  it('is written into the database while requests run, and restarts', async () => {
    const { salt } = db.log!.state()!
    await write(1.5 * LIMIT)
    await expect.poll(left, { timeout: 20_000 }).toBe(0)
    await insert()
    expect(db.log!.state()!.salt).not.toBe(salt)
    expect(log.length()!.frames).toBeLessThan(LIMIT)
  })

  it('stays within its limit while writers and readers never pause', async () => {
    const salts = new Set<string>()
    let longest = 0
    const writer = async (): Promise<void> => {
      for (let i = 0; i < 75; i++) {
        await insert()
        await count()
        salts.add(db.log!.state()!.salt)
        longest = Math.max(longest, log.length()!.frames)
      }
    }
    await Promise.all(Array.from({ length: 8 }, writer))
    expect(await count()).toBe(600)
    expect(salts.size).toBeGreaterThan(1)
    // 600 rows are more than 1,200 pages.
    expect(longest).toBeLessThan(8 * LIMIT)
  })

  it('keeps what a long reader needs, and is written when the reader has ended', async () => {
    const reader = new Sqlite(file, { readonly: true })
    await write(4)
    reader.exec('begin')
    const before = reader.prepare('select count(*) from t').pluck()
    expect(before.get()).toBe(2)
    await write(3 * LIMIT)
    expect(left()).toBeGreaterThan(2 * LIMIT)
    expect(before.get()).toBe(2)
    reader.close()
    await write(1.5 * LIMIT)
    await expect.poll(left, { timeout: 20_000 }).toBeLessThan(LIMIT)
    expect(await count()).toBe(written)
  })

  it('has every acknowledged transaction after the process is killed', async () => {
    const program = `
      const { sqliteDialect } = await import(${JSON.stringify(new URL('sqlite.ts', import.meta.url).href)})
      const db = sqliteDialect(${JSON.stringify(file)}, { checkpointFrames: ${LIMIT} }).connect()
      const write = async () => {
        for (;;) {
          const { v } = await db.write.transaction().execute((tx) =>
            tx.insertInto('t').values({ text: ${JSON.stringify(TEXT)} }).returning('v').executeTakeFirstOrThrow())
          process.stdout.write(v + '\\n')
        }
      }
      for (let i = 0; i < 4; i++) void write()`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let answered = ''
    child.stdout.on('data', (chunk: Buffer) => {
      answered += chunk.toString()
      if (answered.length > 1000) child.kill('SIGKILL')
    })
    await once(child, 'close')
    const rows = new Set((await db.read.selectFrom('t').select('v').execute()).map(({ v }) => v))
    expect(
      answered
        .split('\n')
        .slice(0, -1)
        .filter((v) => !rows.has(Number(v))),
    ).toEqual([])
    await db.close()
    const checked = new Sqlite(file)
    expect(checked.pragma('integrity_check', { simple: true })).toBe('ok')
    checked.close()
    open()
  })
})

it('a thread that cannot start delays nothing and starts again when the log has grown', async () => {
  let frames = 100
  let looks = 0
  const checkpoints = new Checkpoints({
    file: join(tmpdir(), 'ingot-no-such-directory', 'ingot.db'),
    limit: 50,
    length: () => (looks++, { frames, written: 0 }),
    runAlone: () => Promise.reject(new Error('no test waits for writers')),
  })
  const tries = async (): Promise<boolean> => {
    looks = 0
    checkpoints.noteCommit()
    const isTried = looks === 1
    checkpoints.noteCommit()
    await expect.poll(() => (checkpoints.noteCommit(), looks)).toBeGreaterThan(1)
    return isTried
  }
  expect(await tries()).toBe(true)
  frames = 150
  expect(await tries()).toBe(true)
  await checkpoints.close()
  looks = 0
  checkpoints.noteCommit()
  expect(looks).toBe(0)
})
