import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { directoryDestination } from './directory-destination.ts'
import { claimedDestination, DestinationClaim } from './destination-claim.ts'
import { CopiedDatabase, copyAll, upTo } from '../../../../../test/operations/backups/copied-database.ts'

let dir: string
let time: number
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-claim-'))
  for (const name of ['copy', 'a', 'b']) mkdirSync(join(dir, name))
  time = Date.parse('2026-11-22T00:00:00Z')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const destination = () => directoryDestination(join(dir, 'copy'))
const claimOf = (name: string, { host = 'h1', boot = 'boot1', settleMs = 1 } = {}): DestinationClaim =>
  new DestinationClaim({
    destination: destination(),
    dataDir: join(dir, name),
    clock: { now: () => time },
    host,
    boot,
    settleMs,
  })

it('lets one data directory write to a destination, and tells another one how to take it over', async () => {
  const first = claimOf('a')
  const second = claimedDestination(destination(), claimOf('b', { host: 'h2' }))
  await first.require()
  const refused =
    `${join(dir, 'copy')} belongs to another server (${join(dir, 'a')} on h1, last seen 2026-11-22T00:00:00.000Z): ` +
    `give this one a destination of its own, or, if that server is gone for good, delete owner.json in ${join(dir, 'copy')}`
  const streams = [
    () => second.put('x', Buffer.from('x')),
    () => second.putStream('x', (async function* () {})(), 0),
    () => second.remove('owner.json'),
    () => second.clean(time),
  ]
  for (const write of streams) await expect(write()).rejects.toMatchObject({ kind: 'conflict', message: refused })
  // Also after a long time without copies, and after a stop.
  await first.release()
  time += 1_000_000_000
  await expect(second.put('x', Buffer.from('x'))).rejects.toThrow('belongs to another server')
  rmSync(join(dir, 'copy/owner.json'))
  await second.put('x', Buffer.from('x'))
  expect(readFileSync(join(dir, 'copy/x'), 'latin1')).toBe('x')
  await expect(first.require()).rejects.toThrow(`(${join(dir, 'b')} on h2, `)
})

it('continues at once after a stop or a kill on the same machine, otherwise after the lease', async () => {
  await claimOf('a').require()
  const next = claimOf('a')
  await next.require()
  const moved = claimOf('a', { host: 'h2' })
  const wait = /^another process of this data directory copies to .*, on h1$/
  await expect(moved.require()).rejects.toThrow(wait)
  // The owner renews its claim, and the wait starts again.
  time += 70_000
  await next.keep()
  await expect(moved.require()).rejects.toThrow(wait)
  time += 74_000
  await expect(moved.require()).rejects.toThrow(wait)
  time += 1_000
  await moved.require()
  // It checks the claim before its next write, and does not take the destination back.
  await expect(next.require()).rejects.toThrow(/copies to .*, on h2$/)
  await moved.release()
  await next.require()
  await claimOf('a', { boot: '' }).keep()
  await expect(claimOf('a', { boot: '' }).require()).rejects.toThrow('another process of this data directory')
})

it('lets one of two concurrent claims of a destination succeed', async () => {
  const claims = ['a', 'b'].map((name) => claimOf(name, { settleMs: 50 }))
  const results = await Promise.allSettled(claims.map((claim) => claim.require()))
  const held = results.filter(({ status }) => status === 'fulfilled')
  expect(held).toHaveLength(1)
})

it('begins a new series when another process has continued the former one', async () => {
  const db = await CopiedDatabase.make()
  try {
    let isLost = false
    const claim = { require: async () => {} }
    const lost = new DestinationClaim({
      destination: destination(),
      dataDir: dir,
      clock: { now: () => time },
      host: '',
      boot: '',
    })
    claim.require = async () => {
      if (isLost) await claimOf('b').require()
    }
    const copier = db.copier({ destination: claimedDestination(db.destination, Object.assign(lost, claim)) })
    await copyAll(copier)
    await db.write(3)
    await copyAll(copier)
    await claimOf('a').require()
    isLost = true
    await db.write(3)
    await expect(copier.copy()).rejects.toThrow('belongs to another server')
    expect(copier.position).toBeUndefined()
    isLost = false
    await copyAll(copier)
    expect(await db.restored()).toEqual(upTo(6))
  } finally {
    await db.remove()
  }
})
