import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'

describe('multipart forms of package registries', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startServer()
    await server.world.user('ann')
  })
  afterAll(() => server.close())

  it.each([
    ['right after the headers of a file', ''],
    ['within a file', 'some bytes'],
    ['after a line end that may begin the delimiter', 'some bytes\r\n--b'],
  ])('answers 400 to a form that ends %s, and continues to serve', async (_, content) => {
    for (const [method, path] of [
      ['POST', 'pypi'],
      ['PUT', 'nuget'],
      ['POST', 'pub/api/packages/versions/new/upload'],
    ] as const) {
      const sent = request(`${server.url}/api/packages/ann/${path}`, {
        method,
        headers: {
          authorization: `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`,
          'content-type': 'multipart/form-data; boundary=b',
        },
      })
      const type = 'Content-Type: application/octet-stream'
      sent.end(`--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n${type}\r\n\r\n${content}`)
      const [answer] = await once(sent, 'response')
      expect([answer.statusCode, await text(answer)]).toEqual([400, expect.stringContaining('form is not complete')])
    }
    expect((await fetch(`${server.url}/api/readyz`)).status).toBe(200)
  })
})
