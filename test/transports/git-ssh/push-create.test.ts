import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, tryGit } from '../../core/git/wire/client.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { startSshFixture, type SshFixture, type SshKey } from './fixture.ts'

let ssh: SshFixture
let alice: Person
let key: SshKey
let work: string

beforeAll(async () => {
  ssh = await startSshFixture({ 'repository.enable_push_create_user': 'true' })
  alice = await ssh.server.world.user('alice')
  key = await ssh.keyOf(alice)
  await ssh.server.world.user('bob')
  await ssh.server.world.org('acme', { owner: alice })
  work = join(ssh.dir, 'work')
  await git(ssh.dir, ['init', '-q', '-b', 'main', work])
  await git(work, ['commit', '-q', '--allow-empty', '-m', 'first'])
})
afterAll(() => ssh.close())

const http = (path: string) => `${ssh.server.url.replace('://', `://alice:${encodeURIComponent(PASSWORD)}@`)}/${path}`

describe('a push to a missing repository', () => {
  it('creates a private repository for its owner', async () => {
    await git(work, ['push', '-q', http('alice/by-http.git'), 'main'])
    await ssh.git(work, key, 'push', '-q', ssh.url('alice/by-ssh.git'), 'main')
    for (const name of ['by-http', 'by-ssh']) {
      const { json } = await alice.client.get(`/repos/alice/${name}`)
      expect([json.private, json.empty, json.default_branch]).toEqual([true, false, 'main'])
    }
  })

  it('is refused in other namespaces, when disabled, for bad names, wikis and other users; a fetch creates nothing', async () => {
    for (const [path, text] of [
      ['bob/x', 'Repository not found'],
      ['nobody/x', 'Not found.'],
      ['acme/x', 'Push to create is not enabled for organizations.'],
      ['alice/x.wiki', 'Repository not found'],
    ] as const) {
      const answer = await fetch(`${ssh.server.url}/${path}/info/refs?service=git-receive-pack`, {
        headers: { authorization: `Basic ${Buffer.from(`alice:${PASSWORD}`).toString('base64')}` },
      })
      expect(await answer.text(), path).toBe(`${text}\n`)
    }
    expect((await ssh.tryGit(work, key, 'push', ssh.url('acme/x'), 'main')).stderr).toContain(
      'Push to create is not enabled for organizations.',
    )
    expect((await ssh.tryGit(work, key, 'push', ssh.url('bob/x'), 'main')).stderr).toContain(
      'Cannot find repository: bob/x',
    )
    expect((await tryGit(work, ['push', http('alice/bad%20name'), 'main'])).code).not.toBe(0)
    const anonymous = await fetch(`${ssh.server.url}/alice/new/info/refs?service=git-receive-pack`)
    expect(anonymous.status).toBe(401)
    const asked = await fetch(`${ssh.server.url}/alice/new/info/refs?service=git-receive-pack`, {
      headers: { authorization: `Basic ${Buffer.from(`alice:${PASSWORD}`).toString('base64')}` },
    })
    expect(asked.status).toBe(200)
    await asked.arrayBuffer()
    expect((await alice.client.get('/repos/alice/new')).status).toBe(404)
  })
})
