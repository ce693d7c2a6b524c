import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { processesWith, until } from '../core/git/wire/client.ts'
import { createPull, pullWorld } from './pull-world.ts'
import { pushBranches } from './pushed-history.ts'
import { MEASURED } from '../harness/measured.ts'

const MB = 1024 * 1024
const FILES = 10_000
const LINES = 220_000
const NAME = '"filename"'

describe('a large pull request', () => {
  const world = pullWorld()
  const MANY = '/repos/ann/large/pulls/1'
  const LONG = '/repos/ann/large/pulls/2'

  beforeAll(async () => {
    const { server, ann } = world
    await server.world.repo({ owner: ann, name: 'large' })
    const line = `${'x'.repeat(99)}\n`
    await pushBranches(server, ann, 'ann/large', [
      { branch: 'main', files: { README: 'x\n' } },
      {
        branch: 'many',
        from: 'main',
        files: Object.fromEntries(
          Array.from({ length: FILES }, (_, index) => [`folder/${String(index).padStart(5, '0')}.txt`, `${index}\n`]),
        ),
      },
      { branch: 'long', from: 'main', files: { 'long.txt': line.repeat(LINES) } },
    ])
    await createPull(ann, { head: 'many' }, 'ann/large')
    await createPull(ann, { head: 'long' }, 'ann/large')
  }, 120_000)

  it('lists ten thousand files in little memory, whole and by pages', MEASURED, async () => {
    const { anonymous } = world.server
    await anonymous.get(`${MANY}/files?limit=1`)
    const before = process.memoryUsage().rss
    const response = await fetch(`${world.server.url}/api/v1${MANY}/files`)
    expect([response.headers.get('x-total-count'), response.headers.get('x-pagecount')]).toEqual([String(FILES), '1'])
    let [files, rest] = [0, '']
    for await (const chunk of response.body!) {
      const text = rest + Buffer.from(chunk).toString('latin1')
      files += text.split(NAME).length - 1
      rest = text.slice(-NAME.length + 1)
    }
    expect(files).toBe(FILES)
    const etag = response.headers.get('etag')!
    expect((await anonymous.get(`${MANY}/files`, { 'if-none-match': etag })).status).toBe(304)
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * MB)
    const last = await anonymous.get(`${MANY}/files?limit=50&page=200`)
    expect(last.json.at(-1).filename).toBe('folder/09999.txt')
    expect(last.headers.get('x-hasmore')).toBe('false')
    const all = await anonymous.get(`${MANY}/files?skip-to=folder/04000.txt`)
    expect([all.json.length, all.json[0].filename]).toEqual([FILES - 4000, 'folder/04000.txt'])
  })

  it('has a diff and a patch of twenty megabytes', async () => {
    for (const kind of ['diff', 'patch']) {
      const response = await fetch(`${world.server.url}/api/v1${LONG}.${kind}`)
      let bytes = 0
      for await (const chunk of response.body!) bytes += chunk.length
      expect(bytes, kind).toBeGreaterThan(20 * MB)
    }
    expect((await world.server.anonymous.get(LONG)).json).toMatchObject({ additions: LINES, deletions: 0 })
  })

  it('buffers little for a client that does not read, and ends git when the client disconnects', MEASURED, async () => {
    const before = process.memoryUsage().rss
    const socket = connect(Number(new URL(world.server.url).port), '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.pause()
    socket.write(`GET /api/v1${LONG}.diff HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until('git prints the diff', async () => (await processesWith('diff-tree', process.pid)) > 0)
    await wait(500)
    expect(await processesWith('diff-tree', process.pid)).toBe(1)
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * MB)
    socket.destroy()
    await until('git is gone', async () => (await processesWith('diff-tree', process.pid)) === 0)
  })
})
