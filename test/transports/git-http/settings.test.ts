import { expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { tempDir, tryGit } from '../../core/git/wire/client.ts'

async function withServer(
  settings: Record<string, string>,
  use: (server: TestServer, ann: Person) => Promise<void>,
): Promise<void> {
  const server = await startServer({ settings })
  try {
    const ann = await server.world.user('ann')
    for (const [name, isPrivate] of [
      ['open', false],
      ['secret', true],
    ] as const)
      await server.world.repo({ owner: ann, name, isPrivate, autoInit: true })
    await use(server, ann)
  } finally {
    await server.close()
  }
}

const PATHS = [
  'info/refs?service=git-upload-pack',
  'info/refs?service=git-receive-pack',
  'info/refs',
  'HEAD',
  'objects/info/packs',
  `objects/${'ab'}/${'c'.repeat(38)}`,
]
const SERVICES = ['git-upload-pack', 'git-receive-pack', 'git-upload-archive']

async function ask(
  server: TestServer,
  path: string,
  { person, token, post = false }: { person?: Person; token?: string; post?: boolean } = {},
) {
  const service = path.split('/').at(-1)
  const headers = {
    ...(token !== undefined && { authorization: `token ${token}` }),
    ...(person && { authorization: `Basic ${Buffer.from(`${person.name}:${PASSWORD}`).toString('base64')}` }),
    ...(post && { 'content-type': `application/x-${service}-request` }),
  }
  const answer = await fetch(`${server.url}/${path}`, {
    headers,
    redirect: 'manual',
    ...(post && { method: 'POST', body: '0000' }),
  })
  return { status: answer.status, text: await answer.text(), realm: answer.headers.get('www-authenticate') }
}

it('git over HTTP can be disabled for all clients and paths', () =>
  withServer({ 'repository.disable_http_git': 'true' }, async (server, ann) => {
    const off = { status: 403, text: 'Interacting with repositories by HTTP protocol is not allowed\n' }
    for (const person of [undefined, ann]) {
      for (const repo of ['ann/open', 'ann/open.git', 'ann/secret.git', 'ann/missing', 'ann/open.wiki.git']) {
        for (const path of PATHS)
          expect(await ask(server, `${repo}/${path}`, { ...(person && { person }) }), `${repo}/${path}`).toMatchObject(
            off,
          )
        for (const service of SERVICES)
          expect(
            await ask(server, `${repo}/${service}`, { ...(person && { person }), post: true }),
            `${repo}/${service}`,
          ).toMatchObject(off)
      }
    }
    expect((await server.anonymous.get('/repos/ann/open/contents')).status).toBe(200)
    expect((await server.anonymous.get('/settings/repository')).json.http_git_disabled).toBe(true)
    const dir = tempDir()
    const { code, stderr } = await tryGit(dir.path, ['clone', `${server.url}/ann/open.git`])
    expect([code, stderr]).toEqual([128, expect.stringContaining('403')])
    dir.remove()
  }))

it('if all clients must sign in, public repositories require it, too', () =>
  withServer({ 'service.require_signin_view': 'true' }, async (server, ann) => {
    for (const path of PATHS) {
      expect(await ask(server, `ann/open.git/${path}`), path).toMatchObject({
        status: 401,
        realm: expect.stringMatching(/^Basic realm=/),
      })
      expect((await ask(server, `ann/open.git/${path}`, { person: ann })).status, path).not.toBe(401)
    }
    for (const path of ['ann/open/raw/branch/main/README.md', 'ann/open/archive/main.zip'])
      expect([401, 404], path).toContain((await ask(server, path)).status)
  }))

it('a suspended account is refused with a message, also for public repositories', () =>
  withServer({}, async (server, ann) => {
    const { json } = await ann.client.post('/users/ann/tokens', { name: 'git', scopes: ['write:repository'] })
    await server.app.database.transaction(async (tx) => {
      await tx.updateTable('user').set({ is_login_prohibited: 1 }).where('lower_name', '=', 'ann').execute()
    })
    for (const path of ['ann/open.git', 'ann/secret.git']) {
      for (const rest of PATHS.slice(0, 3)) {
        expect(await ask(server, `${path}/${rest}`, { person: ann }), rest).toMatchObject({
          status: 401,
          text: 'Failed to authenticate user\n',
        })
        expect(await ask(server, `${path}/${rest}`, { token: json.sha1 }), rest).toMatchObject({
          status: 403,
          text: 'Your account is disabled.\n',
        })
      }
    }
    expect((await ask(server, `ann/open.git/${PATHS[0]}`)).status).toBe(200)
  }))
