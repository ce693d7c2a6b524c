import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { MEASURED } from '../../harness/measured.ts'

let server: TestServer
let alice: Person
beforeAll(async () => {
  server = await startServer({ passwordCost: undefined })
  alice = await server.world.user('alice')
  await server.world.repo({ owner: alice, name: 'one', autoInit: true })
})
afterAll(() => server.close())

const withPassword = (name: string, password: string): Promise<number> =>
  server.anonymous
    .get('/user', { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` })
    .then(({ status }) => status)

describe('many wrong passwords at once', () => {
  it('do not occupy all threads, and are refused beyond a short queue', MEASURED, async () => {
    const client = await alice.withToken('read:repository')
    const read = async (): Promise<number> => {
      const begin = performance.now()
      expect((await client.get('/repos/alice/one/raw/README.md')).status).toBe(200)
      return performance.now() - begin
    }
    await read()
    const wrong = Array.from({ length: 150 }, (_, i) => withPassword(`nobody${i}`, `wrong${i}`))
    const waits: number[] = []
    for (let i = 0; i < 9; i++) waits.push(await read())
    const statuses = await Promise.all(wrong)
    expect(waits.toSorted((a, b) => a - b)[4]).toBeLessThan(200)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect(await withPassword('alice', PASSWORD)).toBe(200)
  })
})
