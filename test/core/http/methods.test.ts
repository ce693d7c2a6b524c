import { request, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

/**
 * Methods and paths as the router sees them (behaviour/auth-and-access#request-pipeline,
 * behaviour/auth-and-access#cors-and-methods).
 */

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** NOTE: fetch knows neither TRACE nor a host in the first line. */
const ask = (
  method: string,
  path: string,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; raw: string[]; body: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    request({ hostname, port, method, path }, (answer) => {
      text(answer).then(
        (body) => resolve({ status: answer.statusCode, headers: answer.headers, raw: answer.rawHeaders, body }),
        reject,
      )
    })
      .on('error', reject)
      .end()
  })

/** Every path with the methods it answers to; parameters are filled in. */
function pathsOf(): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>()
  for (const { method, path, aliases } of server.app.operations) {
    for (const pattern of [path, ...aliases]) {
      const filled = pattern.replaceAll(/\{\w+:(\w+)[^}]*\}/g, '$1').replaceAll(/\{\w+\*?\}/g, 'x')
      paths.set(filled, (paths.get(filled) ?? new Set()).add(method))
    }
  }
  return paths
}

it('HEAD is answered only for archives', () => {
  const heads = new Set(
    server.app.operations.filter(({ method }) => method === 'HEAD').map(({ path }) => path.split('/').at(-2)),
  )
  expect(heads).toEqual(new Set(['archive', 'bundle', 'tarball', 'zipball']))
})

it('a method that a path does not have is 405, without a body, with each method it has in a header of its own', async () => {
  const wrong: string[] = []
  for (const [path, methods] of pathsOf()) {
    for (const method of ['HEAD', 'OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (methods.has(method)) continue
      const { status, headers, raw, body } = await ask(method, `/api/v1${path}`)
      const allowed = raw.filter((_, index) => raw[index - 1] === 'allow')
      // NOTE: a path may fit another operation too, whose last parameter takes anything; that one asks who calls.
      if ((status === 401 || status === 404) && method !== 'OPTIONS') continue
      if (
        status !== 405 ||
        body !== '' ||
        headers['content-type'] !== undefined ||
        ![...methods].every((one) => allowed.includes(one))
      )
        wrong.push(`${method} ${path}: ${status} ${body} ${allowed.join(', ')}`)
    }
  }
  expect(wrong).toEqual([])
})

it('methods of other protocols are 405 on paths and 404 elsewhere', async () => {
  for (const method of ['PROPFIND', 'TRACE', 'LOCK'])
    expect((await ask(method, '/api/v1/version')).status, method).toBe(405)
})

const MISSING = [404, 'application/json;charset=utf-8', '{}\n', 'no such path', 'nosniff']

it('unknown paths below /api are 404 with {}, others are pages or plain text', async () => {
  const outcome = async (path: string) => {
    const { status, headers, text } = await server.anonymous.get(path)
    const [type, reason] = [headers.get('content-type'), headers.get('x-ingot-message')]
    return [status, type, text, reason, headers.get('x-content-type-options')]
  }
  for (const path of ['', '/', '/nowhere', '/version/more', '/repos', '/user/nowhere', '/Version', '//version'])
    expect(await outcome(`//api/v1${path}`), path).toEqual(MISSING)
  for (const path of ['/api', '/api/', '/api/nowhere', '/api/v2/version', '/api/v1x'])
    expect(await outcome(`/${path}`), path).toEqual(MISSING)
  for (const path of ['/nowhere', '/apis', '/alice/code'])
    expect((await outcome(`/${path}`)).slice(0, 2), path).toEqual([404, 'text/html; charset=utf-8'])
  for (const path of ['/alice/code/nowhere'])
    expect(await outcome(`/${path}`), path).toEqual([
      404,
      'text/plain;charset=utf-8',
      '404 page not found\n',
      null,
      'nosniff',
    ])
})

it('a request that names the host in its first line is answered as any other', async () => {
  await server.world.user('alice')
  expect((await ask('GET', 'http://elsewhere.example/api/v1/users/alice')).status).toBe(200)
})
