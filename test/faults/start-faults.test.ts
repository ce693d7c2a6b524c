import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand, runIngot, serveHere, temporaryFolder, type Folder } from '../harness/process.ts'

/** What stops a start: one clear message, exit code 1, no stack trace, and everything as it was. */

let folder: Folder
let data: string
beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
})
afterEach(() => folder.remove())

/** A data directory that was in use, stopped in order: copied for each test. */
const used = temporaryFolder()
beforeAll(() => startAndStop(used.path))
afterAll(() => used.remove())
const useCopy = (): void => cpSync(used.path, data, { recursive: true })

async function startAndStop(dataDir: string): Promise<void> {
  const server = await serveHere(dataDir)
  expect(await server.stop()).toBe(0)
}

/** Every file with the sum of its bytes, but for the lock and the files that SQLite keeps while it runs. */
const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^server\.lock$|-(?:wal|shm)$/.test(entry.name))
      .map((entry) => [
        join(entry.parentPath, entry.name),
        createHash('sha256')
          .update(readFileSync(join(entry.parentPath, entry.name)))
          .digest('hex'),
      ]),
  )

const serve = (...args: string[]) =>
  runCommand(['serve', '--data-dir', data, '--port', '0', '--set', 'ssh.port=0', ...args])

async function expectRefusal(message: RegExp, ...args: string[]): Promise<void> {
  const before = contents()
  const { code, stdout, stderr } = await serve(...args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/^ {4}at /m)
  expect(
    stderr
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{')),
  ).toHaveLength(1)
  expect(contents()).toEqual(before)
}

async function takenPort(): Promise<{ server: Server; port: string }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: String((server.address() as AddressInfo).port) }
}

/** Spoils bytes of the database file, which is otherwise as the last run left it. */
function spoil(at: number, bytes: Buffer): void {
  const file = join(data, 'ingot.db')
  const content = readFileSync(file)
  bytes.copy(content, at)
  writeFileSync(file, content)
}

describe('a start', () => {
  it('stops at a port of SSH or HTTP that is taken', async () => {
    useCopy()
    const { server, port } = await takenPort()
    await expectRefusal(
      new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use by another program.*server\\.port`),
      '--port',
      port,
    )
    await expectRefusal(
      new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use by another program.*ssh\\.port`),
      '--set',
      `ssh.port=${port}`,
      '--set',
      'ssh.host=127.0.0.1',
    )
    server.close()
    await startAndStop(data)
  })

  it('stops at a database of a newer version', async () => {
    useCopy()
    const database = new Sqlite(join(data, 'ingot.db'))
    database
      .prepare('insert into kysely_migration (name, timestamp) values (?, ?)')
      .run('9999-from-the-future', new Date().toISOString())
    database.prepare("update schema_release set newest = '99.1.0'").run()
    // The migration has only added something: what is older goes on, and says so.
    expect(await runIngot(['doctor', '--data-dir', data])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Ingot 99.1.0 has migrated the schema'),
      stderr: expect.stringContaining('9999-from-the-future'),
    })
    database.prepare("update schema_release set oldest = '99.1.0'").run()
    database.close()
    await expectRefusal(/the database was made by a newer version of Ingot.*9999-from-the-future.*backup/)
    for (const command of [['doctor'], ['admin', 'user', 'list'], ['migrate']]) {
      expect(await runCommand([...command, '--data-dir', data]), command.join(' ')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('newer version of Ingot'),
      })
    }
  })

  it.each([
    ['a broken header', 0, Buffer.from('no database at all')],
    ['a broken first page', 100, Buffer.alloc(3000, 0xa5)],
  ])('stops at a database file with %s', async (_, at, bytes) => {
    useCopy()
    spoil(at, bytes)
    await expectRefusal(/the database file is damaged.*restore a backup/)
  })

  it('stops in words where Node.js is too old', async () => {
    const older = `--import=data:text/javascript,${encodeURIComponent("Object.defineProperty(process.versions,'node',{value:'20.1.0'})")}`
    const { code, stderr } = await runIngot(['version'], { env: { NODE_OPTIONS: older } })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^Ingot needs Node\.js 26 or newer, this is 20\.1\.0\. .*npm start.*\n$/) as string,
    })
  })

  it('stops at a secret key that is empty', async () => {
    useCopy()
    writeFileSync(join(data, 'secret.key'), '')
    await expectRefusal(/secret\.key is empty: restore its content/)
  })

  it('stops at a database server that is not there', async () => {
    mkdirSync(data)
    const now = ['--set', 'database.start_timeout=0']
    await expectRefusal(
      /connection refused by 127\.0\.0\.1:1\. Is PostgreSQL running there\?/,
      '--set',
      'database.start_timeout=1',
      '--set',
      'database.url=postgres://x:sesame@127.0.0.1:1/none',
    )
    const { server, port } = await takenPort()
    server.on('connection', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await expectRefusal(/PostgreSQL/, ...now, '--set', `database.url=postgres://x:sesame@127.0.0.1:${port}/none`)
    server.close()
    await expectRefusal(/database\.url/, ...now, '--set', 'database.url=postgres://x:sesame@nowhere.invalid/none')
  })

  it('stops at a read-only data directory', async ({ skip }) => {
    useCopy()
    const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0
    // NOTE: permissions do not stop root; a read-only mount does.
    skip(!mount('--bind', data, data), 'nothing can be mounted here (root is needed)')
    try {
      expect(mount('-o', 'remount,ro,bind', data)).toBe(true)
      await expectRefusal(/read-only|cannot be written/)
    } finally {
      spawnSync('umount', ['--lazy', data])
    }
    await startAndStop(data)
  })
})
