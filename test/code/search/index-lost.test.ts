import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../core/git/wire/client.ts'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth, makePlace, type ServerPlace } from '../../harness/databases.ts'
import { type IngotProcess, startIngot } from '../../harness/process.ts'

/** Fewer than one search reads. */
const FILES = 450

describeOnBoth('the index of code', (kind) => {
  let place: ServerPlace
  let server: IngotProcess
  let headers: Record<string, string>

  const start = async (): Promise<void> => {
    server = await startIngot(place.dataDir, [...place.settings, '--set', 'search.code_enabled=true'])
  }
  const call = async (path: string, body?: object): Promise<Any> => {
    const method = body === undefined ? 'GET' : 'POST'
    const answer = await fetch(`${server.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    expect([path, answer.ok]).toEqual([path, true])
    return answer.json()
  }
  const search = (): Promise<Any> => call('/repos/search/code?q=otter')
  /** Every answer has all files or says that it is incomplete. Returns whether one did. */
  async function rebuilt(): Promise<boolean> {
    let wasIncomplete = false
    await until(
      'all files to be found',
      async () => {
        const { incomplete, total_count: total } = await search()
        wasIncomplete ||= incomplete
        if (!incomplete) expect(total).toBe(FILES)
        return !incomplete
      },
      60_000,
    )
    return wasIncomplete
  }
  async function expectEachOnce(): Promise<void> {
    const paths: string[] = []
    for (let page = 1; page <= FILES / 50; page++)
      paths.push(
        ...(await call(`/repos/search/code?q=otter&limit=50&page=${page}`)).items.map((item: Any) => item.path),
      )
    expect([paths.length, new Set(paths).size]).toEqual([FILES, FILES])
  }

  beforeAll(async () => {
    place = await makePlace(kind)
    await start()
    headers = {
      authorization: `Basic ${Buffer.from(`admin:${server.password}`).toString('base64')}`,
      'content-type': 'application/json',
    }
    await call('/user/repos', { name: 'zoo', auto_init: true })
  }, 60_000)
  afterAll(async () => {
    await server.stop('SIGKILL')
    await place.remove()
  })

  it('is complete, with nothing twice, after the server was killed while it wrote it', async () => {
    const files = Array.from({ length: FILES }, (_, at) => ({
      operation: 'create',
      path: `f${at}.txt`,
      content: btoa(`otter ${at}\n${`${at} fills the file\n`.repeat(300)}`),
    }))
    await call('/repos/admin/zoo/contents', { files })
    await until(
      'the first files to be found',
      async () => {
        const { incomplete, total_count: total } = await search()
        return incomplete && total > 0
      },
      60_000,
    )
    await server.stop('SIGKILL')
    await start()
    await rebuilt()
    await expectEachOnce()
  }, 120_000)

  const deleteFile = (): void => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(place.dataDir, `search.db${end}`), { force: true })
  }
  const losses: Record<string, () => void | Promise<void>> =
    kind === 'sqlite'
      ? {
          'its file was deleted': deleteFile,
          'its file was damaged': () => {
            deleteFile()
            writeFileSync(join(place.dataDir, 'search.db'), 'This is no database. '.repeat(1000))
          },
        }
      : {
          'its rows were lost': async () => {
            const database = place.open()
            await database.transaction(async (tx) => {
              await sql`truncate code_blob, code_file, code_repo`.execute(tx)
            })
            await database.close()
          },
        }

  it.each(Object.entries(losses))(
    'is written again after %s, and searches report that it is incomplete',
    async (_, lose) => {
      await server.stop()
      await lose()
      await start()
      expect(await rebuilt()).toBe(true)
      await expectEachOnce()
    },
    120_000,
  )
})
