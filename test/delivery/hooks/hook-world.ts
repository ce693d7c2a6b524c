import type { Any } from '../../harness/client.ts'
import { type Receiver, startReceiver } from '../../harness/receiver.ts'
import { startServer, type TestServer, type TestServerOptions } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

/** A clock that tests set forward and back. */
interface TestClock {
  now(): number
  add(ms: number): void
}

function createTestClock(): TestClock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    add: (ms) => {
      offset += ms
    },
  }
}

export interface HookWorld {
  readonly server: TestServer
  readonly clock: TestClock
  readonly receiver: Receiver
  readonly ann: Person
  readonly root: Person
  /** Makes an active webhook for pushes at `/repos/ann/r/hooks`, or below another path. */
  hook(more?: HookOptions): Promise<Any>
  /** Writes a file to `ann/r`, which is a push. */
  push(name: string): Promise<void>
  /** The deliveries of a webhook of `ann/r`, the latest first. */
  deliveries(id: number): Promise<Any[]>
  close(): Promise<void>
}

interface HookOptions {
  readonly path?: string
  readonly url?: string
  readonly secret?: string
  readonly content_type?: string
  readonly [member: string]: unknown
}

export async function createHookWorld(options: TestServerOptions = {}): Promise<HookWorld> {
  const clock = createTestClock()
  const server = await startServer({ clock, ...options })
  const receiver = await startReceiver()
  const { world } = server
  const [ann, root] = [await world.user('ann'), await world.admin()]
  await world.repo({ owner: ann, name: 'r', autoInit: true })
  return {
    server,
    clock,
    receiver,
    ann,
    root,
    async hook({ path = '/repos/ann/r/hooks', url = receiver.url, secret, content_type = 'json', ...more } = {}) {
      const config = { url, content_type, ...(secret !== undefined && { secret }) }
      const { client } = path.startsWith('/admin') ? root : ann
      const made = await client.post(path, { type: 'gitea', active: true, events: ['push'], config, ...more })
      if (made.status !== 201) throw new Error(`webhook not made: ${made.text}`)
      return made.json
    },
    async push(name) {
      const made = await ann.client.post(`/repos/ann/r/contents/${name}`, { content: 'eA==', message: name })
      if (made.status !== 201) throw new Error(`file not written: ${made.text}`)
    },
    deliveries: async (id) => (await ann.client.get(`/repos/ann/r/hooks/${id}/deliveries`)).json,
    async close() {
      await server.close()
      await receiver.close()
    },
  }
}
