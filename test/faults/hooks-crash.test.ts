import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Folder,
  type IngotProcess,
  serveHere,
  type ServerHere,
  startIngot,
  temporaryFolder,
} from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'

const ROUNDS = 3
/** Each is in the middle of its deliveries at each kill. */
const HOOKS = 7
/** Minimum number of writes before each kill. */
const WRITTEN = 5
const LONGEST_LIFE_MS = 800
const PATIENCE_MS = 90_000
const ALLOW = ['--set', 'webhook.allowed_hosts=*']

let folder: Folder
let data: string
let receiver: Receiver
let password = ''
/** Files whose writing was acknowledged, in order. */
const written: string[] = []
let next = 0

const call = (server: ServerHere, path: string, body: unknown): Promise<Response> =>
  fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })

/** Writes one file after the other until the server is gone. */
async function write(server: IngotProcess): Promise<void> {
  try {
    for (;;) {
      const name = `f${next++}`
      const made = await call(server, `/repos/admin/r/contents/${name}`, { content: 'eA==', message: name })
      if (made.status !== 201) return
      written.push(name)
    }
  } catch {
    // The server was killed in the middle of an answer: nothing was promised.
  }
}

/** What came at a path, repetitions of the last one left out. */
function arrivals(path: string): string[] {
  const names = receiver.got
    .filter((received) => received.path === path)
    .map(({ body }) => String(JSON.parse(body).head_commit.message).trim())
  return names.filter((name, index) => name !== names[index - 1])
}

beforeAll(async () => {
  receiver = await startReceiver()
  receiver.answer((_, response) => void setTimeout(() => response.end(), 5))
  folder = temporaryFolder()
  data = join(folder.path, 'data')
  const first = await serveHere(data, ALLOW)
  password = first.password
  await call(first, '/user/repos', { name: 'r', auto_init: true })
  for (let n = 0; n < HOOKS; n++) {
    const config = { url: `${receiver.url}/${n}`, content_type: 'json' }
    await call(first, '/repos/admin/r/hooks', { type: 'gitea', active: true, events: ['push'], config })
  }
  await first.stop()
}, 120_000)
afterAll(async () => {
  folder.remove()
  await receiver.close()
})

describe('kill -9 while webhooks are delivered', () => {
  it('loses no event and keeps the order of each webhook', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startIngot(data, ALLOW)
      const writing = write(server)
      const enough = written.length + WRITTEN
      while (written.length < enough && server.child.exitCode === null) await wait(5)
      await wait(Math.random() * LONGEST_LIFE_MS)
      await server.stop('SIGKILL')
      await writing
    }
    expect(written.length).toBeGreaterThanOrEqual(ROUNDS * WRITTEN)
    const server = await serveHere(data, ALLOW)
    try {
      const paths = Array.from({ length: HOOKS }, (_, n) => `/hook/${n}`)
      const acknowledged = new Set(written)
      const arrived = (path: string): string[] => arrivals(path).filter((name) => acknowledged.has(name))
      const end = performance.now() + PATIENCE_MS
      while (paths.some((path) => arrived(path).length < written.length) && performance.now() < end) await wait(100)
      for (const path of paths) expect(arrived(path)).toEqual(written)
    } finally {
      await server.stop()
    }
  }, 400_000)
})
