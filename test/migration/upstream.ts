import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { spawn } from 'node:child_process'
import { git, tempDir } from '../core/git/wire/client.ts'

export interface Upstream {
  /** http://127.0.0.1:port */
  readonly url: string
  /** Directory of the bare repositories. */
  readonly root: string
  /** Method and path with query of every request so far. */
  readonly requests: string[]
  /** Hosts that were asked for, each with the Authorization header that came. */
  readonly credentials: Set<string>
  /** Credentials that are asked for from now on. */
  login: string | undefined
  /** Paths that lead elsewhere. */
  readonly redirects: Map<string, string>
  /** Answers of an API beside git, by method and path with query, or without it. */
  readonly routes: Map<string, (request: IncomingMessage, response: ServerResponse) => void>
  /** Called before a request is answered. */
  before: (path: string, request: IncomingMessage) => void | Promise<void>
  /** Runs git in the working copy of a repository. */
  run(name: string, ...args: string[]): Promise<string>
  /** Makes a bare repository `<name>.git` with a working copy and one commit; wikis are made the same way. */
  create(name: string, options?: { readonly format?: 'sha1' | 'sha256' }): Promise<void>
  /** Adds a commit to the checked-out branch and pushes everything. */
  commit(name: string, file: string): Promise<string>
  push(name: string): Promise<void>
  close(): Promise<void>
}

/** Another git server: git's own http-backend behind a small HTTP server on loopback. */
export async function startUpstream(): Promise<Upstream> {
  const dir = tempDir()
  const bare = (name: string): string => join(dir.path, 'bare', `${name}.git`)
  const work = (name: string): string => join(dir.path, 'work', name)
  const upstream: Upstream = {
    url: '',
    root: join(dir.path, 'bare'),
    requests: [],
    credentials: new Set(),
    login: undefined,
    redirects: new Map(),
    routes: new Map(),
    before: () => {},
    run: (name, ...args) => git(work(name), args),
    async create(name, { format = 'sha1' } = {}) {
      mkdirSync(bare(name), { recursive: true })
      await git(dir.path, ['init', '-q', '--bare', '-b', 'main', `--object-format=${format}`, bare(name)])
      await git(bare(name), ['config', 'http.receivepack', 'true'])
      await git(dir.path, ['init', '-q', '-b', 'main', `--object-format=${format}`, work(name)])
      await git(work(name), ['remote', 'add', 'origin', bare(name)])
      await upstream.commit(name, 'first.txt')
    },
    async commit(name, file) {
      const path = join(work(name), file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${file}\n`)
      await git(work(name), ['add', '.'])
      await git(work(name), ['commit', '-qm', `Add ${file}`])
      await upstream.push(name)
      return git(work(name), ['rev-parse', 'HEAD'])
    },
    async push(name) {
      await git(work(name), [
        'push',
        '-q',
        '--prune',
        '--force',
        'origin',
        '+refs/heads/*:refs/heads/*',
        '+refs/tags/*:refs/tags/*',
      ])
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      dir.remove()
    },
  }
  const server = serve(upstream, join(dir.path, 'bare'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(upstream, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

function serve(upstream: Upstream, root: string): Server {
  return createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://x')
    upstream.requests.push(`${request.method} ${request.url}`)
    if (request.headers.authorization !== undefined)
      upstream.credentials.add(`${request.headers.host} ${request.headers.authorization}`)
    await upstream.before(url.pathname, request)
    const route = [request.url, url.pathname].map((at) => upstream.routes.get(`${request.method} ${at}`)).find(Boolean)
    if (route !== undefined) return route(request, response)
    if (url.pathname.startsWith('/api/')) return response.writeHead(404).end('{}')
    const from = [...upstream.redirects.keys()].find((path) => url.pathname.startsWith(path))
    if (from !== undefined)
      return response
        .writeHead(301, { location: `${upstream.redirects.get(from)!}${url.pathname.slice(from.length)}${url.search}` })
        .end()
    if (
      upstream.login !== undefined &&
      request.headers.authorization !== `Basic ${Buffer.from(upstream.login).toString('base64')}`
    ) {
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
    }
    const env = {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method!,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      REMOTE_ADDR: '127.0.0.1',
      ...(request.headers['content-length'] && { CONTENT_LENGTH: request.headers['content-length'] }),
    }
    const backend = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    request.pipe(backend.stdin.on('error', () => {}))
    const chunks: Buffer[] = []
    for await (const chunk of backend.stdout) chunks.push(chunk as Buffer)
    const output = Buffer.concat(chunks)
    const end = output.indexOf('\r\n\r\n')
    const headers = Object.fromEntries(
      output
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]),
    )
    const { Status: status = '200', ...rest } = headers
    return response.writeHead(Number.parseInt(status), rest).end(output.subarray(end + 4))
  })
}
