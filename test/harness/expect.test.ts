import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectEvents, lastEventId, row, rows } from './expect.ts'
import { startServer, type TestServer } from './server.ts'

describe('expectations about the database', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it('find rows by the values of columns', async () => {
    await server.world.user('ann')
    expect(await row(server, 'user', { name: 'ann' })).toMatchObject({ name: 'ann' })
    expect(await rows(server, 'user', { name: 'bob' })).toEqual([])
    await expect(row(server, 'user', { name: 'bob' })).rejects.toThrow('user with')
  })

  it('compare the events since a mark with the expected ones', async () => {
    const after = await lastEventId(server)
    const bob = await server.world.user('bob')
    await expectEvents(server, { after }, [['user.created', { name: 'bob' }]])
    await expect(expectEvents(server, { after }, [])).rejects.toThrow()
    await expect(expectEvents(server, { after }, [['user.created', { name: 'eve' }]])).rejects.toThrow()
    expect(bob.client).toBeDefined()
  })
})
