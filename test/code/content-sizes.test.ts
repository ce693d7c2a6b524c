import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'

describe('settings of the sizes of contents', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({
      settings: { 'api.default_max_blob_size': '5', 'api.default_max_response_size': '8' },
    })
  })
  afterAll(() => server.close())

  it('limit one file, and all files of one answer', async () => {
    const ann = await server.world.user('ann')
    await ann.client.post('/user/repos', { name: 'r', auto_init: true })
    const sizes: Record<string, number> = { one: 1, three: 3, five: 5, seven: 7, four: 4 }
    const files = Object.entries(sizes).map(([path, size]) => ({
      operation: 'create',
      path,
      content: Buffer.alloc(size, 'x').toString('base64'),
    }))
    expect((await ann.client.post('/repos/ann/r/contents', { files, message: 'm' })).status).toBe(201)
    const read = async (...paths: string[]): Promise<unknown> => {
      const { json } = await ann.client.post('/repos/ann/r/file-contents', { files: paths })
      return json.map((entry: { path: string; content: string | null }) => [
        entry.path,
        entry.content && Buffer.from(entry.content, 'base64').length,
      ])
    }
    expect(await read('seven', 'three', 'five', 'one')).toEqual([
      ['seven', null],
      ['three', 3],
      ['five', 5],
    ])
    expect(await read('one', 'three', 'four')).toEqual([
      ['one', 1],
      ['three', 3],
      ['four', 4],
    ])
    expect((await ann.client.get('/repos/ann/r/contents/seven')).json.content).toBeNull()
  })
})
